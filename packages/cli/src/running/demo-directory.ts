import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { prepareDataDirectory, readAdminAddress } from '@morsel/gateway/edge/admin/operator-files.ts';
import { demoName } from './own-name.ts';

/*
 * A mark file in the demo's own data directory. A real gateway must never use the demo's carrier, price and token, and
 * the demo must never get messages of real clients.
 */

/** Where the demo keeps its data unless MORSEL_DATA_DIR names another directory. */
export const demoDirectory = './demo-data';

export const markFile = 'demo.txt';
const mark =
  'This is the data directory of the morsel demo. The demo sends messages to a simulated carrier. To start again with an empty demo, remove this directory.\n';

/** Marks an empty directory, or accepts one with the mark. Refuses every other directory, without a change. */
export function claimDemoDirectory(folder: string): Result<undefined, string> {
  if (isDemoDirectory(folder)) return ok(undefined);
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      return refused(
        `the demo does not use ${folder}: the directory has files that are not the demo's; unset MORSEL_DATA_DIR to use ${demoDirectory}, or set it to an empty directory`,
      );
    }
    const prepared = prepareDataDirectory(folder);
    if (!prepared.ok) return prepared;
    writeFileSync(join(folder, markFile), mark, { flag: 'wx', flush: true });
    return ok(undefined);
  } catch (fault) {
    const code = faultCode(fault);
    return refused(`the demo cannot use ${folder}: ${code}`);
  }
}

/** The reason why `serve` may not use the directory; undefined if it may. */
export function refuseDemoDirectory(folder: string): string | undefined {
  if (!isDemoDirectory(folder)) return undefined;
  return `${folder} belongs to the demo (${demoName}), whose messages go to a simulated carrier: set MORSEL_DATA_DIR to another directory`;
}

/** Text before a shell command that uses the demo. */
export function askingDemo(folder: string = resolve(demoDirectory)): string {
  const isUsual = folder === resolve(demoDirectory);
  const name = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`;
  return `MORSEL_DATA_DIR=${isUsual ? demoDirectory : name}`;
}

/** Whether a demo runs on its usual directory. Always false if `folder` is that directory. */
export function demoRunsBeside(folder: string): boolean {
  const usual = resolve(demoDirectory);
  return usual !== folder && isDemoDirectory(usual) && readAdminAddress(usual) !== undefined;
}

function isDemoDirectory(folder: string): boolean {
  return existsSync(join(folder, markFile));
}
