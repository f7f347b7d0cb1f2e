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
import { fileFault } from '../../core/base/fault-code.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { makeFolder } from '../../store/folder.ts';

/*
 * Writes and reads the two files of the data directory that the command line needs: the operator's key, and the address of the
 * operator's API.
 */

export const keyFile = 'operator-key';
const addressFile = 'admin-address';
const keyBytes = 32;
const keyPattern = /^[\w-]{43}$/;
const addressPattern = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i;

const ownerOnlyFile = 0o600;
const ownerOnlyFolder = 0o700;
const others = 0o077;

export interface AdminAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Creates the data directory with access only for its owner, because it holds texts, carriers' passwords and the operator's key.
 * If the data directory exists and is empty, other users lose access to it. If the data directory already has files, its access
 * is not changed, and the operator gets a warning.
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
    return ok({ warning: `other users can read the data directory ${folder}: protect it with chmod 700` });
  } catch (fault) {
    const code = fileFault(fault);
    const isOfAnother = code === 'EACCES' || code === 'EPERM';
    const advice = isOfAnother
      ? ': run the gateway as the owner of the directory, or set MORSEL_DATA_DIR to another directory'
      : '';
    return refused(`the data directory ${folder} cannot be used (${code})${advice}`);
  }
}

/**
 * Reads the operator's key, or creates it at the first start of the gateway. Refuses a key file that other users of the machine
 * can read, because they may know the key.
 */
export function openOperatorKey(folder: string): Result<string, string> {
  const file = join(folder, keyFile);
  const key = randomBytes(keyBytes).toString('base64url');
  try {
    // The flag `wx` makes the call fail if the file exists. If two gateways start at once, only one creates the key.
    const descriptor = openSync(file, 'wx', ownerOnlyFile);
    writeFileSync(descriptor, `${key}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    return ok(key);
  } catch (fault) {
    if (fileFault(fault) === 'EEXIST') return readOperatorKey(folder);
    // Removes an incomplete key, for example after a full disk, because the next start would refuse it.
    rmSync(file, { force: true });
    return refused(`the operator key ${file} cannot be created: ${fileFault(fault)}`);
  }
}

/** Whether a gateway was started with this data directory before. The gateway creates the operator's key after the database. */
export function hasOperatorKey(folder: string): boolean {
  return existsSync(join(folder, keyFile));
}

/** Reads the operator's key, which the first start of the gateway created. */
export function readOperatorKey(folder: string): Result<string, string> {
  const file = join(folder, keyFile);
  try {
    const { text, mode } = readPlain(file);
    if ((mode & others) !== 0) {
      return refused(
        `other users can read the operator key ${file}: protect it with chmod 600, or remove it to get a new key at the next start`,
      );
    }
    const key = text.trim();
    return keyPattern.test(key)
      ? ok(key)
      : refused(`${file} has no valid operator key: remove the file to get a new key at the next start`);
  } catch (fault) {
    return refused(`the operator key ${file} cannot be read: ${fileFault(fault)}`);
  }
}

/**
 * Writes the address of the operator's API to a file. The gateway removes the file when it stops. If the gateway
 * listens on all interfaces, the file gets the loopback address.
 */
export function writeAdminAddress(folder: string, { host, port }: AdminAddress): void {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const file = join(folder, addressFile);
  rmSync(`${file}.new`, { force: true });
  // The flag `wx` makes the call fail if a symbolic link has this name.
  writeFileSync(`${file}.new`, `${hostAndPort(reachable, port)}\n`, { mode: ownerOnlyFile, flag: 'wx' });
  renameSync(`${file}.new`, file);
}

export function removeAdminAddress(folder: string): void {
  rmSync(join(folder, addressFile), { force: true });
}

/**
 * Reads the address of the operator's API from the data directory. If the gateway was killed, the address in the file is
 * outdated.
 */
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

/** Reads a file, unless the path is a symbolic link. */
function readPlain(file: string): { readonly text: string; readonly mode: number } {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return { text: readFileSync(descriptor, 'utf8'), mode: fstatSync(descriptor).mode };
  } finally {
    closeSync(descriptor);
  }
}
