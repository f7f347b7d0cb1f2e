import {
  isSystemId,
  makePassword,
  passwordLength,
  passwordMax,
  passwordMin,
  passwordRandomBytes,
  systemIdMax,
} from '../core/account/login.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../core/message/snapshot.ts';
import { change } from './administer.ts';
import type { AdministerNeeds } from './administer.ts';
import { ascii, invalid, name, optional, readFields } from './fields.ts';
import type { Field, Fields } from './fields.ts';
import type { Passwords } from '../flow/account/passwords.ts';
import { allowedAddresses } from './rule-fields.ts';

/* What the operator does to logins: by what accounts bind to us over SMPP. */

export interface LoginNeeds extends AdministerNeeds {
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly snapshot: () => Snapshot;
}

export const systemId: Field<string> = {
  parse: (text) =>
    isSystemId(text)
      ? ok(text)
      : refused(`it has to be 1 to ${systemIdMax} characters of ASCII that can be seen: SMPP has room for no more`),
};

const password = ascii(passwordMin, passwordMax);
const endChars = 4;

/** What a client is told. `password` stands here alone, and only if it was made by us. */
export interface Made {
  readonly systemId: string;
  readonly account?: string;
  readonly password?: string;
  /** What a client of SMPP 3.4 has to expect. */
  readonly warning?: string;
}

/** Makes a login; without a password of the operator's it gets one of ours, which this answer alone shows. */
export async function addLogin(needs: LoginNeeds, fields: Fields): Promise<Result<Made, Rejection>> {
  const table = {
    account: name,
    systemId: optional(systemId, undefined),
    password: optional(password, undefined),
    from: optional(allowedAddresses, 'any' as const),
  };
  const read = readFields(table, fields);
  if (!read.ok) return read;
  const { account, from, password: given } = read.value;
  const called = read.value.systemId ?? freeSystemId(needs, account);
  const secret = given ?? makePassword(needs.random(passwordRandomBytes));
  const added = await change<'add-login'>(needs, {
    kind: 'add-login',
    at: needs.clock.now(),
    account,
    systemId: called,
    password: await needs.passwords.hash(secret),
    from,
  });
  if (!added.ok) return added;
  return ok({ systemId: called, account, ...(given === undefined && { password: secret }), ...warningOf(secret) });
}

/** Changes where a login may be used from, or its password: sessions that are bound go on. */
export async function setLogin(needs: LoginNeeds, fields: Fields): Promise<Result<Made, Rejection>> {
  const table = { systemId, password: optional(password, undefined), from: optional(allowedAddresses, undefined) };
  const read = readFields(table, fields);
  if (!read.ok) return read;
  const { systemId: called, password: given, from } = read.value;
  if (given === undefined && from === undefined) return invalid('systemId', 'name a setting to change: password, from');
  const set = await change<'set-login'>(needs, {
    kind: 'set-login',
    at: needs.clock.now(),
    systemId: called,
    ...(given !== undefined && { password: await needs.passwords.hash(given) }),
    ...(from !== undefined && { from }),
  });
  return set.ok ? ok({ systemId: called, ...(given !== undefined && warningOf(given)) }) : set;
}

/** Ends a login. Nobody binds with it from the moment this answers, and its sessions are being closed. */
export async function removeLogin(needs: LoginNeeds, fields: Fields): Promise<Result<Made, Rejection>> {
  const read = readFields({ systemId }, fields);
  if (!read.ok) return read;
  const removed = await change<'remove-login'>(needs, { kind: 'remove-login', at: needs.clock.now(), ...read.value });
  return removed.ok ? read : removed;
}

/** The account's name as far as SMPP has room for it, with something behind it if another login is called so. */
function freeSystemId({ snapshot, random }: LoginNeeds, account: string): string {
  const whole = account.slice(0, systemIdMax);
  if (!snapshot().logins.has(whole)) return whole;
  const end = makePassword(random(passwordRandomBytes)).slice(0, endChars).toLowerCase();
  return `${account.slice(0, systemIdMax - endChars - 1)}-${end}`;
}

function warningOf({ length }: string): { readonly warning?: string } {
  if (length <= passwordLength) return {};
  return {
    warning: `the password has ${length} characters: SMPP 3.4 has room for ${passwordLength}, and clients that keep to it cut it or refuse it`,
  };
}
