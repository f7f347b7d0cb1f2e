import type { Account } from '../core/account.ts';
import type { Rejection } from '../core/rejection.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { verifyToken } from '../core/token.ts';
import type { Instant } from '../core/time.ts';

interface AuthenticateNeeds {
  readonly snapshot: () => Snapshot;
  readonly clock: { now(): Instant };
  /** A token was used: written down now and then. */
  readonly used: (tokenId: string, at: Instant) => void;
}

/** The account that a token proves. One answer for missing, unknown, revoked and expired tokens. */
export function authenticate(needs: AuthenticateNeeds, token: string | undefined): Result<Account, Rejection> {
  const snapshot = needs.snapshot();
  const now = needs.clock.now();
  const record = token === undefined ? undefined : verifyToken(snapshot.tokens, token, now);
  const account = record && snapshot.accounts.get(record.account);
  if (!record || !account) return refused({ code: 'unauthorized' });
  needs.used(record.id, now);
  if (account.status !== 'active') return refused({ code: 'forbidden', detail: 'the account is suspended' });
  return ok(account);
}
