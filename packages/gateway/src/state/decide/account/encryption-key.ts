/* Decisions of the operations on encryption keys, and of the erasure of an account's texts. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { noAccount } from '../../../core/named.ts';
import { hashingVersion } from '../../rows/keys.ts';
import { search } from '../../tables/lookup.ts';
import { accountByName, encryptionKeyTable, keysOfAccount, type EncryptionKeyRow } from '../../tables/account.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { webhooksOfAccount } from '../../tables/webhook.ts';
import { inUse } from '../decided.ts';
import type { Decision } from '../decision.ts';

/** All encryption keys, as stored before this group of commands. */
const allKeys = search<[]>()('encryption_key.all', encryptionKeyTable);

/** Makes a new version of one account's key, or of all keys. */
const rotate: Decision<'encryptionKey.rotate'> = (rows, { account: name }, { at }) => {
  const account = name === undefined ? undefined : rows.one(accountByName, name);
  if (name !== undefined && !account) return noAccount(name);
  const present = account ? rows.all(keysOfAccount, account.id) : rows.all(allKeys);
  const newest = new Map<number, number>();
  for (const key of present) newest.set(key.account, Math.max(key.version, newest.get(key.account) ?? hashingVersion));
  for (const [owner, version] of newest) addVersion(rows, { account: owner, version: version + 1 }, at);
  return ok({ keys: newest.size });
};

/** Wraps all keys with the present master key. */
const rewrap: Decision<'encryptionKey.rewrap'> = (rows) => {
  let keys = 0;
  for (const key of rows.all(allKeys)) {
    const wrapped = rows.vault.rewrapped(key);
    if (!wrapped) continue;
    key.wrapped = wrapped;
    touch(key);
    keys += 1;
  }
  return ok({ keys });
};

/** Drops an account's keys, so that nobody can read its texts any more. New texts get a new key. */
const eraseAccount: Decision<'account.erase'> = (rows, { account: name }, { at }) => {
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
  if (account.status === 'active')
    return inUse(
      `account ${name} is active, and its waiting messages would be lost: use account suspend ${name} first`,
    );
  // Webhook secrets are sealed with the account's key, so the webhooks must be removed first.
  const webhooks = rows.all(webhooksOfAccount, account.id).length;
  if (webhooks > 0) return inUse(`account ${name} still has ${webhooks} webhooks (webhook remove): remove these first`);
  const keys = rows.all(keysOfAccount, account.id);
  const newest = Math.max(...keys.map(({ version }) => version), hashingVersion);
  for (const key of keys) key.change = 'gone';
  addVersion(rows, { account: account.id, version: newest + 1 }, at);
  return ok({ account: name });
};

export const encryptionKeyDecisions = {
  'account.erase': eraseAccount,
  'encryptionKey.rotate': rotate,
  'encryptionKey.rewrap': rewrap,
};

function addVersion(
  rows: Rows,
  { account, version }: Pick<EncryptionKeyRow, 'account' | 'version'>,
  at: Instant,
): void {
  rows.newestKeys.delete(account);
  rows.add(encryptionKeyTable, { ...rows.vault.newKey(account, version), createdAt: at });
}
