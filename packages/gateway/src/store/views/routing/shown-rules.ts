/* The view of carriers whose unmatched receipts show how they write message ids. */

import { answerKeyOf, answerKeysOf, isLongKey, knownRules, type KnownRule } from '../../../core/message/carrier-id.ts';
import { namesNobody, namesReceiver } from '../../../core/message/receipt.ts';
import { shownAfter } from '../../../state/decide/routing/learning.ts';
import { messageId, nullable, text, word } from '../../../state/tables/column.ts';
import type { Evidence } from '../../../state/tables/learning.ts';
import { attemptTable, messageTable, partTable } from '../../../state/tables/message.ts';
import { unmatchedReceiptTable, type UnmatchedReceiptRow } from '../../../state/tables/receipt.ts';
import { carrierTable } from '../../../state/tables/route.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { beforeNewest, eachOf } from '../page.ts';
import type { Queries } from '../queries.ts';

/** How many of the newest unmatched receipts of a carrier are compared. */
const lookedMax = 100;
/** The most attempts that are compared with them. */
const answeredMax = 2_000;

const carrierShape = shape({ ...pick(carrierTable, 'id', 'name', 'idRule'), learned: nullable(word<KnownRule>()) });
const attemptShape = shape({
  ...pick(attemptTable, 'part', 'claimedAt'),
  ...pick(messageTable, 'sender', 'receiver'),
  message: messageId,
  carrierId: text,
  carrierIdKey: text,
  ...pick(partTable, 'carrierState'),
});
type Answered = ShapeOf<typeof attemptShape>;

type Pair = Omit<Evidence, 'rule'>;

export interface ShownRule {
  readonly carrier: ShapeOf<typeof carrierShape>;
  readonly rule: KnownRule;
  readonly pairs: readonly Pair[];
}

/** The rules that unmatched receipts show, for carriers on which another one is set. A rule that is stored comes again. */
export async function readShownRules(queries: Queries): Promise<readonly ShownRule[]> {
  const carriers = await queries.rows(
    carrierShape,
    `select carrier.id, carrier.name, carrier.id_rule, learning.learned from carrier
      left join learning on learning.carrier = carrier.id
      where status <> 'removed' order by carrier.id`,
  );
  return (await eachOf(carriers, (carrier) => shownBy(queries, carrier))).flatMap((shown) => shown ?? []);
}

/** By these bounds and this order, PostgreSQL uses the index whatever it has counted in the table. */
const newestUnknown = `where (carrier, why, id) < (?, 'unknown', ?) and (carrier, why, id) > (?, 'unknown', 0)
  order by carrier desc, why desc, id desc limit ${lookedMax}`;

async function shownBy(queries: Queries, carrier: ShownRule['carrier']): Promise<ShownRule | undefined> {
  const receipts = await queries.find(unmatchedReceiptTable, newestUnknown, carrier.id, beforeNewest, carrier.id);
  if (receipts.length < shownAfter) return undefined;
  const answered = await answeredWith(queries, carrier.id, receipts);
  // A carrier that repeats its ids so often shows no rule.
  if (answered.length === answeredMax) return undefined;
  const byKey = Map.groupBy(answered, ({ carrierIdKey }) => carrierIdKey);
  const byRule = new Map<KnownRule, Map<number, Pair>>();
  for (const receipt of receipts) {
    const fitting = knownRules.flatMap((rule) => {
      const named = byKey.get(answerKeyOf(receipt.carrierIdKey, rule) ?? '') ?? [];
      const attempts = named.filter((attempt) => mayBelongTo(receipt, attempt));
      return attempts.length > 0 ? [{ rule, attempts }] : [];
    });
    const [only] = fitting;
    if (!only || fitting.length > 1) continue;
    const { rule, attempts } = only;
    const pairs = byRule.get(rule) ?? new Map<number, Pair>();
    byRule.set(rule, pairs);
    // A part that has had a receipt waits for none, so this id may fit by chance.
    const open = attempts.find(({ carrierState }) => carrierState === null);
    if (!open) continue;
    const { message, part, carrierId: answerId } = open;
    pairs.set(message, { message, part, answerId, receiptId: receipt.carrierId, at: receipt.receivedAt });
  }
  const [shown] = byRule;
  // Receipts that fit different rules contradict each other.
  if (!shown || byRule.size > 1 || shown[1].size < shownAfter) return undefined;
  const [rule, pairs] = shown;
  return rule === carrier.idRule ? undefined : { carrier, rule, pairs: [...pairs.values()] };
}

/** The attempts whose answers have the ids of receipts by any rule. */
async function answeredWith(
  queries: Queries,
  carrier: number,
  receipts: readonly UnmatchedReceiptRow[],
): Promise<readonly Answered[]> {
  const keys = [...new Set(receipts.flatMap(({ carrierIdKey }) => answerKeysOf(carrierIdKey)))].filter(Boolean);
  // One statement for any number of keys.
  const given = Array.from({ length: lookedMax * knownRules.length }, (_, at) => keys[at] ?? '');
  return queries.rows(
    attemptShape,
    `select attempt.message, attempt.part, claimed_at, carrier_id, carrier_id_key, sender, receiver, carrier_state
      from attempt join message on message.id = attempt.message
      join part on part.message = attempt.message and part.number = attempt.part
      where attempt.carrier = ? and outcome = 'accepted' and carrier_id_key in (${given.map(() => '?').join(', ')})
      limit ${answeredMax}`,
    carrier,
    ...given,
  );
}

function mayBelongTo(receipt: UnmatchedReceiptRow, attempt: Answered): boolean {
  if (attempt.claimedAt > receipt.receivedAt) return false;
  if (namesReceiver(attempt, receipt)) return true;
  return !receipt.isText && isLongKey(receipt.carrierIdKey) && namesNobody(attempt, receipt);
}
