/* Finds carriers whose unmatched receipts show how they write message ids. */

import { answerKeyOf, answerKeysOf, isLongKey, knownRules, type KnownRule } from '../../../core/message/carrier-id.ts';
import { namesNobody, namesReceiver } from '../../../core/message/receipt.ts';
import { shownAfter } from '../../../state/decide/routing/learning.ts';
import { messageId, nullable, text, word } from '../../../state/tables/column.ts';
import type { Evidence } from '../../../state/tables/learning.ts';
import { attemptTable, messageTable } from '../../../state/tables/message.ts';
import { unmatchedReceiptTable, type UnmatchedReceiptRow } from '../../../state/tables/receipt.ts';
import { carrierTable } from '../../../state/tables/route.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { eachOf } from '../page.ts';
import type { Queries } from '../queries.ts';

/** The newest unmatched receipts of a carrier that are looked at. */
const lookedMax = 100;

const carrierShape = shape({ ...pick(carrierTable, 'id', 'name', 'idRule'), learned: nullable(word<KnownRule>()) });
const attemptShape = shape({
  ...pick(attemptTable, 'part', 'claimedAt'),
  ...pick(messageTable, 'sender', 'receiver'),
  message: messageId,
  carrierId: text,
  carrierIdKey: text,
});
type Answered = ShapeOf<typeof attemptShape>;

type Pair = Omit<Evidence, 'rule'>;

export interface ShownRule {
  readonly carrier: ShapeOf<typeof carrierShape>;
  readonly rule: KnownRule;
  readonly pairs: readonly Pair[];
}

/** The rules other than those in force. A rule that is already stored comes again. */
export async function readShownRules(queries: Queries): Promise<readonly ShownRule[]> {
  const carriers = await queries.rows(
    carrierShape,
    `select carrier.id, carrier.name, carrier.id_rule, learning.learned from carrier
      left join learning on learning.carrier = carrier.id
      where status <> 'removed' and exists (select 1 from unmatched_receipt
        where unmatched_receipt.carrier = carrier.id and why = 'unknown' limit 1 offset ${shownAfter - 1})
      order by carrier.id`,
  );
  return (await eachOf(carriers, (carrier) => shownBy(queries, carrier))).flatMap((shown) => shown ?? []);
}

async function shownBy(queries: Queries, carrier: ShownRule['carrier']): Promise<ShownRule | undefined> {
  const { id, idRule } = carrier;
  const newest = "where carrier = ? and why = 'unknown' order by id desc limit ?";
  const receipts = await queries.find(unmatchedReceiptTable, newest, id, lookedMax);
  const keys = [...new Set(receipts.flatMap(({ carrierIdKey }) => answerKeysOf(carrierIdKey)))];
  // A part that has had a receipt waits for none: an id that fits it by another rule fits by chance.
  const answered = await queries.rows(
    attemptShape,
    `select attempt.message, attempt.part, claimed_at, carrier_id, carrier_id_key, sender, receiver
      from attempt join message on message.id = attempt.message
      join part on part.message = attempt.message and part.number = attempt.part
      where attempt.carrier = ? and outcome = 'accepted' and carrier_state is null
        and carrier_id_key in (${keys.map(() => '?').join(', ')})`,
    id,
    ...keys,
  );
  const byRule = new Map<KnownRule, Map<number, Pair>>();
  for (const receipt of receipts) {
    const fitting = knownRules.flatMap((rule) => {
      const attempt = answered.find((each) => fits(receipt, each, rule));
      return attempt ? [{ rule, attempt }] : [];
    });
    const [only] = fitting;
    if (!only || fitting.length > 1) continue;
    const { rule, attempt } = only;
    const { message, part, carrierId: answerId } = attempt;
    const pair = { message, part, answerId, receiptId: receipt.carrierId, at: receipt.receivedAt };
    byRule.set(rule, (byRule.get(rule) ?? new Map<number, Pair>()).set(message, pair));
  }
  const [shown] = byRule;
  // Receipts that fit different rules contradict each other.
  if (!shown || byRule.size > 1 || shown[1].size < shownAfter) return undefined;
  const [rule, pairs] = shown;
  return rule === (idRule === 'auto' ? 'same' : idRule) ? undefined : { carrier, rule, pairs: [...pairs.values()] };
}

function fits(receipt: UnmatchedReceiptRow, attempt: Answered, rule: KnownRule): boolean {
  const { carrierIdKey: key, receivedAt, isText } = receipt;
  if (key === '' || answerKeyOf(key, rule) !== attempt.carrierIdKey || attempt.claimedAt > receivedAt) return false;
  return namesReceiver(attempt, receipt) || (!isText && isLongKey(key) && namesNobody(attempt, receipt));
}
