import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresFolder } from '../support/store/postgres.ts';

/** Programs that are not ours, and their Debian packages. */
const packages = {
  strace: 'strace',
  tshark: 'tshark',
  cc: 'gcc',
  mount: 'mount',
  umount: 'mount',
  prlimit: 'util-linux',
  openssl: 'openssl',
  '/usr/sbin/bearerbox': 'kannel',
  '/usr/lib/kannel/test/drive_smpp': 'kannel-extras',
  postgres: 'postgresql-15',
  etcd: 'etcd-server',
  patroni: 'patroni',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/sbin/pgbouncer': 'pgbouncer',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
} as const;

export type ProgramName = keyof typeof packages;

/** For `skip` of a test: false when every program is there, else the packages to install. */
export function missing(...programs: readonly ProgramName[]): string | false {
  const absent = programs.filter((program) => !isThere(program)).map((program) => packages[program]);
  return absent.length === 0 ? false : `needs the Debian package ${absent.join(' and ')}`;
}

/** Options of a test that starts PostgreSQL. */
export const needsPostgres = { skip: missing('postgres') };

function isThere(program: ProgramName): boolean {
  try {
    const path = program === 'postgres' ? `${postgresFolder}/postgres` : program;
    execFileSync('sh', ['-c', `command -v ${path}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs one of these programs to its end. Returns its output; throws unless its status is 0. */
export function runProgram(program: ProgramName, words: readonly string[]): string {
  return execFileSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** A new folder, removed when it is disposed of. */
export function makeFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'morsel-peers-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A small file system, unmounted when it is disposed of. Undefined without the right to mount one. */
export function mountSmallDisk(size = '8m'): (Disposable & { readonly path: string }) | undefined {
  const folder = makeFolder();
  try {
    runProgram('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder.path]);
  } catch {
    folder[Symbol.dispose]();
    return undefined;
  }
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      runProgram('umount', [folder.path]);
      folder[Symbol.dispose]();
    },
  };
}

/** Fills a file system with one file, and then frees `left` octets. */
export function fillUp(file: string, left = 0): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let size = 65_536; size >= 1;) {
      try {
        if (writeSync(descriptor, Buffer.alloc(size)) < size) size >>= 1;
      } catch (fault) {
        if (!(fault instanceof Error && 'code' in fault && fault.code === 'ENOSPC')) throw fault;
        size >>= 1;
      }
    }
    ftruncateSync(descriptor, fstatSync(descriptor).size - left);
  } finally {
    closeSync(descriptor);
  }
}
