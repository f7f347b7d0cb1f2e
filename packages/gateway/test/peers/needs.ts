import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that are not ours, and the Debian packages that bring them. */
const packages = {
  strace: 'strace',
  tshark: 'tshark',
  wrk: 'wrk',
  cc: 'gcc',
} as const;

/** What `skip` of a test wants: false when every program is there, else which packages to install. */
export function missing(...programs: readonly (keyof typeof packages)[]): string | false {
  const absent = programs.filter((program) => !isThere(program)).map((program) => packages[program]);
  return absent.length === 0 ? false : `needs the Debian package ${absent.join(' and ')}`;
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A fresh folder, gone when it is disposed of. */
export function makeFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'morsel-peers-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
