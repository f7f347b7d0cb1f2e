/* Makes the keys of accounts, and unwraps stored keys with the master key. */

import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { StoreRefused } from './refused.ts';
import { DataKey, gcm, nonceBytes, tagBytes } from './data-key.ts';
import { makeMasterKey, masterIdBytes, readMasterKeys, type MasterKey } from './master-key.ts';

/** A stored key of an account, wrapped with the master key. */
export interface WrappedKey {
  /** The account of the key; 0 for the gateway itself. */
  readonly account: number;
  readonly version: number;
  /** The id of the master key, a nonce, the encrypted key, a tag. */
  readonly wrapped: Uint8Array;
}

const keyBytes = 32;

/** The master keys of this process. Every thread that seals or opens values has one vault. */
export class Vault {
  readonly #file: string;
  #masters: readonly MasterKey[] | undefined;
  /** Unwrapped keys by their stored octets: when a key's row is dropped, its unwrapped key is, too. */
  readonly #unwrapped = new WeakMap<Uint8Array, DataKey>();

  /** The file is read only when the first key is needed. */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Checks that the master key is the one of a database, or makes the file if the database has no keys yet. Throws
   * `StoreRefused`.
   */
  check(stored: readonly WrappedKey[]): void {
    if (readMasterKeys(this.#file) === undefined) {
      if (stored.length > 0) {
        throw new StoreRefused(
          `the master key ${this.#file} is missing, and texts and passwords in the database are encrypted with it: copy it back from where you keep it, or from another node, or name its place with MORSEL_MASTER_KEY_FILE. Nothing was changed`,
        );
      }
      makeMasterKey(this.#file);
    }
    for (const each of stored) this.keyOf(each);
  }

  /** Makes and wraps a key of an account. */
  newKey(account: number, version: number): WrappedKey {
    return this.#wrap(account, version, randomBytes(keyBytes));
  }

  /** Unwraps a stored key. Throws `StoreRefused` if another master key wrapped it. */
  keyOf(stored: WrappedKey): DataKey {
    const known = this.#unwrapped.get(stored.wrapped);
    if (known) return known;
    const made = new DataKey(createSecretKey(this.#unwrap(stored)), stored.version);
    this.#unwrapped.set(stored.wrapped, made);
    return made;
  }

  /** Wraps a stored key with the present master key, the first in the file. Undefined if it is already. */
  rewrapped(stored: WrappedKey): Uint8Array | undefined {
    this.#masters = undefined;
    if (masterIdOf(stored.wrapped) === hexOf(this.#present().id)) return undefined;
    return this.#wrap(stored.account, stored.version, this.#unwrap(stored)).wrapped;
  }

  #wrap(account: number, version: number, key: Uint8Array): WrappedKey {
    const master = this.#present();
    const nonce = randomBytes(nonceBytes);
    const made = createCipheriv(gcm, master.key, nonce).setAAD(boundTo(account, version));
    const octets = Buffer.concat([made.update(key), made.final()]);
    const wrapped = Buffer.concat([Buffer.from(master.id, 'latin1'), nonce, octets, made.getAuthTag()]);
    return { account, version, wrapped: new Uint8Array(wrapped) };
  }

  #unwrap({ account, version, wrapped }: WrappedKey): Buffer {
    const id = Buffer.from(wrapped.subarray(0, masterIdBytes)).toString('latin1');
    const find = () => this.#masterKeys().find((each) => each.id === id);
    let master = find();
    if (!master) {
      // The operator may have added the master key to the file since.
      this.#masters = undefined;
      master = find();
    }
    if (!master) throw this.#refused();
    const [from, end] = [masterIdBytes + nonceBytes, wrapped.length - tagBytes];
    const opened = createDecipheriv(gcm, master.key, wrapped.subarray(masterIdBytes, from), {
      authTagLength: tagBytes,
    });
    opened.setAAD(boundTo(account, version)).setAuthTag(wrapped.subarray(end));
    try {
      return Buffer.concat([opened.update(wrapped.subarray(from, end)), opened.final()]);
    } catch {
      throw new StoreRefused(
        `the stored key ${version} of account ${account} was changed by another program: restore the database from a backup`,
      );
    }
  }

  #refused(): StoreRefused {
    return new StoreRefused(
      `the master key ${this.#file} is not the one of this database: copy the right one from where you keep it, or from another node, or name its place with MORSEL_MASTER_KEY_FILE. Nothing was changed`,
    );
  }

  #masterKeys(): readonly MasterKey[] {
    return (this.#masters ??= readMasterKeys(this.#file) ?? []);
  }

  #present(): MasterKey {
    const [present] = this.#masterKeys();
    if (!present) throw this.#refused();
    return present;
  }
}

/** The id of the master key that wrapped a stored key. It is shown to the operator. */
export function masterIdOf(wrapped: Uint8Array): string {
  return Buffer.from(wrapped.subarray(0, masterIdBytes)).toString('hex');
}

function hexOf(id: string): string {
  return Buffer.from(id, 'latin1').toString('hex');
}

function boundTo(account: number, version: number): Buffer {
  return Buffer.from(`key ${account} ${version}`);
}
