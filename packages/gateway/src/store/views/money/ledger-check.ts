import { eachOf } from '../page.ts';
import type { ledger } from '@morsel/api/admin/money/ledger.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { checkStages, formatMicros, toMicros, zeroMicros, type CheckStage } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { noAccount } from '../../../core/named.ts';
import type { View } from '../view.ts';
import { accountLimitTable, accountTable, type AccountRow } from '../../../state/tables/account.ts';
import { integer } from '../../../state/tables/column.ts';
import { entryTable, type EntryRow } from '../../../state/tables/ledger.ts';
import { checkEntries } from './ledger-check-entries.ts';
import { checkMessages } from './ledger-check-messages.ts';
import { placeInPercent, sayOf, type LedgerFault, type StageChunk } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

/*
 * Checks M1 to M4 in chunks. Each chunk is one short transaction, so a ledger of any size can be checked without
 * delaying messages.
 */

type Operation = typeof ledger.operations.check;
export type CheckChunk = AnswerOf<Operation>;

/** Checks one chunk. Undefined if the account does not exist. */
export async function checkLedger(
  queries: Queries,
  { account: name, after }: InputOf<Operation>,
): Promise<CheckChunk | undefined> {
  const ofName = 'select id from account where name = ?';
  const account = name === undefined ? null : await queries.value(integer, ofName, name);
  if (account === undefined) return undefined;
  const [word, id] = after.split('/');
  const stage = checkStages.find((each) => each === word) ?? 'guards';
  const { last, ...chunk } = await stageOf[stage](queries, Number(id), account);
  const following = checkStages[checkStages.indexOf(stage) + 1];
  const next = last !== null ? `${stage}/${last}` : following === undefined ? null : `${following}/0`;
  return { stage, ...chunk, next };
}

const check: View<'ledger.check'> = async (queries, input) => {
  const chunk = await checkLedger(queries, input);
  return chunk ? ok(chunk) : noAccount(input.account ?? '');
};

export const ledgerViews = { 'ledger.check': check };

type Stage = (queries: Queries, after: number, account: number | null) => Promise<StageChunk>;

const stageOf: { readonly [S in CheckStage]: Stage } = {
  guards: checkGuards,
  accounts: checkAccounts,
  entries: checkEntries,
  messages: checkMessages,
};

async function checkGuards(queries: Queries): Promise<StageChunk> {
  const faults: LedgerFault[] = [];
  const say = sayOf(faults, { promise: 'M4' });
  const guards = await queries.entryGuards();
  for (const { event, trigger, found } of guards) {
    if (found === 'whole') continue;
    const fault = `the trigger that prevents the ${event} of an entry is missing or was changed`;
    say({ fault }, [`trigger ${trigger}`, found === 'missing' ? 'none' : 'another trigger of that name']);
  }
  return { faults, looked: guards.length, last: null, percent: 100 };
}

const accountsMax = 500;

async function checkAccounts(queries: Queries, after: number, account: number | null): Promise<StageChunk> {
  const where = new Where('id > ?', after).given('id = ?', account);
  const rows = await queries.find(accountTable, `${where.sql} order by id limit ?`, ...where.values, accountsMax);
  const last = rows.length < accountsMax ? null : (rows.at(-1)?.id ?? null);
  const percent = last === null ? 100 : await placeInPercent(queries, 'account', last);
  return {
    faults: (await eachOf(rows, (row) => accountFaults(queries, row))).flat(),
    looked: rows.length,
    last,
    percent,
  };
}

async function accountFaults(
  queries: Queries,
  { id, name: account, balance, creditLimit }: AccountRow,
): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  const say = sayOf(faults, { account });
  const newest = await queries.first(entryTable, 'where account = ? order by id desc limit 1', id);
  const sum = newest?.balanceAfter ?? zeroMicros;
  if (balance !== sum) {
    const fault = 'the balance of the account is not the sum of its entries';
    const entry = newest ? String(newest.id) : null;
    say({ promise: 'M1', entry, fault }, [formatMicros(sum), formatMicros(balance)]);
  }
  const limits = await queries.find(accountLimitTable, 'where account = ? order by after_entry', id);
  const limit = limits.at(-1)?.creditLimit;
  if (limit !== creditLimit) {
    const fault = 'the credit limit of the account is not the last stored limit';
    const expected = limit === undefined ? 'a stored limit' : formatMicros(limit);
    say({ promise: 'M2', fault }, [expected, formatMicros(creditLimit)]);
  }
  const floor = toMicros(-creditLimit);
  const crossing = sum < floor ? await crossingOf(queries, id, floor) : undefined;
  // A forced adjustment may go below the limit. Entries after the first stored limit are checked in
  // ledger-check-entries.ts.
  const isOlder = crossing && limits[0] && crossing.id <= limits[0].afterEntry;
  if (isOlder && crossing.kind !== 'adjustment') {
    const fault = `a ${crossing.kind} took the balance below its limit`;
    const values = [`${formatMicros(floor)} or more`, formatMicros(crossing.balanceAfter)] as const;
    say({ promise: 'M2', entry: String(crossing.id), fault }, values);
  }
  return faults;
}

/** The entry that took the balance below the floor. Undefined if the balance is not below it now. */
async function crossingOf(queries: Queries, account: number, floor: bigint): Promise<EntryRow | undefined> {
  const above = 'where account = ? and balance_after >= ? order by id desc limit 1';
  const last = (await queries.first(entryTable, above, account, floor))?.id ?? 0;
  return queries.first(entryTable, 'where account = ? and id > ? order by id limit 1', account, last);
}
