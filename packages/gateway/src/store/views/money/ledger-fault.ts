import type { Values } from '@morsel/api/fields/field.ts';
import type { faultFields } from '@morsel/api/admin/money/ledger.ts';
import { integer } from '../../../state/tables/column.ts';
import type { Queries } from '../queries.ts';

/** Amounts are in whole units of the currency, and ids are text. */
export type LedgerFault = Values<typeof faultFields>;

/** `last` is the id of the last checked row; null if no rows are left. */
export interface StageChunk {
  readonly faults: readonly LedgerFault[];
  readonly looked: number;
  readonly last: number | null;
  readonly percent: number;
}

const nowhere = { account: null, entry: null, message: null, part: null } as const;

/** The place of an id in its table, in per cent. */
export async function placeInPercent(
  queries: Queries,
  table: 'account' | 'entry' | 'message',
  id: number,
): Promise<number> {
  const first = (await queries.value(integer, `select min(id) from ${table}`)) ?? 0;
  const last = (await queries.value(integer, `select max(id) from ${table}`)) ?? 0;
  return last <= first ? 100 : Math.floor((100 * (id - first)) / (last - first));
}

/** Reports a fault of the ledger. It breaks the promise M3 unless it names another one. */
export type Say = (
  fault: Pick<LedgerFault, 'fault'> & Partial<LedgerFault>,
  values: readonly [expected: string, found: string],
) => void;

/** Makes a `Say`. `at` has the known members of the fault's place. */
export function sayOf(faults: LedgerFault[], at: Partial<LedgerFault>): Say {
  return (fault, [expected, found]) => faults.push({ promise: 'M3', ...nowhere, ...at, expected, found, ...fault });
}
