/* Accounts and carriers by their names. An unknown name is refused, because an empty list would hide the mistake. */

import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Account } from './account/account.ts';
import type { Rejection } from './base/rejection.ts';
import type { Carrier } from './routing/carrier.ts';
import type { Snapshot } from './snapshot.ts';

/** Finds the account with this name, unless the account is removed. Without a name, the value is undefined. */
export function accountNamed(snapshot: Pick<Snapshot, 'accounts'>, name: string): Result<Account, Rejection>;
export function accountNamed(
  snapshot: Pick<Snapshot, 'accounts'>,
  name: string | undefined,
): Result<Account | undefined, Rejection>;
export function accountNamed(
  { accounts }: Pick<Snapshot, 'accounts'>,
  name: string | undefined,
): Result<Account | undefined, Rejection> {
  if (name === undefined) return ok(undefined);
  const found = [...accounts.values()].find((each) => each.name === name);
  return found ? ok(found) : noAccount(name);
}

export function carrierNamed({ carriers }: Pick<Snapshot, 'carriers'>, name: string): Result<Carrier, Rejection> {
  const found = [...carriers.values()].find((each) => each.name === name);
  return found ? ok(found) : noCarrier(name);
}

export function noAccount(name: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no account named ${name}` });
}

export function noCarrier(name: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no carrier named ${name}` });
}

export function noWebhook(id: number): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no webhook ${id}` });
}
