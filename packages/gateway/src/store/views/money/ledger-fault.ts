import type { Values } from '@morsel/api/admin/field.ts';
import type { faultFields } from '@morsel/api/admin/money/ledger.ts';
import { integer } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/** What is wrong, and where: amounts in whole units, ids as text. */
export type LedgerFault = Values<typeof faultFields>;

/** What a stage found in its rows behind an id; `last` is null when there are no more. */
export interface StageChunk {
  readonly faults: readonly LedgerFault[];
  readonly looked: number;
  readonly last: number | null;
  readonly percent: number;
}

/** A fault without a place, to be completed. */
export const nowhere = { account: null, entry: null, message: null, part: null } as const;

/** How many per cent of a table's ids are up to this one: ids are given in order. */
export function placeInPercent(queries: Queries, table: 'account' | 'entry' | 'message', id: number): number {
  const row =
    queries.get(`select (select min(id) from ${table}) as first, (select max(id) from ${table}) as last`) ?? {};
  const first = integer(row, 'first');
  const last = integer(row, 'last');
  return last <= first ? 100 : Math.floor((100 * (id - first)) / (last - first));
}

/** Reports a fault of one entry. */
export type SayOfEntry = (
  fault: Pick<LedgerFault, 'promise' | 'fault'> & Partial<LedgerFault>,
  values: readonly [expected: string, found: string],
) => void;
