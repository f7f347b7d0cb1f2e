import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { readShared } from '../../../test/support/shared.ts';
import {
  answerKeyOf,
  answerKeysOf,
  carrierIdKey,
  carrierIdKeys,
  knownRules,
  receiptKeyOf,
  type KnownRule,
} from './carrier-id.ts';

/** The only rule by which the keys are of one message; null if several fit, or none. */
function taughtBy(answer: string, receipt: string): KnownRule | null {
  const fitting = knownRules.filter((rule) => answerKeyOf(receipt, rule) === answer);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/**
 * The id in a carrier's answer, the one in its receipt, the rule under which they are the same message (D3), and the
 * rule that the pair teaches: none where several agree.
 */
const pairs: readonly (readonly [string, string, KnownRule, KnownRule | null])[] = [
  ['812FC7470000001B', '9308878062554710043', 'hex-answer', 'hex-answer'],
  ['0913121205', '913121205', 'same', 'same'],
  ['0e999f21-81ef-4974-a414-3de98174e3c7', '0E999F21-81EF-4974-A414-3DE98174E3C7', 'hex-answer', null],
  ['6aad5', '0000436949', 'hex-answer', 'hex-answer'],
  ['4D19C83C', '4d19c83c', 'same', 'same'],
  ['33647f6c', '862224236', 'hex-answer', 'hex-answer'],
  ['436949', '6AAD5', 'hex-receipt', 'hex-receipt'],
  ['18d0e03a', '0416342074', 'hex-answer', 'hex-answer'],
  ['c449ab9744f47b6af1879e49e75e4f40', 'C449AB9744F47B6AF1879E49E75E4F40', 'same', 'same'],
  ['0000AB12', 'ab12', 'same', 'same'],
  ['rdwjwxns18krxr9936ey96ymcw', 'rdwjwxns18krxr9936ey96ymcw', 'same', null],
  ['FFFFFFFFFFFFFFFFFFFF', '1208925819614629174706175', 'hex-answer', 'hex-answer'],
  ['10', '10', 'same', 'same'],
  ['10', '16', 'hex-answer', 'hex-answer'],
  ['16', '10', 'hex-receipt', 'hex-receipt'],
  ['7', '07', 'same', null],
  ['7', '07', 'hex-receipt', null],
  ['0', '000', 'same', null],
];
for (const [answer, receipt, rule, taught] of pairs) {
  it(`answer ${answer} and receipt ${receipt} match under ${rule}, and teach ${taught ?? 'no rule'}`, () => {
    const [ours, theirs] = [carrierIdKey(answer), carrierIdKey(receipt)];
    assert.equal(answerKeyOf(theirs, rule), ours);
    assert.equal(receiptKeyOf(ours, rule), theirs);
    assert.ok(answerKeysOf(theirs).includes(ours));
    assert.equal(taughtBy(ours, theirs), taught);
  });
}

const strangers: readonly (readonly [string, string, KnownRule])[] = [
  ['10', '16', 'same'],
  ['10', '10', 'hex-answer'],
  ['abc', 'abc', 'hex-answer'],
  ['abc', 'abc', 'hex-receipt'],
  ['0e999f21-81ef-4974-a414-3de98174e3c7', '0e999f22-81ef-4974-a414-3de98174e3c7', 'hex-answer'],
  // These ids agree in the 53 bits that a JavaScript number keeps.
  ['9308878062554710043', '9308878062554710044', 'same'],
  ['812FC7470000001B', '9308878062554710044', 'hex-answer'],
];
for (const [answer, receipt, rule] of strangers) {
  it(`answer ${answer} and receipt ${receipt} do not match under ${rule}`, () => {
    assert.notEqual(answerKeyOf(carrierIdKey(receipt), rule), carrierIdKey(answer));
  });
}

it('every real pair of ids matches under a rule, and no pair teaches a wrong rule', (t) => {
  const lines = readShared(t, 'receipts/message-id-pairs.jsonl')?.trim().split('\n') ?? [];
  for (const line of lines) {
    const pair: { submit_sm_resp_or_tlv: string; receipt: string; hex_equals_decimal: boolean | null } =
      JSON.parse(line);
    const [ours, theirs] = [carrierIdKey(pair.submit_sm_resp_or_tlv), carrierIdKey(pair.receipt)];
    assert.ok(answerKeysOf(theirs).includes(ours), `${ours} and ${theirs} fit no rule`);
    if (pair.hex_equals_decimal === true) assert.equal(taughtBy(ours, theirs), 'hex-answer');
    if (pair.hex_equals_decimal === false) assert.equal(taughtBy(ours, theirs), 'same');
  }
});

it('any id, with any padding, is found by its rule, from answer to receipt and back', () => {
  const rules = fc.constantFrom<KnownRule>('same', 'hex-answer', 'hex-receipt');
  const spelt = fc.record({ zeros: fc.nat(12), isUpper: fc.boolean() });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 130n }), rules, spelt, spelt, (number, rule, one, other) => {
      const spell = (isHex: boolean, { zeros, isUpper }: { zeros: number; isUpper: boolean }) => {
        const text = '0'.repeat(zeros) + number.toString(isHex ? 16 : 10);
        return carrierIdKey(isUpper ? text.toUpperCase() : text);
      };
      const [answer, receipt] = [spell(rule === 'hex-answer', one), spell(rule === 'hex-receipt', other)];
      assert.equal(answerKeyOf(receipt, rule), answer);
      assert.equal(receiptKeyOf(answer, rule), receipt);
      const taught = taughtBy(answer, receipt);
      assert.ok(taught === rule || (taught === null && number < 10n), `${answer} and ${receipt} teach ${taught}`);
    }),
  );
});

it('an id that is too long for its kind of carrier is found by the part that is kept', () => {
  assert.deepEqual(carrierIdKeys('X'.repeat(70)), ['x'.repeat(65)]);
});
