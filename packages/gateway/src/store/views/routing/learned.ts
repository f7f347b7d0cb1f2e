/* View of the facts that the gateway has learned about a carrier. */

import type { IdRule } from '../../../core/routing/carrier.ts';
import type { TextReceipts } from '../../../core/routing/carrier-profile.ts';
import type { KnownRule } from '../../../core/message/carrier-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Evidence } from '../../tables/learning.ts';
import { evidenceFrom, knownRuleFrom, profileFrom, ruleFrom } from '../../sqlite/row-readers.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/** What the gateway has learned about a carrier, and from which receipts. */
export interface LearnedView {
  readonly carrier: string;
  /** The operator's setting for the id rule; with `auto`, the learned rule applies. */
  readonly idRule: IdRule;
  readonly learnedRule: KnownRule | null;
  readonly learnedAt: Instant | null;
  /** The matched receipts from which the rule was learned. */
  readonly evidence: readonly Evidence[];
  /** The matched receipts for a new rule so far; it is learned after some more. */
  readonly run: readonly Evidence[];
  readonly dialect: readonly TraitView[];
  /** The operator's setting for receipts that are recognised only by their text. */
  readonly textReceipts: TextReceipts;
  readonly markedAt: Instant | null;
  readonly unmatched: UnmatchedCounts;
}

/** The short form of the learned facts, for `carrier show`. */
export interface LearnedSummary {
  readonly learnedRule: KnownRule | null;
  readonly unmatchedReceipts: number;
  readonly droppedReceipts: number;
}

/** A property of the form of a carrier's receipts, and how often it was seen. */
interface TraitView {
  readonly trait: string;
  readonly value: string;
  readonly seen: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** The id of the last receipt with this property. */
  readonly example: string;
}

interface UnmatchedCounts {
  readonly unknown: number;
  readonly undecided: number;
  readonly unreadable: number;
  /** Receipts that were deleted because the limit of unmatched receipts was reached. */
  readonly dropped: number;
  readonly droppedAt: Instant | null;
}

export function readLearned(queries: Queries, name: string): LearnedView | undefined {
  const row = queries.get(
    `select carrier.id, carrier.name, carrier.id_rule as rule, carrier.profile, learning.* from carrier
      left join learning on learning.carrier = carrier.id where carrier.name = ? and carrier.status <> 'removed'`,
    name,
  );
  if (!row) return undefined;
  const id = integer(row, 'id');
  const evidence = queries.all('select * from learning_evidence where carrier = ? order by counts_for, place', id);
  const idRule = ruleFrom(row, 'rule');
  return {
    carrier: text(row, 'name'),
    idRule,
    learnedRule: knownRuleFrom(row, 'id_rule'),
    learnedAt: integerOrNull(row, 'learned_at'),
    evidence: evidence.filter((each) => each['counts_for'] === 'rule').map(evidenceFrom),
    run: evidence.filter((each) => each['counts_for'] !== 'rule').map(evidenceFrom),
    dialect: queries.all('select * from dialect where carrier = ? order by trait, seen desc', id).map((each) => ({
      trait: text(each, 'trait'),
      value: text(each, 'value'),
      seen: integer(each, 'seen'),
      firstAt: integer(each, 'first_at'),
      lastAt: integer(each, 'last_at'),
      example: text(each, 'example'),
    })),
    textReceipts: profileFrom(row).textReceipts,
    markedAt: integerOrNull(row, 'marked_at'),
    unmatched: {
      ...countUnmatched(queries, id),
      dropped: integerOrNull(row, 'dropped') ?? 0,
      droppedAt: integerOrNull(row, 'dropped_at'),
    },
  };
}

export function readLearnedSummary(queries: Queries, carrier: number): LearnedSummary {
  const row = queries.get('select id_rule, dropped from learning where carrier = ?', carrier);
  const unmatched = queries.get('select count(*) as n from unmatched_receipt where carrier = ?', carrier);
  return {
    learnedRule: row ? knownRuleFrom(row, 'id_rule') : null,
    unmatchedReceipts: integer(unmatched ?? {}, 'n'),
    droppedReceipts: row ? integer(row, 'dropped') : 0,
  };
}

function countUnmatched(
  queries: Queries,
  carrier: number,
): Pick<UnmatchedCounts, 'unknown' | 'undecided' | 'unreadable'> {
  const counts = { unknown: 0, undecided: 0, unreadable: 0 };
  for (const row of queries.all(
    'select why, count(*) as n from unmatched_receipt where carrier = ? group by why',
    carrier,
  )) {
    const why = text(row, 'why');
    if (why === 'unknown' || why === 'undecided' || why === 'unreadable') counts[why] = integer(row, 'n');
  }
  return counts;
}
