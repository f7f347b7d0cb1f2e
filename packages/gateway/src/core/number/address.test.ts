import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readShared } from '../../../test/support/shared.ts';
import { parseReceiver, parseSender, senderForm } from './address.ts';

describe('parseReceiver', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['+41791112233', '+41791112233'],
    ['41791112233', '+41791112233'],
    ['0041791112233', '+41791112233'],
    [' 41791112233', '+41791112233'],
    ['\t+41791112233\u00a0\n', '+41791112233'],
    ['+41 79 111 22 33', '+41791112233'],
    ['  41 79 111 22 33 ', '+41791112233'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['(00) 1.202.555.0123', '+12025550123'],
    ['+41 (79) 111-22.33', '+41791112233'],
    ['+41(79)1112233', '+41791112233'],
    ['(41) 79 111 22 33', '+41791112233'],
    ['+(41) 79 111 22 33', '+41791112233'],
    ['+ 41 79 111 22 33', '+41791112233'],
    ['+41 79 (111 22 33) ', '+41791112233'],
    ['(0041 79) 1112233', '+41791112233'],
    ['00-41-79-111-22-33', '+41791112233'],
    ['41791112233 ', '+41791112233'],
    ['+8835100123456', '+8835100123456'],
    ['+80012345678', '+80012345678'],
    ['+2904123', '+2904123'],
    ['+49123456789012', '+49123456789012'],
  ];
  for (const [input, stored] of accepted) {
    it(`reads ${JSON.stringify(input)}`, () => assert.deepEqual(parseReceiver(input), { ok: true, value: stored }));
  }

  const refusals: readonly (readonly [string, RegExp])[] = [
    ['', /at least 7 digits/],
    ['+', /at least 7 digits/],
    [' ', /at least 7 digits/],
    ['+412345', /at least 7 digits/],
    ['+4912345678901234', /at most 15 digits/],
    ['4'.repeat(100_000), /at most 15 digits/],
    ['0791112233', /country code/],
    ['+0041791112233', /country code/],
    ['000417911122', /country code/],
    ['++41791112233', /must consist of digits/],
    ['41+791112233', /must consist of digits/],
    ['+41791112233x', /must consist of digits/],
    ['+41/791112233', /must consist of digits/],
    ['+41\u00a0791112233', /must consist of digits/],
    ['+4179111223\u0663', /must consist of digits/],
    ['-41791112233', /must consist of digits/],
    ['+-41791112233', /must consist of digits/],
    [' -41791112233', /must consist of digits/],
    ['41791112233-', /must consist of digits/],
    ['41791112233 .', /must consist of digits/],
    ['..(-41791112233)--', /must consist of digits/],
    ['(-41) 791112233', /must consist of digits/],
    ['()41791112233', /must consist of digits/],
    ['((41)) 791112233', /must consist of digits/],
    ['(41791112233', /must consist of digits/],
    ['41791112233)', /must consist of digits/],
    ['+)41(791112233', /must consist of digits/],
    ['Shop', /must consist of digits/],
    ['+9991234567', /no number with this country code/],
    ['+2101234567', /no number with this country code/],
    ['+417911122334', /no number with this country code/],
    ['+4179111223', /no number with this country code/],
    ['+120255501234', /no number with this country code/],
    ['+41 (0)79 111 22 33', /no number with this country code/],
  ];
  for (const [input, reason] of refusals) {
    it(`refuses ${JSON.stringify(input.slice(0, 30))}`, () => {
      const result = parseReceiver(input);
      assert.ok(!result.ok && result.error.code === 'invalid_parameter');
      assert.equal(result.error.field, 'receiver');
      assert.match(result.error.detail, reason);
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

  it('never throws, and accepts only valid receivers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        const result = parseReceiver(input);
        assert.ok(!result.ok || /^\+[1-9]\d{6,14}$/.test(result.value));
      }),
    );
  });
});

describe('parseSender', () => {
  const accepted: readonly (readonly [string, string, string])[] = [
    ['+41791112233', '+41791112233', 'international'],
    ['41791112233', '+41791112233', 'international'],
    [' 41791112233', '+41791112233', 'international'],
    ['0041 79 111 22 33', '+41791112233', 'international'],
    ['123', '123', 'short_code'],
    ['00012345', '00012345', 'short_code'],
    ['12345678', '12345678', 'short_code'],
    ['+2904123', '+2904123', 'international'],
    ['A', 'A', 'alphanumeric'],
    [' 12345\n', '12345', 'short_code'],
    ['\u00a0Shop 24/7 \t', 'Shop 24/7', 'alphanumeric'],
    ['Shop 24/7 !', 'Shop 24/7 !', 'alphanumeric'],
    ['+41 Shop', '+41 Shop', 'alphanumeric'],
    ['ZÜRICH', 'ZÜRICH', 'alphanumeric'],
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

  const refusals = [
    '',
    ' ',
    '12',
    '+123',
    '+12345',
    '123456789',
    '-12345',
    '-41791112233',
    '---',
    '!?',
    'Shop 24/7 !!',
    'A€',
    'A[',
    'Zażółć',
    'A\nB',
    'A\u0000',
    'Ж',
    '\ud800A',
    '😀A',
  ];
  for (const input of refusals) {
    it(`refuses ${JSON.stringify(input)}`, () => {
      const result = parseSender(input);
      assert.ok(!result.ok && result.error.code === 'invalid_sender');
      assert.match(result.error.detail, /international number such as .*, a short code of 3 to 8 digits, or a name/);
      assert.ok(`source_addr: ${result.error.detail}`.length <= 255, 'it fits into additional_status_info_text');
    });
  }
});
