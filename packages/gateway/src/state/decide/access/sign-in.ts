/* Decisions about the sign-in of operators to the console, and about their sessions. */

import type { PasswordHash } from '../../../core/account/login.ts';
import { isEnded } from '../../../core/account/token.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { seal } from '../../rows/keys.ts';
import {
  keysOfOperator,
  operatorByName,
  operatorKeyTable,
  operatorSignInTable,
  signInOfOperator,
} from '../../tables/access.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';
import { noOperator } from './operator.ts';

/** The most sessions of an operator. A new session ends the oldest one. */
const sessionsMax = 20;

/** What the caller makes for a new password, outside the decision. */
interface MadePassword {
  readonly hash: PasswordHash;
  /** The time step of the one-time code that allowed the change; null if no code was given. */
  readonly codeStep: number | null;
}

/** Sets a password, and ends all sessions of the operator. */
const setPassword: Decision<'operator.password', MadePassword> = (rows, _input, { at, by: operator, made }) => {
  if (!rows.one(operatorByName, operator)) return noOperator(operator);
  const known = rows.one(signInOfOperator, operator);
  if (known) {
    if (!takeCode(known, made.codeStep)) return refused({ code: 'unauthorized' });
    known.password = made.hash;
    known.changedAt = at;
    touch(known);
  } else {
    const id = rows.nextId(operatorSignInTable);
    rows.add(operatorSignInTable, { id, operator, password: made.hash, codeSecret: null, codeStep: 0, changedAt: at });
  }
  for (const key of rows.all(keysOfOperator, operator)) if (key.kind === 'session') key.change = 'gone';
  return ok({ operator });
};

/** The secret of the authenticator app, and the time step of the code that proved it. */
interface MadeCodes {
  readonly secret: Uint8Array;
  readonly step: number;
}

const setCodes: Decision<'operator.codes', MadeCodes> = (rows, _input, { at, by, made }) =>
  changeCodes(rows, { ...made, at, operator: by });

const removeCodes: Decision<'operator.withoutCodes'> = (rows, { operator }, { at }) =>
  changeCodes(rows, { at, operator, secret: null, step: 0 });

export const signInDecisions = {
  'operator.password': setPassword,
  'operator.codes': setCodes,
  'operator.withoutCodes': removeCodes,
};

interface OfOperator {
  readonly at: Instant;
  readonly operator: string;
}

/** The secret is null if the operator uses no one-time codes. */
type Codes = OfOperator & { readonly secret: Uint8Array | null; readonly step: number };

function changeCodes(rows: Rows, { at, operator, secret, step }: Codes): Decided<{ readonly operator: string }> {
  if (!rows.one(operatorByName, operator)) return noOperator(operator);
  const row = rows.one(signInOfOperator, operator);
  if (!row) return missing(`operator ${operator} has no password yet`);
  const place = { account: null, column: 'operator_sign_in.code_secret', id: row.id } as const;
  row.codeSecret = secret && seal(rows, place, secret);
  row.codeStep = step;
  row.changedAt = at;
  touch(row);
  return ok({ operator });
}

interface BeginSession extends OfOperator {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly expiresAt: Instant;
  readonly agent: string;
  /** The time step of the one-time code; null if the operator uses none. */
  readonly codeStep: number | null;
}

/** Signing in is not an operation of the API, because the operator has no key yet. */
export const beginSessionCommand = { isSetting: true, ...rehearsed(beginSession) };

/** Begins a session. The caller has checked the password. */
function beginSession(rows: Rows, { at, operator, codeStep, ...session }: BeginSession): Decided<null> {
  const row = rows.one(signInOfOperator, operator);
  if (!row || !rows.one(operatorByName, operator)) return noOperator(operator);
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
}

/** Whether a one-time code is unused. Another request or node may have used it since it was checked. */
function takeCode(row: { codeStep: number }, codeStep: number | null): boolean {
  if (codeStep === null) return true;
  if (codeStep <= row.codeStep) return false;
  row.codeStep = codeStep;
  return true;
}
