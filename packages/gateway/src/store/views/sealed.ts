/* Opens sealed values for views. Keys are read together with the rows, so an erased key opens nothing. */

import type { SaidContent } from '../../core/message/content.ts';
import { decodeContent } from '../../state/sealing/content.ts';
import { keyVersionOf, type DataKey, type Sealed, type SealedPlace } from '../../state/sealing/data-key.ts';
import { gatewayKeys, hashingVersion } from '../../state/rows/keys.ts';
import { encryptionKeyTable } from '../../state/tables/account.ts';
import type { Queries } from './queries.ts';

/** A function that opens the values of an account; null for the gateway. It returns undefined if the key was erased. */
export async function openerOf(
  queries: Queries,
  account: number | null,
): Promise<(place: SealedPlace, value: Sealed) => Buffer | undefined> {
  const keys = await queries.find(encryptionKeyTable, 'where account = ?', account ?? gatewayKeys);
  return (place, value) => {
    const version = keyVersionOf(value);
    const key = keys.find((each) => each.version === version);
    return key && queries.vault.keyOf(key).open(place, value);
  };
}

export async function hashingKeyOf(queries: Queries): Promise<DataKey> {
  const where = 'where account = ? and version = ?';
  const key = await queries.first(encryptionKeyTable, where, gatewayKeys, hashingVersion);
  if (!key) throw new Error('the gateway has no key for hashes');
  return queries.vault.keyOf(key);
}

/** Reads the content of a message. Undefined if it was erased. */
export async function readSaid(
  queries: Queries,
  { account, ...place }: SealedPlace & { readonly account: number | null },
  content: Sealed | null,
): Promise<SaidContent | undefined> {
  if (!content) return undefined;
  const open = await openerOf(queries, account);
  const opened = open(place, content);
  return opened && decodeContent(opened);
}

/** Throws `StoreRefused` if another master key wrapped the keys of the database. */
export async function checkMasterKey(queries: Queries): Promise<void> {
  queries.vault.check(await queries.find(encryptionKeyTable, 'where account = ?', gatewayKeys));
}
