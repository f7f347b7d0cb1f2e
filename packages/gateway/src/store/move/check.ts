/* Compares the two databases of a move: all rows, totals of the ledger and of the messages, and the check of the ledger. */

import { createHash } from 'node:crypto';
import { checkStart } from '@morsel/api/values/money.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { allTables } from '../../state/tables/all.ts';
import { checkLedger, type CheckChunk } from '../views/money/ledger-check.ts';
import { chunkRows, keyOf, writerOfRows, type AnyTable, type Side, type StoredRow } from './side.ts';

export interface MoveStep {
  readonly step: 'copy' | 'check' | 'ledger';
  readonly table: string;
  /** Rows of all tables; percents of the ledger. */
  readonly done: number;
  readonly all: number;
}

export interface Moving {
  readonly source: Side;
  readonly target: Side;
  readonly engines: { readonly source: 'sqlite' | 'postgres'; readonly target: 'sqlite' | 'postgres' };
  readonly progress: (step: MoveStep) => void;
}

/** What both databases have. */
export interface Checked {
  /** SHA-256 of all rows of all tables, in the order of their keys. */
  readonly digest: string;
  /** The parts of messages, by their state. */
  readonly parts: { readonly [state: string]: number };
  /** The sum of all balances by currency, in micros. */
  readonly balances: { readonly [currency: string]: string };
  readonly ledgerFaults: number;
}

/** Throws `StoreRefused` at the first difference. */
export async function checkMove(moving: Moving, all: number): Promise<Checked> {
  const digest = await compareRows(moving, all);
  await compare(moving, 'the counts and sums of entries', entriesByAccount);
  await compare(moving, 'the open messages', openMessages);
  const balances = await compare(moving, 'the sums of balances', balancesByCurrency);
  const parts = await compare(moving, 'the states of parts', partsByState);
  return {
    digest,
    parts: Object.fromEntries(parts.map(([state, count]) => [String(state), Number(count)])),
    balances: Object.fromEntries(balances.map(([currency, sum]) => [String(currency), String(sum)])),
    ledgerFaults: await compareLedgers(moving),
  };
}

const entriesByAccount = 'select account, count(*), sum(amount) from entry group by account order by account';
const balancesByCurrency = 'select currency, sum(balance) from account group by currency order by currency';
const partsByState = 'select state, count(*) from part group by state order by state';
/** The waiting ones, those with a deadline, and those that a link has claimed. */
const openMessages = `select (select count(*) from queue), (select count(*) from scheduled),
  (select count(*) from part where deadline is not null), (select count(*) from part where claim_link is not null)`;

/** Compares all rows. Returns their digest. */
async function compareRows(moving: Moving, all: number): Promise<string> {
  const digest = createHash('sha256');
  let done = 0;
  // The rows of nodes come last: a gateway that has started meanwhile has changed them.
  for (const table of allTables.toReversed()) {
    digest.update(`${table.name}\n`);
    for (let last: StoredRow | null = null, isMore = true; isMore;) {
      const rows: readonly StoredRow[] = await compareChunk(moving, table, {
        after: last,
        add: (text) => digest.update(`${text}\n`),
      });
      done += rows.length;
      last = rows.at(-1) ?? null;
      isMore = rows.length === chunkRows;
      moving.progress({ step: 'check', table: table.name, done, all });
    }
  }
  return digest.digest('hex');
}

/** Compares rows from one key on. Returns them. */
async function compareChunk(
  { source, target }: Moving,
  table: AnyTable,
  { after, add }: { readonly after: StoredRow | null; readonly add: (text: string) => void },
): Promise<readonly StoredRow[]> {
  const toText = writerOfRows(table);
  const [ours, theirs] = await Promise.all([
    source.rows(table, after, chunkRows),
    target.rows(table, after, chunkRows),
  ]);
  for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
    const [row, copy] = [ours[at], theirs[at]];
    const text = row && toText(row);
    if (text === undefined || !copy || toText(copy) !== text) throw differs(rowOf(table, row ?? copy), target.place);
    add(text);
  }
  return ours;
}

/** The row as an operator finds it. Keys with texts may be phone numbers. */
function rowOf(table: AnyTable, row: StoredRow | undefined): string {
  const isShown = table.key.columns().every(([, { type }]) => type === 'integer');
  const key = row && isShown ? ` ${table.key.names.join(', ')} = ${keyOf(table, row).join(', ')}` : '';
  return `the row${key} of the table ${table.name}`;
}

function differs(what: string, place: string): StoreRefused {
  return new StoreRefused(
    `${what} is not the same in ${place} as in the source. The source is as it was: start the gateway on it, or empty the target and move again`,
  );
}

async function compare({ source, target }: Moving, what: string, sql: string): Promise<readonly StoredRow[]> {
  const [ours, theirs] = await Promise.all([source.ask(sql), target.ask(sql)]);
  if (ours.join(';') !== theirs.join(';')) throw differs(`one of ${what}`, target.place);
  return ours;
}

/** Checks both ledgers. Returns the number of faults, which both have. */
async function compareLedgers({ source, target, progress }: Moving): Promise<number> {
  let faults = 0;
  for (let after: string | null = checkStart; after !== null;) {
    const [ours, theirs]: readonly CheckChunk[] = await Promise.all([ledgerOf(source, after), ledgerOf(target, after)]);
    if (!ours || !theirs) break;
    if (comparable(ours) !== comparable(theirs)) throw differs(`the check of the ledger (${ours.stage})`, target.place);
    faults += ours.faults.length;
    progress({ step: 'ledger', table: ours.stage, done: ours.percent, all: 100 });
    after = ours.next;
  }
  return faults;
}

async function ledgerOf(side: Side, after: string): Promise<CheckChunk> {
  const chunk = await side.snapshot((queries) => checkLedger(queries, { account: undefined, after }));
  if (!chunk) throw new Error('the check of the ledger has no answer');
  return chunk;
}

/** What is the same in both engines: each has its own number of guards, and its own estimate of the percentage. */
function comparable({ stage, looked, faults, next }: CheckChunk): string {
  return JSON.stringify({ stage, looked: stage === 'guards' ? null : looked, faults, next });
}
