/*
 * Runs a program with an alarm as JSON on its standard input. Programs are in a folder of the data directory: who has the key of
 * an owner, but not this machine, cannot choose what runs here.
 */

import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Told } from '../../core/alarm/notice.ts';

export const programFolder = 'programs';

/** A file name without a folder. */
export const programName = /^\w[\w.-]{0,99}$/;

/** Returns why a program cannot run. Undefined if it can. */
export async function programFault(dataDir: string, name: string): Promise<string | undefined> {
  const file = join(dataDir, programFolder, name);
  if (!programName.test(name)) return `must be the name of a file in ${join(dataDir, programFolder)}`;
  const isThere = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  return isThere ? undefined : `${file} is no program that the gateway may run`;
}

interface Given {
  readonly limitMs: number;
  readonly [field: string]: unknown;
}

/** The program gets no arguments, no shell, and of the environment only PATH and its home. */
export async function runProgram(dataDir: string, name: string, { limitMs, ...alarm }: Given): Promise<Told> {
  const fault = await programFault(dataDir, name);
  if (fault !== undefined) return { isTold: false, detail: fault };
  return new Promise((resolve) => {
    const cwd = join(dataDir, programFolder);
    const child = spawn(join(cwd, name), [], {
      cwd,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: cwd },
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve({ isTold: false, detail: 'the program cannot be started' }));
    child.on('exit', (status, signal) =>
      resolve({ isTold: status === 0, detail: `the program ended with ${status ?? signal ?? 'no status'}` }),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(alarm)}\n`);
  });
}
