import { counted } from '@morsel/api/fields/shown.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type Values } from '@morsel/api/fields/field.ts';
import { faultFields, ledger } from '@morsel/api/admin/money/ledger.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { checkStart } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { readConfig } from '@morsel/gateway/config.ts';
import { StoreRefused } from '@morsel/gateway/state/sealing/refused.ts';
import { checkPages, readStopped } from '@morsel/gateway/store/stopped.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import { usage, type Command, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { tableOf } from '../show.ts';

/* The command `ledger check`. It checks the ledger of a running gateway, or of the database in a folder, in chunks. */

type Operation = typeof ledger.operations.check;

/** The most faults that are printed. Further faults are only counted. */
const shownMax = 1_000;

export const ledgerCommands = commandsOf(ledger, {
  check: {
    run: check,
    options: [
      { flags: '--data-dir <folder>', summary: 'check the database in this folder; its gateway must be stopped' },
      {
        flags: '--deep',
        summary: 'first check every page and index of the database file, also while the gateway runs',
      },
    ],
  },
});

interface Found {
  readonly looked: { [stage: string]: number };
  readonly faults: Values<typeof faultFields>[];
  faultCount: number;
}

type Ask = (input: InputOf<Operation>) => Promise<Result<AnswerOf<Operation>, Failure>>;

interface Wanted {
  readonly account?: string | undefined;
  /** Checks the pages and indexes of the database file, too. */
  readonly isDeep: boolean;
}

async function check(
  { account }: { readonly [field: string]: string },
  shell: Shell,
  { flags, values: { dataDir } }: Input,
): ReturnType<Command['run']> {
  const wanted = { account, isDeep: flags.has('deep') };
  const found = dataDir === undefined ? await checkRunning(shell, wanted) : await checkFolder(dataDir, shell, wanted);
  shell.progress?.('');
  if (!found.ok) return found;
  shell.report(reportOf(found.value, shell));
  const { faultCount } = found.value;
  if (faultCount === 0) return ok(undefined);
  return refused({ kind: 'refused', detail: `the ledger has ${counted(faultCount, 'fault')}` });
}

/** Pages are read in this process, so that the gateway's reading threads stay free. */
async function checkRunning(shell: Shell, { account, isDeep }: Wanted): Promise<Result<Found, Failure>> {
  const folder = folderOfSqlite(shell, 'ledger check --deep');
  if (isDeep) {
    if (!folder.ok) return folder;
    shell.progress?.('pages');
    const whole = await sentences(async () => ok(await checkPages(folder.value, { mayRun: true })));
    if (!whole.ok) return whole;
  }
  const found = await walk(gatewayCalls(shell).ledger.check, account, shell);
  if (found.ok || found.error.kind !== 'unreachable' || !folder.ok) return found;
  // If no gateway answers, the gateway may be stopped.
  return refused({
    ...found.error,
    detail: `${found.error.detail}; to check the files of a stopped gateway, use --data-dir`,
  });
}

/** Refused on PostgreSQL, whose database is no file. */
export function folderOfSqlite(shell: Shell, command: string): Result<string, Failure> {
  const config = readConfig(shell.environment);
  if (!config.ok) return refused(usage(config.error));
  const { dataDir, databaseUrl } = config.value;
  if (databaseUrl === undefined) return ok(dataDir);
  const detail = `the data is in PostgreSQL, because MORSEL_DATABASE_URL is set, and ${command} is for SQLite: see "Back up and restore" in docs/nodes.md`;
  return refused({ kind: 'refused', detail });
}

export function checkFolder(
  folder: string,
  shell: Shell,
  { account, isDeep }: Wanted = { isDeep: true },
): Promise<Result<Found, Failure>> {
  return sentences(() =>
    readStopped(
      folder,
      (ask) => {
        const askStopped: Ask = async (input) => {
          const stretch = await ask('ledgerCheck', input);
          return stretch ? ok(stretch) : refused({ kind: 'refused', detail: `there is no account named ${account}` });
        };
        return walk(askStopped, account, shell);
      },
      { isDeep },
    ),
  );
}

async function walk(ask: Ask, account: string | undefined, shell: Shell): Promise<Result<Found, Failure>> {
  const found: Found = { looked: {}, faults: [], faultCount: 0 };
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
  return ok(found);
}

async function sentences<T>(run: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await run();
  } catch (fault) {
    if (fault instanceof StoreRefused) return refused({ kind: 'refused', detail: fault.message });
    throw fault;
  }
}

function reportOf({ looked, faults, faultCount }: Found, { hasColour }: Shell): Report {
  const isRight = faultCount === 0;
  const json = writeJson({ isRight, looked, faultCount, faults: faults.map((each) => jsonOf(faultFields, each)) });
  const whenEmpty = `the ledger is right: ${lookedText(looked)}`;
  const more = faultCount > faults.length ? `\nand ${faultCount - faults.length} more` : '';
  return { json, text: tableOf({ answer: faultFields }, faults, { hasColour, whenEmpty }) + more };
}

export function lookedText({ accounts = 0, entries = 0, messages = 0 }: Found['looked']): string {
  return `${counted(accounts, 'account')}, ${counted(entries, 'entry', 'entries')} and ${counted(messages, 'message')} were checked`;
}
