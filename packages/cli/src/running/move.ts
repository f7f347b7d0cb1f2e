/*
 * The command `move`. It copies the data of a stopped gateway from SQLite to PostgreSQL or back, and checks the copy.
 */

import { counted } from '@morsel/api/fields/shown.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { readConfig, type Config } from '@morsel/gateway/config.ts';
import { prepareDataDirectory } from '@morsel/gateway/edge/admin/operator-files.ts';
import type { MoveStep, Moving } from '@morsel/gateway/store/move/check.ts';
import { countRows, moveStore, sumOf, type Moved } from '@morsel/gateway/store/move/move.ts';
import { PostgresSide } from '@morsel/gateway/store/move/postgres-side.ts';
import { placeOfUrl } from '@morsel/gateway/store/postgres/wire/unusable.ts';
import { SqliteSide } from '@morsel/gateway/store/move/sqlite-side.ts';
import { ConnectionLost, sqlStateOf } from '@morsel/gateway/store/postgres/wire/connection.ts';
import { StoreRefused } from '@morsel/gateway/state/sealing/refused.ts';
import { checkMasterKey } from '@morsel/gateway/store/views/sealed.ts';
import { masterKeyName } from '@morsel/gateway/state/sealing/master-key.ts';
import { isFatal, isNoRoom } from '@morsel/gateway/store/sqlite/faults.ts';
import { usage, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';

/** The rows a second that two cores copy and check. It is used until this move has its own figure. */
const usualRate = 40_000;
/** The time between two lines of progress without a terminal. */
const lineEveryMs = 10_000;

type Place = Config & { readonly databaseUrl: string };

export async function move(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const place = placeOf(input, shell);
  if (!place.ok) return place;
  try {
    return await moveBetween(place.value, input, shell);
  } catch (fault) {
    const detail = sentenceOf(fault);
    if (detail === undefined) throw fault;
    return refused({ kind: 'refused', detail });
  } finally {
    shell.progress?.('');
  }
}

function placeOf({ values }: Input, { environment }: Shell): Result<Place, Failure> {
  let url = values['databaseUrl'];
  try {
    const file = values['databaseUrlFile'];
    if (file !== undefined) url = readFileSync(file, 'utf8').trim();
  } catch (fault) {
    const code = faultCode(fault, 'unreadable');
    return refused(usage(`the file of --database-url-file cannot be read: ${code}`));
  }
  const config = readConfig(url === undefined ? environment : { ...environment, MORSEL_DATABASE_URL: url });
  if (!config.ok) return refused(usage(config.error));
  const { databaseUrl } = config.value;
  if (databaseUrl !== undefined) return ok({ ...config.value, databaseUrl });
  return refused(usage('move needs the URL of the PostgreSQL database: set MORSEL_DATABASE_URL'));
}

async function moveBetween(place: Place, input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const isBack = input.flags.has('back');
  const { dataDir: folder, databaseUrl: url, clockAheadMaxMs: aheadMaxMs } = place;
  const masterKey = place.masterKeyFile ?? join(folder, masterKeyName);
  const prepared = prepareDataDirectory(folder);
  if (!prepared.ok) throw new StoreRefused(prepared.error);
  const openFolder = (mayBeNew: boolean) =>
    SqliteSide.open({ folder, masterKey, at: Date.now(), aheadMaxMs }, { mayBeNew });
  const openUrl = (mayBeNew: boolean) => PostgresSide.open({ url, masterKey }, { mayBeNew });
  await using source = isBack ? await openUrl(false) : openFolder(false);
  await source.queries.snapshot(checkMasterKey);
  const rows = sumOf(await countRows(source));
  const into = isBack ? `the folder ${folder}` : placeOfUrl(url);
  const plan = `${counted(rows, 'row')} of ${source.place} would be moved to ${into}, in about ${lasting(rows / usualRate)}`;
  const meant = await confirmed(input, shell, { sentence: plan, question: `${plan}. Move the data?` });
  if (!meant.ok) return meant;
  if (!shell.isJson) shell.warn(`moving ${counted(rows, 'row')}, which takes about ${lasting(rows / usualRate)}`);
  await using target = isBack ? openFolder(true) : await openUrl(true);
  const startedAt = performance.now();
  const moved = await moveStore({ source, target, progress: progressOf(shell) });
  const seconds = (performance.now() - startedAt) / 1_000;
  return ok(reportOf(moved, { from: source.place, to: target.place, seconds, isBack }));
}

/** Prints how far the move is and how long the rest takes. Each row is copied, and then checked. */
function progressOf(shell: Shell): Moving['progress'] {
  const startedAt = performance.now();
  let first: number | undefined;
  let saidAt = startedAt;
  return ({ step, table, done, all }: MoveStep) => {
    if (step === 'ledger') {
      shell.progress?.(`checking the ledger: ${table} ${done} %`);
      return;
    }
    const through = step === 'copy' ? done : all + done;
    first ??= through;
    const now = performance.now();
    const rate = (through - first) / Math.max(now - startedAt, 1);
    const percent = all === 0 ? 100 : Math.floor((50 * through) / all);
    const left = rate > 0 ? `, ${lasting((2 * all - through) / rate / 1_000)} left` : '';
    const text = `${percent} %${left}: ${step === 'copy' ? 'copying' : 'checking'} the table ${table}`;
    if (shell.progress) shell.progress(text);
    else if (!shell.isJson && now - saidAt >= lineEveryMs) {
      saidAt = now;
      shell.warn(text);
    }
  };
}

function lasting(seconds: number): string {
  if (seconds < 90) return counted(Math.max(1, Math.ceil(seconds)), 'second');
  return counted(Math.ceil(seconds / 60), 'minute');
}

interface Done {
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly isBack: boolean;
}

function reportOf({ rows, checked, isResumed }: Moved, { from, to, seconds, isBack }: Done): Report {
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const same = checked
    ? 'all rows are the same in both, and so are the sums of the ledger and the states of all messages'
    : 'an earlier try has checked that all rows are the same in both';
  const faults = checked?.ledgerFaults ?? 0;
  const ledger = checked && faults === 0 ? '; the ledger is right' : '';
  const faulty = faults > 0 ? `; the ledger of both has ${counted(faults, 'fault')}: see ledger check` : '';
  const next = isBack
    ? 'unset MORSEL_DATABASE_URL and start the gateway'
    : 'start each node with MORSEL_DATABASE_URL, and copy the files operator-key and master-key into the data directory of other nodes';
  return {
    json: JSON.stringify({ from, to, rows, ...checked, isResumed, seconds: Math.round(seconds) }),
    text: `${counted(all, 'row')} of ${from} were moved to ${to} in ${lasting(seconds)}; ${same}${ledger}${faulty}. Next, ${next}`,
  };
}

/**
 * A sentence for the operator; undefined for a bug. The message of a fault of `pg` is not printed, because it may have
 * values.
 */
function sentenceOf(fault: unknown): string | undefined {
  if (fault instanceof StoreRefused) return fault.message;
  const again = 'repeat the command, which goes on where it stopped';
  if (fault instanceof ConnectionLost) return `the connection to the database was lost: ${again}`;
  const state = sqlStateOf(fault);
  if (isNoRoom(fault) || isFatal(fault))
    return `a disk is full, or a file on it cannot be read or written: correct the cause, and ${again}`;
  if (state !== undefined)
    return `PostgreSQL refused a statement of the move (${state}): correct the cause, and ${again}`;
  return undefined;
}
