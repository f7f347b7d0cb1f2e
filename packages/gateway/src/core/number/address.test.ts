import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readShared } from '../../../test/support/shared.ts';
import { parseReceiver, parseSender, senderForm } from './address.ts';

const textsOf = (joined: string) => joined.split(/\|(?:\n *)?/);

describe('parseReceiver', () => {
  const accepted: { readonly [stored: string]: string } = {
    '+41791112233': `+41791112233|41791112233|0041791112233| 41791112233|\t+41791112233\u00a0\n|+41 79 111 22 33|
      (0041 79) 1112233|  41 79 111 22 33 |+(41) 79 111 22 33|+41 (79) 111-22.33|00-41-79-111-22-33`,
    '+12025550123': '+1 (202) 555-0123|(00) 1.202.555.0123',
    '+8835100123456': '+8835100123456',
    '+2904123': '+2904123',
    '+49123456789012': '+49123456789012',
  };
  for (const [stored, inputs] of Object.entries(accepted)) {
    it(`reads ${JSON.stringify(inputs)} as ${stored}`, () => {
      for (const input of textsOf(inputs)) assert.deepEqual(parseReceiver(input), { ok: true, value: stored }, input);
    });
  }

  const refusals: readonly (readonly [why: RegExp, inputs: readonly string[]])[] = [
    [/at least 7 digits/, textsOf('|+|+412345')],
    [/at most 15 digits/, ['+4912345678901234', '4'.repeat(100_000)]],
    [/country code/, textsOf('0791112233|+0041791112233|000417911122')],
    [
      /must consist of digits/,
      textsOf(`41+791112233|+41791112233x|+41\u00a0791112233|+4179111223\u0663|+-41791112233|41791112233 .|()41791112233|
        (41791112233|41791112233)|+)41(791112233|..(-41791112233)--|++41791112233|((41)) 791112233|Shop`),
    ],
    [/no number with this country code/, textsOf('+9991234567|+417911122334|+120255501234|+41 (0)79 111 22 33')],
  ];
  for (const [why, inputs] of refusals) {
    it(`refuses what ${why.source}`, () => {
      for (const input of inputs) {
        const result = parseReceiver(input);
        assert.ok(!result.ok && result.error.code === 'invalid_parameter', input);
        assert.equal(result.error.field, 'receiver');
        assert.match(result.error.detail, why, input);
      }
    });
  }

  it('accepts an example of every type of number in every region that has 7 to 15 digits', (t) => {
    const text = readShared(t, 'numbers/example-numbers.json');
    if (text === undefined) return;
    const examples = new Set(text.match(/\+\d+/g));
    assert.ok(examples.size > 900, `only ${examples.size} examples`);
    for (const number of examples) {
      const expected = number.length >= 8 && number.length <= 16;
      assert.equal(parseReceiver(number).ok, expected, number);
    }
  });

  it('returns + and 7 to 15 digits, and reads its own result as the same number', () => {
    const digit = fc.constantFrom(...'0123456789'.split(''));
    const number = fc.tuple(fc.constantFrom('+', '00', ' ', ''), fc.array(digit, { maxLength: 18 }));
    fc.assert(
      fc.property(number, ([prefix, digits]) => {
        const result = parseReceiver(prefix + digits.join(''));
        if (!result.ok) return;
        assert.match(result.value, /^\+[1-9]\d{6,14}$/);
        assert.deepEqual(parseReceiver(result.value), result);
        assert.deepEqual(parseSender(result.value), result);
      }),
    );
  });
});

describe('parseSender', () => {
  const accepted: readonly (readonly [string, string, string])[] = [
    ['+41791112233', '+41791112233', 'international'],
    ['41791112233', '+41791112233', 'international'],
    ['0041 79 111 22 33', '+41791112233', 'international'],
    ['123', '123', 'short_code'],
    ['00012345', '00012345', 'short_code'],
    ['+2904123', '+2904123', 'international'],
    [' 12345\n', '12345', 'short_code'],
    ['\u00a0Shop 24/7 \t', 'Shop 24/7', 'alphanumeric'],
    ['Shop 24/7 !', 'Shop 24/7 !', 'alphanumeric'],
    ['+41 Shop', '+41 Shop', 'alphanumeric'],
    ['ΩΩΩ', 'ΩΩΩ', 'alphanumeric'],
    ['3com_@£$¥è§', '3com_@£$¥è§', 'alphanumeric'],
  ];
  for (const [input, stored, form] of accepted) {
    it(`reads ${JSON.stringify(input)} as ${form}`, () => {
      const result = parseSender(input);
      assert.ok(result.ok, JSON.stringify(result));
      assert.equal(result.value, stored);
      assert.equal(senderForm(result.value), form);
    });
  }

  const refusals = textsOf('|12|+12345|123456789|-41791112233|!?|Shop 24/7 !!|A€|Zażółć|A\nB|\ud800A|😀A');
  for (const input of refusals) {
    it(`refuses ${JSON.stringify(input)}`, () => {
      const result = parseSender(input);
      assert.ok(!result.ok && result.error.code === 'invalid_sender');
      assert.match(result.error.detail, /international number such as .*, a short code of 3 to 8 digits, or a name/);
      assert.ok(`source_addr: ${result.error.detail}`.length <= 255, 'it fits into additional_status_info_text');
    });
  }
});
