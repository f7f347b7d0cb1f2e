/* Seals and opens values in decisions, with the keys of their accounts. */

import { type DataKey, type Sealed, type SealedPlace, keyVersionOf } from '../sealing/data-key.ts';
import { encryptionKeyTable, keysOfAccount, type EncryptionKeyRow } from '../tables/account.ts';
import type { Rows } from './rows.ts';
import type { Reads } from './reads.ts';
import type { Vault } from '../sealing/vault.ts';

/** The account number of the gateway's own keys. They seal values that belong to no account. */
export const gatewayKeys = 0;
/** The version of the gateway's key for hashes. No rotation changes it, because hashes cannot be made again. */
export const hashingVersion = 0;
const firstVersion = 1;

/** Reads the keys of an account, or of the gateway if the account is null. */
export function readKeys(read: Reads, account: number | null): void {
  const asked = account ?? gatewayKeys;
  if (!read.rows.isLoaded(keysOfAccount, [asked])) read.all(keysOfAccount, asked);
}

/** Makes the first key of an account, in the commit that makes the account. */
export function addFirstKey(rows: Rows, account: number, createdAt: number): void {
  rows.add(encryptionKeyTable, { ...rows.vault.newKey(account, firstVersion), createdAt });
}

/** Makes the keys of the gateway, at the first start on a database. */
export function addGatewayKeys(rows: Rows, createdAt: number): void {
  if (rows.all(keysOfAccount, gatewayKeys).length > 0) return;
  rows.add(encryptionKeyTable, { ...rows.vault.newKey(gatewayKeys, hashingVersion), createdAt });
  addFirstKey(rows, gatewayKeys, createdAt);
}

/** A place of a sealed value, and the account whose key seals the value; null for the gateway. */
interface AccountPlace extends SealedPlace {
  readonly account: number | null;
}

/** Seals a value with the newest key of its account. */
export function seal(rows: Rows, place: AccountPlace, value: Uint8Array | string): Sealed {
  const account = place.account ?? gatewayKeys;
  let key = rows.newestKeys.get(account);
  if (!key) {
    const newest = newestOf(rows.all(keysOfAccount, account));
    if (!newest) throw new Error('an account without a key cannot store anything');
    key = rows.vault.keyOf(newest);
    rows.newestKeys.set(account, key);
  }
  return key.seal(place, value);
}

/** Opens a value. Undefined if its key was erased. */
export function unseal(rows: Rows, place: AccountPlace, value: Sealed): Buffer | undefined {
  const version = keyVersionOf(value);
  const key = rows.all(keysOfAccount, place.account ?? gatewayKeys).find((each) => each.version === version);
  return key && rows.vault.keyOf(key).open(place, value);
}

/** The key for hashes of texts. Without a key, a short text could be guessed from its hash. */
export function hashingKey(rows: Rows): DataKey {
  const key = findHashingKey(rows, rows.vault);
  if (!key) throw new Error('the gateway has no key for hashes');
  return key;
}

/** The key for hashes, if a command of the group has read it. */
export function loadedHashingKey(rows: Rows): DataKey | undefined {
  return rows.isLoaded(keysOfAccount, [gatewayKeys]) ? hashingKey(rows) : undefined;
}

/** The key for hashes, for a command that names rows by hashes. Undefined until the gateway's keys are loaded. */
export function readHashingKey(read: Reads): DataKey | undefined {
  return findHashingKey(read, read.rows.vault);
}

function findHashingKey(rows: Pick<Reads, 'all'>, vault: Vault): DataKey | undefined {
  const key = rows.all(keysOfAccount, gatewayKeys).find(({ version }) => version === hashingVersion);
  return key && vault.keyOf(key);
}

function newestOf(keys: readonly EncryptionKeyRow[]): EncryptionKeyRow | undefined {
  let newest: EncryptionKeyRow | undefined;
  for (const key of keys) if (!newest || key.version > newest.version) newest = key;
  return newest;
}
