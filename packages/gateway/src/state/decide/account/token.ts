/* Commands about tokens: add, rotate and revoke. */

import { ok, refused } from '@morsel/api/values/result.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { accountById, accountByName, tokenById, tokenTable } from '../../tables/account.ts';
import { touch, type Rows } from '../../tables/rows.ts';
import { missing, type Decided } from '../decided.ts';
import type { Reads } from '../../rows/reads.ts';

interface AddToken {
  readonly at: Instant;
  readonly account: string;
  readonly id: string;
  readonly hash: Uint8Array;
  readonly scopes: readonly TokenScope[];
  readonly expiresAt: Instant | null;
  readonly from: AllowList<AddressRange>;
}

export const addTokenCommand = {
  isSetting: true,
  reads(read: Reads, { account, id }: AddToken): void {
    read.one(accountByName, account);
    read.one(tokenById, id);
  },
  decide(rows: Rows, { at, account: name, ...token }: AddToken): Decided<{ readonly id: string }> {
    const account = rows.one(accountByName, name);
    if (!account) return missing(`there is no account named ${name}`);
    rows.add(tokenTable, { ...token, account: account.id, createdAt: at, revokedAt: null });
    return ok({ id: token.id });
  },
};

/** Makes a token with the rights of another one, and ends that one now or at an instant. */
interface RotateToken {
  readonly at: Instant;
  readonly id: string;
  readonly endsAt: Instant | null;
  readonly newId: string;
  readonly hash: Uint8Array;
}

interface Rotated {
  readonly account: string;
  /** When the former token ends, and when the new one does. */
  readonly endsAt: Instant;
  readonly expiresAt: Instant | null;
}

export const rotateTokenCommand = {
  isSetting: true,
  reads(read: Reads, { id, newId }: RotateToken): void {
    const former = read.one(tokenById, id);
    read.one(tokenById, newId);
    if (former) read.one(accountById, former.account);
  },
  /**
   * Replaces a token. The new token has the account, scopes, addresses and expiry of the former token. The former token
   * expires at `endsAt`, or at its own expiry if that is earlier.
   */
  decide(rows: Rows, { at, id, newId, hash, ...command }: RotateToken): Decided<Rotated> {
    const former = rows.one(tokenById, id);
    if (!former) return missing(`there is no token with the id ${id}`);
    const account = rows.one(accountById, former.account)?.name ?? '';
    if (former.revokedAt !== null || (former.expiresAt !== null && former.expiresAt <= at)) {
      const how = former.revokedAt === null ? 'has expired' : 'is revoked';
      return refused({
        code: 'invalid_parameter',
        field: 'id',
        detail: `token ${id} ${how}: make a new token with token add ${account}`,
      });
    }
    const { expiresAt } = former;
    rows.add(tokenTable, { ...former, change: 'new', id: newId, hash, createdAt: at });
    const endsAt = Math.min(command.endsAt ?? at, expiresAt ?? Number.POSITIVE_INFINITY);
    if (endsAt === at) former.revokedAt = at;
    else former.expiresAt = endsAt;
    touch(former);
    return ok({ account, endsAt, expiresAt });
  },
};

interface RevokeToken {
  readonly at: Instant;
  readonly id: string;
}

export const revokeTokenCommand = {
  isSetting: true,
  reads(read: Reads, { id }: RevokeToken): void {
    read.one(tokenById, id);
  },
  decide(rows: Rows, { at, id }: RevokeToken): Decided<null> {
    const token = rows.one(tokenById, id);
    if (!token) return missing(`there is no token with the id ${id}`);
    token.revokedAt ??= at;
    touch(token);
    return ok(null);
  },
};
