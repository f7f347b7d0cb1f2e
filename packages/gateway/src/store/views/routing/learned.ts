/* The view of the facts that a carrier's receipts have shown. */

import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { KnownRule } from '../../../core/message/carrier-id.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import { noCarrier } from '../../../core/named.ts';
import { ok } from '@morsel/api/values/result.ts';
import { integer } from '../../../state/tables/column.ts';
import {
  dialectTable,
  evidenceShape,
  learningTable,
  newLearning,
  type LearningRow,
} from '../../../state/tables/learning.ts';
import { unmatchedReceiptTable } from '../../../state/tables/receipt.ts';
import { carrierTable } from '../../../state/tables/route.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

const carrierShape = shape(pick(carrierTable, 'id', 'idRule', 'settings'));
const unmatchedShape = shape({ ...pick(unmatchedReceiptTable, 'why'), receipts: integer });

/** A property of a carrier's receipts, and how often it was seen. */
const { carrier: _carrier, ...traitMembers } = dialectTable.members;
const traitShape = shape(traitMembers);

/** The learned facts in short, for `carrier show`. */
export interface LearnedSummary {
  readonly learnedRule: KnownRule | null;
  readonly unmatchedReceipts: number;
  readonly droppedReceipts: number;
}

export const learnedOfCarrier: View<'carrier.learned'> = async (queries, { carrier: name }) => {
  const found = await queries.row(
    carrierShape,
    "select id, id_rule, settings from carrier where name = ? and status <> 'removed'",
    name,
  );
  if (!found) return noCarrier(name);
  const { id, idRule, settings } = found;
  const learning = await learningOf(queries, id);
  const dialect = await queries.rows(
    traitShape,
    'select * from dialect where carrier = ? order by trait, seen desc, value',
    id,
  );
  const marks = dialect.filter(({ trait, value }) => trait === 'markedBy' && value !== 'text');
  const [firstMark] = marks.toSorted((one, other) => one.firstAt - other.firstAt);
  const evidence = await queries.rows(
    evidenceShape,
    'select * from learning_evidence where carrier = ? order by place',
    id,
  );
  return ok({
    carrier: name,
    idRule,
    learnedRule: learning.learned,
    learnedAt: learning.learnedAt,
    evidence: evidence.map((pair) => ({ ...pair, msgId: String(pair.message) })),
    run: [],
    dialect,
    textReceipts: kindOf(settings).textReceipts(settings),
    markedAt: firstMark?.firstAt ?? null,
    unmatched: { ...(await countUnmatched(queries, id)), dropped: learning.dropped, droppedAt: learning.droppedAt },
  });
};

export async function readLearnedSummary(queries: Queries, carrier: number): Promise<LearnedSummary> {
  const { learned, dropped } = await learningOf(queries, carrier);
  const unmatched = await queries.value(integer, 'select count(*) from unmatched_receipt where carrier = ?', carrier);
  return { learnedRule: learned, unmatchedReceipts: unmatched ?? 0, droppedReceipts: dropped };
}

async function learningOf(queries: Queries, carrier: number): Promise<Omit<LearningRow, 'change'>> {
  return (await queries.first(learningTable, 'where carrier = ?', carrier)) ?? newLearning(carrier);
}

async function countUnmatched(queries: Queries, carrier: number): Promise<Record<UnmatchedWhy, number>> {
  const counts = { unknown: 0, unreadable: 0 };
  const sql = 'select why, count(*) as receipts from unmatched_receipt where carrier = ? group by why';
  for (const { why, receipts } of await queries.rows(unmatchedShape, sql, carrier)) counts[why] = receipts;
  return counts;
}
