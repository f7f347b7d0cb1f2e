import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { faultFields, ledger } from '@morsel/api/admin/money/ledger.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { checkStart } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { readConfig } from '@morsel/gateway/config.ts';
import { StoreRefused } from '@morsel/gateway/store/sqlite/database.ts';
import { checkPages, readStopped } from '@morsel/gateway/store/stopped.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { tableOf } from '../show.ts';

/* `ledger check` asks stretch after stretch: a gateway that runs, or the database in a folder. */

type Operation = typeof ledger.operations.check;

/** Faults that are kept to be shown; the others are counted. */
const shownMax = 1_000;

export const ledgerCommands = commandsOf(ledger, {
  check: {
    run: check,
    options: [
      { flags: '--data-dir <folder>', summary: 'the database in this folder, of a gateway that does not run' },
      {
        flags: '--deep',
        summary: 'compare every page and index of the database file first (also beside a running gateway)',
      },
    ],
  },
});

interface Found {
  readonly looked: { [stage: string]: number };
  readonly faults: Values<typeof faultFields>[];
  faultCount: number;
}

/** Looks at one stretch. */
type Ask = (input: InputOf<Operation>) => Promise<Result<AnswerOf<Operation>, Failure>>;

async function check(
  { account }: { readonly [field: string]: string },
  shell: Shell,
  { flags, values: { dataDir } }: Input,
): ReturnType<Command['run']> {
  const wanted: Walk = { account, found: { looked: {}, faults: [], faultCount: 0 }, shell };
  const isDeep = flags.has('deep');
  const whole = isDeep && dataDir === undefined ? await checkRunningPages(shell) : ok(null);
  if (!whole.ok) return whole;
  const walked =
    dataDir === undefined
      ? await walk(gatewayCalls(shell).ledger.check, wanted)
      : await walkStopped(dataDir, wanted, isDeep);
  shell.progress?.('');
  if (!walked.ok) return refused(dataDir === undefined ? withHint(walked.error) : walked.error);
  const { faultCount } = wanted.found;
  shell.report(reportOf(wanted.found, shell));
  if (faultCount === 0) return ok(undefined);
  return refused({ kind: 'refused', detail: `the ledger has ${counted(faultCount, 'fault')}` });
}

/** Reads the file in this process: the readers of the gateway stay free. */
async function checkRunningPages(shell: Shell): Promise<Result<null, Failure>> {
  const config = readConfig(shell.environment);
  if (!config.ok) return refused(usage(config.error));
  shell.progress?.('pages');
  return sentences(async () => {
    await checkPages(config.value.dataDir, { mayRun: true });
    return ok(null);
  });
}

/** What the check of a folder found. */
export interface Checked {
  readonly looked: Found['looked'];
  readonly faultCount: number;
  /** How much was looked at, in words. */
  readonly all: string;
}

/** Checks the pages and the ledger of a gateway that does not run. */
export async function checkFolder(folder: string, shell: Shell): Promise<Result<Checked, Failure>> {
  const found: Found = { looked: {}, faults: [], faultCount: 0 };
  const walked = await walkStopped(folder, { account: undefined, found, shell }, true);
  return walked.ok ? ok({ ...found, all: allOf(found) }) : walked;
}

/** Where no gateway answers, it may be stopped. */
function withHint(failure: Failure): Failure {
  if (failure.kind !== 'unreachable') return failure;
  return { ...failure, detail: `${failure.detail}; or check its files with --data-dir` };
}

interface Walk {
  readonly account: string | undefined;
  readonly found: Found;
  readonly shell: Shell;
}

async function walk(ask: Ask, { account, found, shell }: Walk): Promise<Result<null, Failure>> {
  for (let after: string | null = checkStart; after !== null;) {
    const asked = await ask({ account, after });
    if (!asked.ok) return asked;
    const { stage, looked, percent, faults, next }: AnswerOf<Operation> = asked.value;
    found.looked[stage] = (found.looked[stage] ?? 0) + looked;
    found.faultCount += faults.length;
    found.faults.push(...faults.slice(0, shownMax - found.faults.length));
    shell.progress?.(`${stage} ${percent} %, ${counted(found.faultCount, 'fault')}`);
    after = next;
  }
  return ok(null);
}

function walkStopped(folder: string, wanted: Walk, isDeep: boolean): Promise<Result<null, Failure>> {
  return sentences(() =>
    readStopped(
      folder,
      (ask) =>
        walk(async (input) => {
          const stretch = await ask('ledgerCheck', input);
          const missing: Failure = { kind: 'refused', detail: `there is no account named ${input.account}` };
          return stretch ? ok(stretch) : refused(missing);
        }, wanted),
      { isDeep },
    ),
  );
}

/** Makes a failure of the command of a refusal of the store. */
async function sentences<T>(run: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await run();
  } catch (fault) {
    if (fault instanceof StoreRefused) return refused({ kind: 'refused', detail: fault.message });
    throw fault;
  }
}

const columns = ['promise', 'account', 'entry', 'message', 'part', 'expected', 'found', 'fault'] as const;

function reportOf({ looked, faults, faultCount }: Found, { hasColour }: Shell): Report {
  const isRight = faultCount === 0;
  const json = writeJson({ isRight, looked, faultCount, faults: faults.map((each) => jsonOf(faultFields, each)) });
  const whenEmpty = `the ledger is right: ${allOf({ looked })}`;
  const more = faultCount > faults.length ? `\nand ${faultCount - faults.length} more` : '';
  return { json, text: tableOf({ answer: faultFields, columns }, faults, { hasColour, whenEmpty }) + more };
}

function allOf({ looked }: Pick<Found, 'looked'>): string {
  const { accounts = 0, entries = 0, messages = 0 } = looked;
  return `${counted(accounts, 'account')}, ${counted(entries, 'entry', 'entries')} and ${counted(messages, 'message')} were looked at`;
}
