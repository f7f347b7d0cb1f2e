/* Finds accounts by name. An unknown name is refused, because an empty list in the answer would hide the mistake. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Reader } from '../../store/reader.ts';
import { noAccount } from '../../store/views/account/ids-of-names.ts';

interface Accounts {
  readonly snapshot: () => Pick<Snapshot, 'accounts'>;
}

/** Finds the account with this name, unless the account is removed. Without a name, the value is undefined. */
export function accountNamed(needs: Accounts, name: string): Result<Account, Rejection>;
export function accountNamed(needs: Accounts, name: string | undefined): Result<Account | undefined, Rejection>;
export function accountNamed({ snapshot }: Accounts, name: string | undefined): Result<Account | undefined, Rejection> {
  if (name === undefined) return ok(undefined);
  const found = [...snapshot().accounts.values()].find((each) => each.name === name);
  return found ? ok(found) : noAccount(name);
}

export interface KnownAccountNeeds {
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
}

/**
 * Checks the account by which a list is filtered; a removed account is accepted. Null without a name: the list is of
 * all accounts.
 */
export async function knownAccount(
  { reader, clock }: KnownAccountNeeds,
  account: string | undefined,
): Promise<Result<string | null, Rejection>> {
  if (account === undefined) return ok(null);
  const found = await reader.ask('account.show', { account, now: clock.now(), by: '' });
  if (!found.ok) return found;
  return found.value.ok ? ok(account) : found.value;
}
