/*
 * The file with the master key, which wraps the keys of all accounts. The first start makes the file. A database whose
 * keys are wrapped by another master key cannot be read, so the code here never replaces the file.
 */

import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault } from '../../core/base/fault-code.ts';
import { StoreRefused } from './refused.ts';

/** The name of the file in the data directory. */
export const masterKeyName = 'master-key';

const keyBytes = 32;
const keyPattern = /^[\w-]{43}$/;
const ownerOnlyFile = 0o600;
/** Permissions of others. The file's group may read it: orchestrators give secrets to a group. */
const everybody = 0o007;

export interface MasterKey {
  /** Identifies the master key. It reveals nothing about the key. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The length of a master key's id, in octets. */
export const masterIdBytes = 8;

function masterKeyOf(text: string): MasterKey {
  const key = Buffer.from(text, 'base64url');
  const id = createHmac('sha256', key).update('id of a master key of Morsel').digest('binary').slice(0, masterIdBytes);
  return { id, key: createSecretKey(key) };
}

/**
 * Reads a master key file: the present key in its first line, and former keys below. Undefined if there is no file. Throws
 * `StoreRefused` with a sentence for the operator.
 */
export function readMasterKeys(file: string): readonly MasterKey[] | undefined {
  let text: string;
  let mode: number;
  try {
    using opened = new DisposableStack();
    const descriptor = opened.adopt(openSync(file, constants.O_RDONLY), closeSync);
    text = readFileSync(descriptor, 'utf8');
    mode = fstatSync(descriptor).mode;
  } catch (fault) {
    if (fileFault(fault) === 'ENOENT') return undefined;
    throw new StoreRefused(`the master key ${file} cannot be read: ${fileFault(fault)}`);
  }
  if ((mode & everybody) !== 0)
    throw new StoreRefused(`every user of this machine can read the master key ${file}: protect it with chmod 600`);
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '');
  if (keys.length === 0 || !keys.every((key) => keyPattern.test(key))) {
    throw new StoreRefused(
      `${file} has no valid master key: each line must have 43 characters of base64url. Restore the file from its copy`,
    );
  }
  return keys.map(masterKeyOf);
}

/** A new master key, as a line of the file. */
export function newMasterKeyLine(): string {
  return `${randomBytes(keyBytes).toString('base64url')}\n`;
}

/** Makes the master key file. It is on disk before any key is wrapped with the master key. */
export function makeMasterKey(file: string, lines = newMasterKeyLine()): void {
  try {
    using opened = new DisposableStack();
    // With the flag `wx`, opening fails if the file exists.
    const descriptor = opened.adopt(openSync(file, 'wx', ownerOnlyFile), closeSync);
    try {
      writeFileSync(descriptor, lines);
      fsyncSync(descriptor);
    } catch (fault) {
      rmSync(file, { force: true });
      throw fault;
    }
    fsyncSync(opened.adopt(openSync(dirname(file), 'r'), closeSync));
  } catch (fault) {
    throw new StoreRefused(`the master key ${file} cannot be created: ${fileFault(fault)}`);
  }
}
