import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { readShared } from '../../../test/support/shared.ts';
import { canExist } from './number-plan.ts';
import { isRegion, numberType } from './number-type.ts';

/** Ordinary numbers that start like premium numbers of their country, but are longer. */
const overdialled = new Set(['+37618001234']);

describe('numberType', () => {
  const rows: readonly (readonly [string, string | undefined, 'premium' | 'known' | 'unknown', string])[] = [
    ['41791234567', 'CH', 'known', 'a mobile of a country with a code of its own'],
    ['41900123456', 'CH', 'premium', 'premium rate'],
    ['41840123456', 'CH', 'premium', 'shared cost'],
    ['41991234567', 'CH', 'unknown', 'a range that nobody has'],
    ['12015550123', 'US', 'known', '+1: the United States'],
    ['15062345678', 'CA', 'known', '+1: Canada, by its patterns'],
    ['18682911234', 'TT', 'known', '+1: Trinidad and Tobago, by its leading digits'],
    ['19002345678', 'US', 'premium', '+1 900'],
    ['12302345678', undefined, 'unknown', '+1 and an area that is not in use: of no region of the code'],
    ['76001234567', undefined, 'unknown', '+7 and digits that neither Russia nor Kazakhstan has'],
    ['390000000000000', 'IT', 'unknown', '+39: a number outside the Vatican is Italian'],
    ['79123456789', 'RU', 'known', '+7: Russia'],
    ['77710009998', 'KZ', 'known', '+7: Kazakhstan'],
    ['78091234567', 'RU', 'premium', '+7 809'],
    ['447400123456', 'GB', 'known', '+44: Great Britain'],
    ['447781123456', 'GG', 'known', '+44: Guernsey'],
    ['447797712345', 'JE', 'known', '+44: Jersey'],
    ['449098790000', 'GB', 'premium', '+44 909'],
    ['390612345678', 'IT', 'known', 'a zero that is part of the number'],
    ['499001234567', 'DE', 'premium', 'premium rate, with all of its digits'],
    ['3758101234567', 'BY', 'premium', 'premium rate, with a first digit that is the national prefix as well'],
    ['979123456789', undefined, 'premium', '+979, premium rate of no country'],
    ['881612345678', undefined, 'known', '+881, satellites'],
    ['999123456789', undefined, 'unknown', 'no country code'],
  ];
  for (const [digits, region, kind, what] of rows) {
    it(`+${digits} is ${kind} in ${region ?? 'no region'}: ${what}`, () => {
      const { mayBeOf: _mayBeOf, isFixedLine: _isFixedLine, ...type } = numberType(digits);
      assert.deepEqual(type, { region, isPremium: kind === 'premium', isKnown: kind !== 'unknown' });
    });
  }

  // Networks connect a number by its beginning: digits beyond its end are dropped.
  for (const [digits, region, what] of [
    ['4990012345678', 'DE', 'one more'],
    ['499001234567890', 'DE', 'three more'],
    ['4913771234567', 'DE', 'one more, of mass traffic'],
    ['41900123456789', 'CH', 'three more'],
    ['44901234567', undefined, 'one fewer, of whichever region has it'],
    ['3989212345', 'IT', 'one more'],
    ['1900234567890', undefined, 'two more, of whichever region has it'],
  ] as const) {
    it(`+${digits} begins like a premium number: ${what}`, () => {
      const { mayBeOf: _mayBeOf, isFixedLine: _isFixedLine, ...type } = numberType(digits);
      assert.deepEqual(type, { region, isPremium: true, isKnown: false });
    });
  }

  it('knows numbers of fixed lines, in countries where mobile numbers look different', () => {
    for (const [digits, expected] of [
      ['41446681800', true],
      ['442079460000', true],
      ['390612345678', true],
      ['41791234567', false],
      ['12015550123', false],
      ['41900123456', false],
      ['41991234567', false],
    ] as const) {
      assert.equal(numberType(digits).isFixedLine, expected, digits);
    }
  });

  it('names the possible regions of a number that fits no region', () => {
    for (const [digits, expected] of [
      ['19995550123', ['CA', 'US']],
      ['76001234567', ['KZ', 'RU']],
      ['12015550123', []],
      ['41991234567', []],
      ['999123456789', []],
    ] as const) {
      assert.deepEqual(numberType(digits).mayBeOf, expected, digits);
    }
  });

  it('agrees with libphonenumber about an example of every type of number in every region', (t) => {
    const text = readShared(t, 'numbers/example-numbers.json');
    if (text === undefined) return;
    const examples = new Set(text.match(/\+\d+/g));
    assert.ok(examples.size > 900, `only ${examples.size} examples`);
    let unlike = 0;
    for (const number of examples) {
      const theirs = parsePhoneNumberFromString(number, { extract: false });
      const { mayBeOf: _mayBeOf, ...ours } = numberType(number.slice(1));
      const type = theirs?.getType();
      // If libphonenumber removes a national prefix, it looks at another number.
      if (!theirs || number !== `+${theirs.countryCallingCode}${theirs.nationalNumber}`) {
        unlike += 1;
        continue;
      }
      const expected = {
        // For an unknown type libphonenumber names no region; ours is the main region of the country code.
        region: type === undefined ? ours.region : theirs.country,
        isPremium: type === undefined ? ours.isPremium : type === 'PREMIUM_RATE' || type === 'SHARED_COST',
        isFixedLine: type === 'FIXED_LINE',
        isKnown: type !== undefined,
      };
      assert.deepEqual(ours, expected, number);
    }
    assert.ok(unlike < 10, `${unlike} numbers could not be compared`);
  });

  it('no ordinary example is premium; a premium example is, also with more or fewer digits, unless that is another number', (t) => {
    const text = readShared(t, 'numbers/example-numbers.json');
    if (text === undefined) return;
    const examples = new Set(text.match(/\+\d+/g));
    let tried = 0;
    for (const example of examples) {
      const digits = example.slice(1);
      const { isPremium, isKnown } = numberType(digits);
      for (const other of [digits.slice(0, -1), `${digits}0`, `${digits}5`, `${digits}12`, `${digits}123`]) {
        const type = numberType(other);
        if (!isKnown || !canExist(other) || type.isKnown) continue;
        tried += 1;
        const expected = isPremium || overdialled.has(example);
        assert.equal(type.isPremium, expected, `${other} beside ${digits}`);
      }
    }
    assert.ok(tried > 500, `only ${tried} were tried`);
  });
});

it('isRegion knows codes of ISO 3166-1 and nothing else', () => {
  for (const [text, expected] of [
    ['CH', true],
    ['US', true],
    ['ch', false],
    ['XX', false],
    ['001', false],
    ['constructor', false],
  ] as const) {
    assert.equal(isRegion(text), expected, text);
  }
});
