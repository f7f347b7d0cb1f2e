import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { carrierIdKey } from './carrier.ts';
import type { IdRule } from './carrier.ts';

/** What a carrier put in its answer, what in its receipt, and the rule under which they are the same message (D3). */
const pairs: readonly (readonly [string, string, IdRule])[] = [
  ['812FC7470000001B', '9308878062554710043', 'hex-answer'],
  ['0913121205', '913121205', 'same'],
  ['0e999f21-81ef-4974-a414-3de98174e3c7', '0E999F21-81EF-4974-A414-3DE98174E3C7', 'hex-answer'],
  ['6aad5', '0000436949', 'hex-answer'],
  ['4D19C83C', '4d19c83c', 'same'],
  ['33647f6c', '862224236', 'hex-answer'],
  ['436949', '6AAD5', 'hex-receipt'],
  ['0', '000', 'same'],
];
for (const [answer, receipt, rule] of pairs) {
  it(`${answer} and ${receipt} are one message under ${rule}`, () => {
    assert.equal(carrierIdKey(answer, rule, 'answer'), carrierIdKey(receipt, rule, 'receipt'));
  });
}

it('every pair that carriers really sent is one message under some rule', (t) => {
  const file = join(
    import.meta.dirname,
    '..',
    '..',
    '..',
    '..',
    '..',
    'shared',
    'data',
    'receipts',
    'message-id-pairs.jsonl',
  );
  if (!existsSync(file)) {
    t.diagnostic('the shared data are absent: only the pairs above were tried');
    return;
  }
  const rules: readonly IdRule[] = ['same', 'hex-answer', 'hex-receipt'];
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { submit_sm_resp_or_tlv: answer, receipt }: { submit_sm_resp_or_tlv: string; receipt: string } =
      JSON.parse(line);
    const fits = rules.filter(
      (rule) => carrierIdKey(answer, rule, 'answer') === carrierIdKey(receipt, rule, 'receipt'),
    );
    assert.ok(fits.length > 0, `${answer} and ${receipt} fit no rule`);
  }
});
