/* The faults of the script: a kill at each point, and a failure of each call for the database's files. */

import { existsSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../peers/needs.ts';
import { runScript, type Place } from './script.ts';

/** The points of `preload.ts`. */
export const points = ['commit', 'passive', 'truncate', 'count', 'close', 'answer', 'pdu'].flatMap((step) => [
  `before ${step}`,
  `after ${step}`,
]);

/** The calls of `disk-shim.c`, and how they fail. */
export const failures = ['write EIO', 'write ENOSPC', 'write short', 'sync EIO', 'sync ENOSPC', 'read EIO'];

export interface StepResult {
  /** Whether the script came to this pass of the step. */
  readonly isReached: boolean;
  readonly lost: readonly string[];
  /** How the process ended: the signal or status; undefined if the process went on. */
  readonly end: string | undefined;
}

/** Kills the gateway at the n-th pass of a point. */
export async function killAt(place: Place, point: string, nth: number): Promise<StepResult> {
  const preload = `--import ${join(import.meta.dirname, 'preload.ts')}`;
  const { ended, lost } = await runScript(place, { NODE_OPTIONS: preload, CRASH_POINT: `${point}#${nth}` });
  if (!ended) return { isReached: false, lost, end: undefined };
  const odd = ended.signal === 'SIGKILL' ? [] : [`the gateway ended with ${ended.status}: ${ended.errors}`];
  return { isReached: true, lost: [...lost, ...odd], end: 'SIGKILL' };
}

/** Compiles the shim. Returns its file. */
export function compileShim({ folder }: Pick<Place, 'folder'>): string {
  const file = join(folder, 'disk-shim.so');
  runProgram('cc', ['-shared', '-fPIC', '-O1', '-o', file, join(import.meta.dirname, 'disk-shim.c'), '-ldl']);
  return file;
}

/** The exit status when the store can no longer be trusted: EX_SOFTWARE of sysexits.h. */
const untrusted = 70;

/** Lets the n-th call of a kind fail once. The gateway goes on, or ends as P3 and P4 say: with a sentence. */
export async function failAt(place: Place, failure: string, nth: number): Promise<StepResult> {
  const [kind = '', error = ''] = failure.split(' ');
  const mark = join(place.folder, 'failed');
  rmSync(mark, { force: true });
  const { ended, lost } = await runScript(place, {
    LD_PRELOAD: join(place.folder, 'disk-shim.so'),
    FAULT_KIND: kind,
    FAULT_NTH: String(nth),
    FAULT_ERROR: error === 'short' ? '0' : String(constants.errno[error === 'EIO' ? 'EIO' : 'ENOSPC']),
    FAULT_MARK: mark,
  });
  const isReached = existsSync(mark);
  if (!ended) return { isReached, lost, end: undefined };
  const { status, signal, out, errors } = ended;
  const isRefusedStart = status === 1 && errors.includes('"code":"refused"');
  const isStopped = status === untrusted && errors.includes('"level":"fatal"');
  const odd = isRefusedStart || isStopped ? [] : [`the gateway ended with ${signal ?? status}: ${out}${errors}`];
  return { isReached, lost: [...lost, ...odd], end: String(signal ?? status) };
}
