import type { ledger } from '@morsel/api/admin/money/ledger.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { checkStages } from '@morsel/api/values/money.ts';
import type { CheckStage } from '@morsel/api/values/money.ts';
import { formatMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { micros, integer, text } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { checkEntries } from './ledger-check-entries.ts';
import { checkMessages } from './ledger-check-messages.ts';
import { nowhere, placeInPercent } from './ledger-fault.ts';
import type { LedgerFault, StageChunk } from './ledger-fault.ts';
import type { Queries } from '../queries.ts';

/*
 * Checks M1 to M4 on the stored rows, one chunk at a time. Each chunk is one short transaction. So a ledger of any size
 * can be checked without delaying messages.
 */

type Operation = typeof ledger.operations.check;
export type CheckChunk = AnswerOf<Operation>;

/** Checks one chunk of the ledger. Returns undefined if the account does not exist. */
export function checkLedger(queries: Queries, { account: name, after }: InputOf<Operation>): CheckChunk | undefined {
  const account = name === undefined ? null : accountNamed(queries, name);
  if (account === undefined) return undefined;
  const [word, id] = after.split('/');
  const stage = checkStages.find((each) => each === word) ?? 'guards';
  const { last, ...chunk } = stageOf[stage](queries, Number(id), account);
  const following = checkStages[checkStages.indexOf(stage) + 1];
  const next = last !== null ? `${stage}/${last}` : following === undefined ? null : `${following}/0`;
  return { stage, ...chunk, next };
}

type Stage = (queries: Queries, after: number, account: number | null) => StageChunk;

const stageOf: { readonly [S in CheckStage]: Stage } = {
  guards: checkGuards,
  accounts: checkAccounts,
  entries: checkEntries,
  messages: checkMessages,
};

function accountNamed(queries: Queries, name: string): number | undefined {
  const row = queries.get('select id from account where name = ?', name);
  return row && integer(row, 'id');
}

/** The triggers that prevent changes of ledger entries, as the migration made them. */
const guards = [
  { event: 'update', trigger: 'entry_is_never_changed' },
  { event: 'delete', trigger: 'entry_is_never_removed' },
] as const;

function checkGuards(queries: Queries): StageChunk {
  const faults = guards.flatMap(({ event, trigger }): LedgerFault[] => {
    const made = new RegExp(
      `^create trigger ${trigger} before ${event} on entry\\s+begin\\s+select raise\\(abort, '[^']*'\\);\\s+end$`,
      'i',
    );
    const row = queries.get("select sql from sqlite_schema where type = 'trigger' and name = ?", trigger);
    if (row && made.test(text(row, 'sql'))) return [];
    const found = row ? 'another trigger of that name' : 'none';
    const fault = `the trigger that prevents the ${event} of an entry is missing or was changed`;
    return [{ ...nowhere, promise: 'M4', fault, expected: `trigger ${trigger}`, found }];
  });
  return { faults, looked: guards.length, last: null, percent: 100 };
}

/** The most accounts that one chunk checks. */
const accountsMax = 500;

function checkAccounts(queries: Queries, after: number, account: number | null): StageChunk {
  const rows = queries.all(
    'select id, name, balance, credit_limit from account where id > ? and (? is null or id = ?) order by id limit ?',
    after,
    account,
    account,
    accountsMax,
  );
  const last = rows.length < accountsMax ? null : integer(rows.at(-1) ?? {}, 'id');
  const percent = last === null ? 100 : placeInPercent(queries, 'account', last);
  return { faults: rows.flatMap((row) => accountFaults(queries, row)), looked: rows.length, last, percent };
}

function accountFaults(queries: Queries, row: Record): LedgerFault[] {
  const id = integer(row, 'id');
  const name = text(row, 'name');
  const balance = micros(row, 'balance');
  const newest = queries.get('select id, balance_after from entry where account = ? order by id desc limit 1', id);
  const sum = newest ? micros(newest, 'balance_after') : zeroMicros;
  const faults: LedgerFault[] = [];
  if (balance !== sum) {
    faults.push({
      ...nowhere,
      promise: 'M1',
      account: name,
      entry: newest ? String(integer(newest, 'id')) : null,
      fault: 'the balance of the account is not the sum of its entries',
      expected: formatMicros(sum),
      found: formatMicros(balance),
    });
  }
  const now = micros(row, 'credit_limit');
  const limits = queries.all(
    'select after_entry, credit_limit from account_limit where account = ? order by after_entry',
    id,
  );
  const newestLimit = limits.at(-1);
  if (!newestLimit || micros(newestLimit, 'credit_limit') !== now) {
    faults.push({
      ...nowhere,
      promise: 'M2',
      account: name,
      fault: 'the credit limit of the account is not the last stored limit',
      expected: newestLimit ? formatMicros(micros(newestLimit, 'credit_limit')) : 'a stored limit',
      found: formatMicros(now),
    });
  }
  const floor = toMicros(-now);
  const crossing = sum < floor ? crossingOf(queries, id, floor) : undefined;
  // A forced adjustment may go below the limit. Entries after the first stored limit are checked in
  // ledger-check-entries.ts.
  const isOlder = crossing && limits[0] && integer(crossing, 'id') <= integer(limits[0], 'after_entry');
  if (isOlder && text(crossing, 'kind') !== 'adjustment') {
    faults.push({
      ...nowhere,
      promise: 'M2',
      account: name,
      entry: String(integer(crossing, 'id')),
      fault: `a ${text(crossing, 'kind')} took the balance below its limit`,
      expected: `${formatMicros(floor)} or more`,
      found: formatMicros(micros(crossing, 'balance_after')),
    });
  }
  return faults;
}

/** Finds the entry with which the balance fell below its limit, if the balance is still below. */
function crossingOf(queries: Queries, account: number, floor: bigint): Record | undefined {
  const above = queries.get(
    'select id from entry where account = ? and balance_after >= ? order by id desc limit 1',
    account,
    floor,
  );
  return queries.get(
    'select id, kind, balance_after from entry where account = ? and id > ? order by id limit 1',
    account,
    above ? integer(above, 'id') : 0,
  );
}
