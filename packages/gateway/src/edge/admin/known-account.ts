import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../../store/reader.ts';

export interface KnownAccountNeeds {
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
}

/** The account that a list is asked for, or null for all; an unknown name is refused, so that it does not look like an empty list. */
export async function knownAccount(
  { reader, clock }: KnownAccountNeeds,
  account: string | undefined,
): Promise<Result<string | null, Rejection>> {
  if (account === undefined) return ok(null);
  const found = await reader.ask('account', { name: account, now: clock.now() });
  if (!found.ok) return found;
  return found.value ? ok(account) : unknownAccount(account);
}

export function unknownAccount(name: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no account named ${name}` });
}
