import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { readJson } from '@morsel/api/admin/exact-json.ts';
import { StoreRefused } from '@morsel/gateway/store/sqlite/database.ts';
import { checkPages, readStopped } from '@morsel/gateway/store/stopped.ts';
import { checkStages } from '@morsel/api/values/money.ts';
import type { CheckInput } from '@morsel/gateway/store/views/money/ledger-check.ts';
import { readConfig } from '@morsel/gateway/config.ts';
import { usage } from '../command.ts';
import { call } from '../admin-client.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { column, numberColumn, table, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/** Faults that are kept to be shown; the others are counted. */
const shownMax = 1_000;

export const ledgerCommands: readonly Command[] = [
  {
    words: 'ledger check',
    summary: 'Check every balance, entry, charge and refund, while the gateway runs or on a stopped one',
    options: [
      { flags: '--account <name>', summary: 'of this account only' },
      { flags: '--data-dir <folder>', summary: 'of a gateway that does not run, in this folder' },
      {
        flags: '--deep',
        summary:
          'compare every page and index of the database file first (reads the file itself, also beside a running gateway)',
      },
    ],
    examples: [
      ['ledger check', 'exit status 0 if every cent is explained, 1 and what is wrong if not'],
      ['ledger check --account acme --json', 'one account, for a program'],
      ['ledger check --data-dir ./backup', 'a copy, before it is needed'],
      ['ledger check --deep', 'the file, too: after trouble with a disk'],
    ],
    notes: () => notes,
    run: check,
  },
];

const notes = `It looks at every entry, balance, message, part and refund: M1 the entries of an account come to its balance; M2 no charge
passes below the credit limit of its time; M3 each charge is the sum of its messages, each refund the price of one part; M4
no entry is missing, and nothing may change one; M6 what was answered to the client is what was posted.

What it cannot see: somebody with the database in their hands who writes all balances, entries and messages anew so that
they agree (keep statements elsewhere: account statement --csv); the limits of entries from before limits were kept, of
which it says only whether the balance is below the limit still; whether a price was the right one (price show --at); and
what accounts have spent of their caps.`;

interface Found {
  readonly looked: { [stage: string]: number };
  readonly faults: Row[];
  faultCount: number;
}

/** What one chunk came to, as the gateway answers it. */
type Ask = (input: CheckInput) => Promise<Result<unknown, Failure>>;

async function check(input: Input, shell: Shell): Promise<Result<Report | undefined, Failure>> {
  const { account = null, dataDir } = input.values;
  const wanted: Walk = { account, found: { looked: {}, faults: [], faultCount: 0 }, shell };
  const isDeep = input.flags.has('deep');
  const whole = isDeep && dataDir === undefined ? await checkRunningPages(shell) : ok(null);
  if (!whole.ok) return whole;
  const walked =
    dataDir === undefined ? await walk(askRunning(shell), wanted) : await walkStopped(dataDir, wanted, isDeep);
  shell.progress?.('');
  if (!walked.ok) return refused(dataDir === undefined ? withHint(walked.error) : walked.error);
  const { faultCount } = wanted.found;
  shell.report(reportOf(wanted.found, shell));
  if (faultCount === 0) return ok(undefined);
  return refused({ kind: 'refused', detail: `the ledger has ${counted(faultCount, 'fault')}` });
}

/** The file is read here, so that the gateway's own readers are free meanwhile. */
async function checkRunningPages(shell: Shell): Promise<Result<null, Failure>> {
  const config = readConfig(shell.environment);
  if (!config.ok) return refused(usage(config.error));
  shell.progress?.('pages');
  return sentences(async () => {
    await checkPages(config.value.dataDir, { mayRun: true });
    return ok(null);
  });
}

/** What a check of a folder came to. */
export interface Checked {
  readonly looked: Found['looked'];
  readonly faultCount: number;
  /** How much was looked at, in words. */
  readonly all: string;
}

/** Checks the pages and the ledger of a gateway that does not run. */
export async function checkFolder(folder: string, shell: Shell): Promise<Result<Checked, Failure>> {
  const found: Found = { looked: {}, faults: [], faultCount: 0 };
  const walked = await walkStopped(folder, { account: null, found, shell }, true);
  return walked.ok ? ok({ ...found, all: allOf(found) }) : walked;
}

/** Whom nobody answers may mean a gateway that does not run. */
function withHint(failure: Failure): Failure {
  if (failure.kind !== 'unreachable') return failure;
  return { ...failure, detail: `${failure.detail}; or check it as it is, with --data-dir` };
}

interface Walk {
  readonly account: string | null;
  readonly found: Found;
  readonly shell: Shell;
}

async function walk(ask: Ask, { account, found, shell }: Walk): Promise<Result<null, Failure>> {
  for (let next: Row = { stage: 'guards', after: '0' }; word(next, 'stage') !== '';) {
    const stage = checkStages.find((each) => each === word(next, 'stage')) ?? 'guards';
    const asked = await ask({ stage, after: Number(word(next, 'after')), account });
    if (!asked.ok) return asked;
    const chunk = toRow(asked.value);
    const faults = toRows(chunk['faults']);
    found.looked[stage] = (found.looked[stage] ?? 0) + Number(word(chunk, 'looked'));
    found.faultCount += faults.length;
    found.faults.push(...faults.slice(0, shownMax - found.faults.length));
    shell.progress?.(`${stage} ${word(chunk, 'percent')} %, ${counted(found.faultCount, 'fault')}`);
    next = toRow(chunk['next']);
  }
  return ok(null);
}

function askRunning(shell: Shell): Ask {
  return async ({ account, ...next }) => {
    const reply = await call(shell, 'ledgerCheck', account === null ? next : { ...next, account });
    return reply.ok ? ok(reply.value.value) : reply;
  };
}

function walkStopped(folder: string, wanted: Walk, isDeep: boolean): Promise<Result<null, Failure>> {
  return sentences(() =>
    readStopped(
      folder,
      (ask) =>
        walk(async (input) => {
          const chunk = await ask('ledgerCheck', input);
          const missing: Failure = { kind: 'refused', detail: `there is no account named ${input.account}` };
          return chunk ? ok(readJson(JSON.stringify(chunk))) : refused(missing);
        }, wanted),
      { isDeep },
    ),
  );
}

/** What the store refuses, as a failure of the command. */
async function sentences<T>(run: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await run();
  } catch (fault) {
    if (fault instanceof StoreRefused) return refused({ kind: 'refused', detail: fault.message });
    throw fault;
  }
}

function reportOf({ looked, faults, faultCount }: Found, { hasColour }: Shell): Report {
  const json = {
    isRight: faultCount === 0,
    looked,
    faultCount,
    faults: faults.map(numbered),
  };
  const whenEmpty = `the ledger is right: ${allOf({ looked })}`;
  const more = faultCount > faults.length ? `\nand ${faultCount - faults.length} more` : '';
  return { json: JSON.stringify(json), text: table({ columns, rows: faults, whenEmpty }, hasColour) + more };
}

function allOf({ looked }: Pick<Found, 'looked'>): string {
  const { accounts = 0, entries = 0, messages = 0 } = looked;
  return `${counted(accounts, 'account')}, ${counted(entries, 'entry', 'entries')} and ${counted(messages, 'message')} were looked at`;
}

/** A part's number is a number; ids and amounts are texts. */
function numbered(fault: Row): Row {
  const part = word(fault, 'part');
  return { ...fault, part: part === '' ? null : Number(part) };
}

const columns = [
  column('PROMISE', 'promise'),
  column('ACCOUNT', 'account'),
  numberColumn('ENTRY', 'entry'),
  column('MESSAGE', 'message'),
  numberColumn('PART', 'part'),
  column('EXPECTED', 'expected'),
  column('FOUND', 'found'),
  column('WHAT IS WRONG', 'fault'),
];
