/* The faults of the script: a kill at each point, and a failure of each call for the database's files. */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../peers/needs.ts';
import type { Ended } from '../../support/gateway/child.ts';
import { runScript, type Phase, type Place } from './script.ts';

/** The points of `preload.ts`. */
export const points = ['commit', 'passive', 'restart', 'truncate', 'count', 'close', 'answer', 'pdu'].flatMap(
  (step) => [`before ${step}`, `after ${step}`],
);

/** The calls of `disk-shim.c`, and how they fail. */
export const failures = [
  'write EIO',
  'write ENOSPC',
  'write short',
  'sync EIO',
  'sync ENOSPC',
  'read EIO',
  'cut EIO',
  'map ENOMEM',
];

const preload = `--import ${join(import.meta.dirname, 'preload.ts')}`;
const errors: Readonly<Record<string, number>> = constants.errno;

export interface StepResult {
  /** Whether the script came to this pass of the step. */
  readonly isReached: boolean;
  readonly lost: readonly string[];
  /** How the process ended: the signal or status; undefined if the process went on. */
  readonly end: string | undefined;
}

/** Kills the gateway at the n-th pass of a point. */
export async function killAt(place: Place, point: string, nth: number): Promise<StepResult> {
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

/** Lets the n-th call of a kind fail once. */
export async function failAt(place: Place, failure: string, nth: number): Promise<StepResult> {
  const [kind = '', error = ''] = failure.split(' ');
  const mark = join(place.folder, 'failed');
  rmSync(mark, { force: true });
  const { ended, phase, isRefused, lost } = await runScript(place, {
    NODE_OPTIONS: preload,
    LD_PRELOAD: join(place.folder, 'disk-shim.so'),
    FAULT_KIND: kind,
    FAULT_NTH: String(nth),
    FAULT_ERROR: String(error === 'short' ? 0 : errors[error]),
    FAULT_MARK: mark,
  });
  if (!existsSync(mark)) return { isReached: false, lost, end: undefined };
  const file = readFileSync(mark, 'utf8');
  const end = ended ? endOf(ended) : isRefused ? 'refused' : 'went on';
  const isRight = rightEnds({ kind, error, file, phase }).includes(end);
  const odd = isRight ? [] : [`${file} failed at the ${phase}, and the gateway ${end}: ${ended?.out}${ended?.errors}`];
  return { isReached: true, lost: [...lost, ...odd], end };
}

type End = 'went on' | 'refused' | 'did not start' | 'ended' | 'died';

/** The end of a process: with its status, and a sentence for the operator. */
function endOf({ status, errors: log }: Ended): End {
  if (status === 1 && log.includes('"code":"refused"')) return 'did not start';
  const isClear = /"level":"fatal",[^\n]*"reason":"[^"]*(disk I\/O error|cannot be written|check the disk)/.test(log);
  return status === untrusted && isClear ? 'ended' : 'died';
}

/** How the gateway may end: P3 for a disk without room, and P4 for one that cannot be trusted. */
function rightEnds({ kind, error, file, phase }: Fault): readonly End[] {
  // The rest of a short write is written by a second call, except that of the single octets in the -shm file.
  if (error === 'short' && !file.endsWith('-shm')) return ['went on'];
  const hasNoRoom = error === 'short' || (error === 'ENOSPC' && (kind === 'write' || file.endsWith('-commits')));
  if (phase === 'start') return hasNoRoom ? ['did not start', 'went on', 'refused'] : ['did not start', 'ended'];
  if (phase === 'stop') return ['went on', 'ended'];
  if (!hasNoRoom) return ['ended'];
  // Only a group of commands is written into the WAL. The file itself and the count are written again later.
  return file.endsWith('-wal') ? ['refused', 'went on'] : ['went on'];
}

interface Fault {
  readonly kind: string;
  readonly error: string;
  readonly file: string;
  readonly phase: Phase;
}
