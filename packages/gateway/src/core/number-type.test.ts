import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { isRegion, numberType } from './number-type.ts';

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
    ['12302345678', 'US', 'unknown', '+1 and an area that is not in use: the main region of the code'],
    ['79123456789', 'RU', 'known', '+7: Russia'],
    ['77710009998', 'KZ', 'known', '+7: Kazakhstan'],
    ['78091234567', 'RU', 'premium', '+7 809'],
    ['447400123456', 'GB', 'known', '+44: Great Britain'],
    ['447781123456', 'GG', 'known', '+44: Guernsey'],
    ['447797712345', 'JE', 'known', '+44: Jersey'],
    ['449098790000', 'GB', 'premium', '+44 909'],
    ['390612345678', 'IT', 'known', 'a zero that is part of the number'],
    ['979123456789', undefined, 'premium', '+979, premium rate of no country'],
    ['881612345678', undefined, 'known', '+881, satellites'],
    ['999123456789', undefined, 'unknown', 'no country code'],
  ];
  for (const [digits, region, kind, what] of rows) {
    it(`+${digits} is ${kind} in ${region ?? 'no region'}: ${what}`, () => {
      assert.deepEqual(numberType(digits), {
        region,
        isPremium: kind === 'premium',
        isKnown: kind !== 'unknown',
      });
    });
  }

  it('agrees with libphonenumber about an example of every type of number in every region', (t) => {
    const path = join(import.meta.dirname, '../../../../../shared/data/numbers/example-numbers.json');
    if (!existsSync(path)) {
      t.diagnostic('the shared data are absent: only the vectors of this file were tried');
      return;
    }
    const examples = new Set(readFileSync(path, 'utf8').match(/\+\d+/g));
    assert.ok(examples.size > 900, `only ${examples.size} examples`);
    let unlike = 0;
    for (const number of examples) {
      const theirs = parsePhoneNumberFromString(number, { extract: false });
      const ours = numberType(number.slice(1));
      const type = theirs?.getType();
      // Where it takes a national prefix away, theirs is another number.
      if (!theirs || number !== `+${theirs.countryCallingCode}${theirs.nationalNumber}`) {
        unlike += 1;
        continue;
      }
      const expected = {
        // Theirs says none for a number of no known type, where ours says the main region of its code.
        region: type === undefined ? ours.region : theirs.country,
        isPremium: type === 'PREMIUM_RATE' || type === 'SHARED_COST',
        isKnown: type !== undefined,
      };
      assert.deepEqual(ours, expected, number);
    }
    assert.ok(unlike < 10, `${unlike} numbers could not be compared`);
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
