/* Commands about how operators sign in to the console, and about their sessions. */

import type { PasswordHash } from '../../../core/account/login.ts';
import { isEnded } from '../../../core/account/token.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys, seal } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  keysOfOperator,
  operatorByName,
  operatorKeyTable,
  operatorSignInTable,
  signInOfOperator,
} from '../../tables/access.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { missing, type Decided } from '../decided.ts';

/** The most sessions of an operator. The oldest one ends for a new one. */
const sessionsMax = 20;

interface OfOperator {
  readonly at: Instant;
  readonly operator: string;
}

interface SetPassword extends OfOperator {
  readonly password: PasswordHash;
  /** The step of the one-time code that allowed it; null without a code. */
  readonly codeStep: number | null;
}

/** Sets the password of an operator, and ends all sessions. */
export const setOperatorPasswordCommand = {
  isSetting: true,
  reads(read: Reads, { operator }: SetPassword): void {
    readSignIn(read, operator);
    read.all(keysOfOperator, operator);
  },
  decide(rows: Rows, { at, operator, password, codeStep }: SetPassword): Decided<null> {
    if (!rows.one(operatorByName, operator)) return missing(`there is no operator named ${operator}`);
    const known = rows.one(signInOfOperator, operator);
    if (known) {
      if (!takeCode(known, codeStep)) return refused({ code: 'unauthorized' });
      known.password = password;
      known.changedAt = at;
      touch(known);
    } else {
      const id = rows.nextId(operatorSignInTable);
      rows.add(operatorSignInTable, { id, operator, password, codeSecret: null, codeStep: 0, changedAt: at });
    }
    for (const key of rows.all(keysOfOperator, operator)) if (key.kind === 'session') key.change = 'gone';
    return ok(null);
  },
};

interface SetCodes extends OfOperator {
  /** Null: without codes. */
  readonly secret: Uint8Array | null;
  /** The step of the code that proved the secret. */
  readonly step: number;
}

/** Lets an operator sign in with one-time codes from now on, or without them. */
export const setOperatorCodesCommand = {
  isSetting: true,
  reads(read: Reads, { operator }: SetCodes): void {
    readSignIn(read, operator);
    readKeys(read, null);
  },
  decide(rows: Rows, { at, operator, secret, step }: SetCodes): Decided<null> {
    if (!rows.one(operatorByName, operator)) return missing(`there is no operator named ${operator}`);
    const row = rows.one(signInOfOperator, operator);
    if (!row) return missing(`operator ${operator} has no password yet`);
    const place = { account: null, column: 'operator_sign_in.code_secret', id: row.id } as const;
    row.codeSecret = secret && seal(rows, place, secret);
    row.codeStep = step;
    row.changedAt = at;
    touch(row);
    return ok(null);
  },
};

interface BeginSession extends OfOperator {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly expiresAt: Instant;
  readonly agent: string;
  /** The step of the one-time code; null if the operator uses none. */
  readonly codeStep: number | null;
}

/** Begins a session of the console. The password was right. */
export const beginSessionCommand = {
  isSetting: true,
  reads(read: Reads, { operator }: BeginSession): void {
    readSignIn(read, operator);
    read.all(keysOfOperator, operator);
  },
  decide(rows: Rows, { at, operator, codeStep, ...session }: BeginSession): Decided<null> {
    const row = rows.one(signInOfOperator, operator);
    if (!row || !rows.one(operatorByName, operator)) return missing(`there is no operator named ${operator}`);
    if (!takeCode(row, codeStep)) return refused({ code: 'unauthorized' });
    if (codeStep !== null) touch(row);
    const sessions = rows.all(keysOfOperator, operator).filter(({ kind }) => kind === 'session');
    const working = sessions
      .filter((each) => !isEnded(each, at))
      .toSorted((one, other) => one.createdAt - other.createdAt);
    const over = working.slice(0, Math.max(0, working.length + 1 - sessionsMax));
    for (const each of sessions) if (over.includes(each) || isEnded(each, at)) each.change = 'gone';
    const rest = { from: 'any', createdAt: at, revokedAt: null, lastUsedAt: at, kind: 'session' } as const;
    rows.add(operatorKeyTable, { ...session, ...rest, operator });
    return ok(null);
  },
};

/** Whether a code still counts. Another request, or another node, may have taken it meanwhile. */
function takeCode(row: { codeStep: number }, codeStep: number | null): boolean {
  if (codeStep === null) return true;
  if (codeStep <= row.codeStep) return false;
  row.codeStep = codeStep;
  return true;
}

function readSignIn(read: Reads, operator: string): void {
  read.one(operatorByName, operator);
  read.one(signInOfOperator, operator);
}
