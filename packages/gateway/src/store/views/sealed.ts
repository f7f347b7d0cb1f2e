import { keyVersionOf } from '../sealing/data-key.ts';
import type { Sealed, SealedPlace } from '../sealing/data-key.ts';
import { gatewayKeys } from '../rows/keys.ts';
import { encryptionKeyTable } from '../tables/account.ts';
import type { Queries } from './queries.ts';

/** Reads the keys of an account, null for the gateway. Returns what opens its values: undefined if a key was erased. */
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

/** Checks that the master key is that of the database. Throws `StoreRefused`. */
export async function checkMasterKey(queries: Queries): Promise<void> {
  queries.vault.check(await queries.find(encryptionKeyTable, 'where account = ?', gatewayKeys));
}
