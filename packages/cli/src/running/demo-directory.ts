import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { prepareDataDirectory, readAdminAddress } from '@morsel/gateway/edge/admin/operator-files.ts';

/*
 * The demo has a data directory of its own, with a mark in it. A real gateway must never get the demo's simulated carrier,
 * price and token, and the demo must never get messages of real clients.
 */

/** Where the demo keeps its data unless MORSEL_DATA_DIR names another directory. */
export const demoDirectory = './demo-data';

export const markFile = 'demo.txt';
const mark =
  'This is the data directory of the morsel demo (npm start). Its messages go to a simulated carrier. Remove the directory to start again.\n';

/** Marks an empty directory as the demo's, and accepts one with the mark. Refuses any other without changing it. */
export function claimDemoDirectory(folder: string): Result<undefined, string> {
  if (isDemoDirectory(folder)) return ok(undefined);
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      return refused(
        `the demo does not use ${folder}: it holds files that are not the demo's; unset MORSEL_DATA_DIR to use ${demoDirectory}, or set it to an empty directory`,
      );
    }
    const prepared = prepareDataDirectory(folder);
    if (!prepared.ok) return prepared;
    writeFileSync(join(folder, markFile), mark, { flag: 'wx', flush: true });
    return ok(undefined);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    return refused(`the demo cannot use ${folder}: ${code}`);
  }
}

/** Why `serve` must not use a directory; undefined where it may. */
export function refuseDemoDirectory(folder: string): string | undefined {
  if (!isDemoDirectory(folder)) return undefined;
  return `${folder} belongs to the demo (npm start), whose messages go to a simulated carrier: set MORSEL_DATA_DIR to another directory`;
}

/** The prefix of a shell command that calls the demo on this directory. */
export function askingDemo(folder: string = resolve(demoDirectory)): string {
  const isUsual = folder === resolve(demoDirectory);
  const name = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`;
  return `MORSEL_DATA_DIR=${isUsual ? demoDirectory : name}`;
}

/** Whether the demo runs on its usual directory, if that is not `folder`. */
export function demoRunsBeside(folder: string): boolean {
  const usual = resolve(demoDirectory);
  return usual !== folder && isDemoDirectory(usual) && readAdminAddress(usual) !== undefined;
}

function isDemoDirectory(folder: string): boolean {
  return existsSync(join(folder, markFile));
}
