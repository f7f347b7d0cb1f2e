import type { Values } from '@morsel/api/admin/field.ts';
import type { faultFields } from '@morsel/api/admin/money/ledger.ts';
import { integer } from '../../tables/column.ts';
import { shape } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';

/** A fault that the ledger check found, and its place. Amounts are in whole units of the currency, and ids are text. */
export type LedgerFault = Values<typeof faultFields>;

/** The result of one chunk of a check. `last` is the last checked id; null if no rows are left. */
export interface StageChunk {
  readonly faults: readonly LedgerFault[];
  readonly looked: number;
  readonly last: number | null;
  readonly percent: number;
}

/** An unknown place of a fault. Callers override the members that they know. */
export const nowhere = { account: null, entry: null, message: null, part: null } as const;

const idsShape = shape({ first: integer, last: integer });

/** How far an id is in its table, in per cent, for the progress of the check. */
export function placeInPercent(queries: Queries, table: 'account' | 'entry' | 'message', id: number): number {
  const { first, last } = queries.row(
    idsShape,
    `select (select min(id) from ${table}) as first, (select max(id) from ${table}) as last`,
  ) ?? { first: 0, last: 0 };
  return last <= first ? 100 : Math.floor((100 * (id - first)) / (last - first));
}

/** Reports a fault of one entry. */
export type SayOfEntry = (
  fault: Pick<LedgerFault, 'promise' | 'fault'> & Partial<LedgerFault>,
  values: readonly [expected: string, found: string],
) => void;
