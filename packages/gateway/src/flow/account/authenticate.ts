import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { isWithin, parseAddress, type AddressRange, type AllowList } from '@morsel/api/values/address-range.ts';
import type { VerifiedTokens } from '../../core/account/token.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Tools } from '../ports.ts';

interface Asker {
  readonly token: string | undefined;
  readonly address: string;
  readonly scope: TokenScope;
}

/** Missing, unknown, revoked and expired tokens get the same rejection. */
export function authenticate(
  needs: Pick<Tools, 'clock'> & {
    readonly snapshot: () => Snapshot;
    readonly verified: Pick<VerifiedTokens, 'verify'>;
    /** Called for each use of a token, to count its requests. */
    readonly used: (tokenId: string, at: Instant) => void;
  },
  { token, address, scope }: Asker,
): Result<Account, Rejection> {
  const snapshot = needs.snapshot();
  const now = needs.clock.now();
  const record = token === undefined ? undefined : needs.verified.verify(snapshot.tokens, token, now);
  const account = record && snapshot.accounts.get(record.account);
  if (!record || !account) return refused({ code: 'unauthorized' });
  needs.used(record.id, now);
  const forbid = (detail: string) => refused<Rejection>({ code: 'forbidden', detail, account: account.name });
  if (account.status !== 'active') return forbid('the account is suspended');
  if (!isFrom(account.from, address) || !isFrom(record.from, address)) {
    return forbid('requests are not allowed from this address');
  }
  if (!record.scopes.includes(scope)) {
    return forbid(`the token has no scope ${scope}: it is for ${record.scopes.join(', ')}`);
  }
  return ok(account);
}

export function isFrom(ranges: AllowList<AddressRange>, address: string): boolean {
  if (ranges === 'any') return true;
  const words = parseAddress(address);
  return words !== undefined && isWithin(ranges, words);
}
