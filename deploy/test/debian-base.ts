/* The files of a new Debian, which the test files of a run share: debootstrap downloads and unpacks them once. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './installed.ts';

/** The environment variable with the folder that the processes of a run share. */
const folderVariable = 'MORSEL_TEST_DEBIAN';

/** `test/run.ts` calls this before the tests. */
export async function globalSetup(): Promise<void> {
  process.env[folderVariable] = mkdtempSync(join(tmpdir(), 'morsel-debian-'));
}

export async function globalTeardown(): Promise<void> {
  rmSync(process.env[folderVariable] ?? '', { recursive: true, force: true });
}

const makeOnce = '[ -d "$0" ] || { debootstrap --variant=minbase bookworm "$0-begun" && mv "$0-begun" "$0"; }';

/** Copies the Debian to a path. The first test file that needs it makes it, while others wait. */
export function copyDebian(place: Place, path: string): void {
  const folder = process.env[folderVariable] ?? place.path;
  const made = join(folder, 'debian');
  place.run('flock', [folder, 'sh', '-c', makeOnce, made]);
  place.run('cp', ['-a', made, path]);
}
