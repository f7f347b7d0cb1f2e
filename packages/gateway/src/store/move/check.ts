/* Checks a move: all rows of both databases are the same, and the ledger of the target has no faults. */

import { createHash } from 'node:crypto';
import { checkStart } from '@morsel/api/values/money.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { integer, micros, text } from '../../state/tables/column.ts';
import { shape } from '../../state/tables/table.ts';
import { checkLedger } from '../views/money/ledger-check.ts';
import { movedTables, rowsAfter, lineOf, type MovedRow, type MovedTable, type Side } from './side.ts';

export interface MoveStep {
  readonly step: 'copy' | 'check' | 'ledger';
  readonly table: string;
  /** Progress: rows of all tables, or per cent of the ledger check. */
  readonly done: number;
  readonly all: number;
}

export interface Moving {
  readonly source: Side;
  readonly target: Side;
  readonly progress: (step: MoveStep) => void;
}

/** The contents of both databases after the check. */
export interface Checked {
  /** SHA-256 of all rows of all tables, in the order of their keys. */
  readonly digest: string;
  /** The number of message parts in each state. */
  readonly parts: { readonly [state: string]: number };
  /** The sum of all balances by currency, in micros. */
  readonly balances: { readonly [currency: string]: string };
  readonly ledgerFaults: number;
}

const partsShape = shape({ state: text, parts: integer });
const balancesShape = shape({ currency: text, balance: micros });

/** Throws `StoreRefused` at the first difference. Counts are made in the target, because both have the same rows. */
export async function checkMove(moving: Moving, all: number): Promise<Checked> {
  const digest = await compareRows(moving, all);
  const { queries } = moving.target;
  const parts = await queries.rows(partsShape, 'select state, count(*) as parts from part group by state');
  const sums = await queries.rows(
    balancesShape,
    'select currency, sum(balance) as balance from account group by currency',
  );
  return {
    digest,
    parts: Object.fromEntries(parts.map((each) => [each.state, each.parts])),
    balances: Object.fromEntries(sums.map(({ currency, balance }) => [currency, String(balance)])),
    ledgerFaults: await countLedgerFaults(moving),
  };
}

/** Compares all rows. Returns their digest. */
async function compareRows({ source, target, progress }: Moving, all: number): Promise<string> {
  const digest = createHash('sha256');
  let done = 0;
  // The rows of nodes come last, so a gateway that was started meanwhile, which changes them, is found.
  for (const table of movedTables.toReversed()) {
    digest.update(`${table.name}\n`);
    for (let last: MovedRow | undefined, isMore = true; isMore;) {
      const [ours, theirs]: (readonly MovedRow[])[] = await Promise.all(
        [source, target].map((side) => rowsAfter(side, table, last)),
      );
      for (const line of sameRows(table, ours ?? [], theirs ?? [], target.place)) digest.update(`${line}\n`);
      done += ours?.length ?? 0;
      last = ours?.at(-1);
      isMore = last !== undefined;
      progress({ step: 'check', table: table.name, done, all });
    }
  }
  return digest.digest('hex');
}

function sameRows(
  table: MovedTable,
  ...[ours, theirs, place]: readonly [readonly MovedRow[], readonly MovedRow[], string]
): readonly string[] {
  const texts = theirs.map((row) => lineOf(table, row));
  const lines = ours.map((row) => lineOf(table, row));
  const at = lines.findIndex((line, index) => line !== texts[index]);
  const row = at === -1 ? theirs[ours.length] : ours[at];
  if (!row) return lines;
  // The key is not shown if it has texts, because these may be phone numbers.
  const isShown = table.key.columns().every(([, { type }]) => type === 'integer');
  const key = isShown ? ` ${table.key.names.join(', ')} = ${table.key.write(row).join(', ')}` : '';
  throw new StoreRefused(
    `the row${key} of the table ${table.name} is not the same in ${place} as in the source. The source is as it was: start the gateway on it, or empty the target and move again`,
  );
}

async function countLedgerFaults({ target, progress }: Moving): Promise<number> {
  let faults = 0;
  for (let after: string | null = checkStart; after !== null;) {
    const from: string = after;
    const chunk = await target.queries.snapshot((queries) => checkLedger(queries, { account: undefined, after: from }));
    if (!chunk) throw new Error('the check of the ledger has no answer');
    faults += chunk.faults.length;
    progress({ step: 'ledger', table: chunk.stage, done: chunk.percent, all: 100 });
    after = chunk.next;
  }
  return faults;
}
