import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { makeFolder } from '../../store/folder.ts';

/*
 * The files of the data directory that the command line reads: the key of the operator's API, and its address.
 */

export const keyFile = 'operator-key';
const addressFile = 'admin-address';
const keyBytes = 32;
const keyPattern = /^[\w-]{43}$/;
const addressPattern = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i;

const ownerOnlyFile = 0o600;
const ownerOnlyFolder = 0o700;
const others = 0o077;

/** The address of the operator's API. */
export interface AdminAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Makes the data directory for its owner only: it holds texts, passwords of carriers and the operator's key. An
 * existing empty one is closed to others. One in use is left as it is, with a sentence for the operator.
 */
export function prepareDataDirectory(folder: string): Result<{ readonly warning: string | undefined }, string> {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((statSync(folder).mode & others) === 0) return ok({ warning: undefined });
    if (readdirSync(folder).length === 0) {
      chmodSync(folder, ownerOnlyFolder);
      return ok({ warning: undefined });
    }
    return ok({ warning: `others can look into the data directory ${folder}: close it with chmod 700` });
  } catch (fault) {
    const code = codeOf(fault);
    const isOfAnother = code === 'EACCES' || code === 'EPERM';
    const advice = isOfAnother ? ': run the gateway as the user that owns it, or set MORSEL_DATA_DIR to another' : '';
    return refused(`the data directory ${folder} cannot be used (${code})${advice}`);
  }
}

/** The operator's key, made at the first start. A key that others can read is refused: they may have read it. */
export function openOperatorKey(folder: string): Result<string, string> {
  const file = join(folder, keyFile);
  const key = randomBytes(keyBytes).toString('base64url');
  try {
    // The flag makes it fail if the file exists: of two starts at once, one makes the key.
    const descriptor = openSync(file, 'wx', ownerOnlyFile);
    writeFileSync(descriptor, `${key}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    return ok(key);
  } catch (fault) {
    if (codeOf(fault) === 'EEXIST') return readOperatorKey(folder);
    // A key cut short by a full disk would be refused at the next start.
    rmSync(file, { force: true });
    return refused(`the operator key ${file} cannot be made: ${codeOf(fault)}`);
  }
}

/** Whether a gateway was started on this folder before. The key is made after the database. */
export function hasOperatorKey(folder: string): boolean {
  return existsSync(join(folder, keyFile));
}

/** The operator's key as the first start of the gateway left it. */
export function readOperatorKey(folder: string): Result<string, string> {
  const file = join(folder, keyFile);
  try {
    const { text, mode } = readPlain(file);
    if ((mode & others) !== 0) {
      return refused(
        `others can read the operator key ${file}: close it with chmod 600, or remove it to have a new one made at the next start`,
      );
    }
    const key = text.trim();
    return keyPattern.test(key)
      ? ok(key)
      : refused(`${file} holds no operator key: remove it to have one made at the next start`);
  } catch (fault) {
    return refused(`the operator key ${file} cannot be read: ${codeOf(fault)}`);
  }
}

/**
 * Writes the address of the operator's API, for as long as the gateway runs. An address that means "all interfaces" is
 * written as loopback.
 */
export function writeAdminAddress(folder: string, { host, port }: AdminAddress): void {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const file = join(folder, addressFile);
  rmSync(`${file}.new`, { force: true });
  // The flag makes it fail if there is a link in its place.
  writeFileSync(`${file}.new`, `${hostAndPort(reachable, port)}\n`, { mode: ownerOnlyFile, flag: 'wx' });
  renameSync(`${file}.new`, file);
}

export function removeAdminAddress(folder: string): void {
  rmSync(join(folder, addressFile), { force: true });
}

/** The address of the operator's API on this data directory; it may be left from a gateway that was killed. */
export function readAdminAddress(folder: string): AdminAddress | undefined {
  let text: string;
  try {
    text = readPlain(join(folder, addressFile)).text.trim();
  } catch {
    return undefined;
  }
  const match = addressPattern.exec(text);
  const host = match?.[1] ?? match?.[2];
  return host === undefined ? undefined : { host, port: Number(match?.[3]) };
}

/** Reads a file, but follows no symbolic link. */
function readPlain(file: string): { readonly text: string; readonly mode: number } {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return { text: readFileSync(descriptor, 'utf8'), mode: fstatSync(descriptor).mode };
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
  return code === 'ENOSPC' ? 'the disk is full' : code;
}
