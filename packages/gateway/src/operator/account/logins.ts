import type { login } from '@morsel/api/admin/account/login.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { passwordLength, systemIdMax } from '@morsel/api/values/credentials.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { makePassword, passwordRandomBytes } from '../../core/account/login.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import type { Reader } from '../../store/reader.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';

/* The operator's actions on logins. */

export interface LoginNeeds extends ChangeNeeds {
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly snapshot: () => Snapshot;
  readonly reader: Pick<Reader, 'ask'>;
}

type Operations = typeof login.operations;

const endChars = 4;

/** Makes a login. If the request has no password, one is generated, and only this answer shows it. */
export async function addLogin(
  needs: LoginNeeds,
  { account, systemId: wanted, password: given, from }: InputOf<Operations['add']>,
): Promise<Result<AnswerOf<Operations['add']>, Rejection>> {
  const systemId = wanted ?? freeSystemId(needs, account);
  const secret = given ?? makePassword(needs.random(passwordRandomBytes));
  const added = await change<'add-login'>(needs, {
    kind: 'add-login',
    at: needs.clock.now(),
    account,
    systemId,
    password: await needs.passwords.hash(secret),
    from,
  });
  if (!added.ok) return added;
  return ok({ systemId, account, ...(given === undefined && { password: secret }), ...warningOf(secret) });
}

/** Changes the addresses or the password of a login. Sessions that are bound stay bound. */
export async function setLogin(
  needs: LoginNeeds,
  { systemId, password, from }: InputOf<Operations['set']>,
): Promise<Result<AnswerOf<Operations['set']>, Rejection>> {
  const set = await change<'set-login'>(needs, {
    kind: 'set-login',
    at: needs.clock.now(),
    systemId,
    ...(password !== undefined && { password: await needs.passwords.hash(password) }),
    ...(from !== undefined && { from }),
  });
  if (!set.ok) return set;
  const found = await needs.reader.ask('login', systemId);
  if (!found.ok) return found;
  // Another operator may have removed the login in between.
  if (!found.value) return refused({ code: 'does_not_exist', detail: `there is no login with system_id ${systemId}` });
  return ok({ ...found.value, ...(password !== undefined && warningOf(password)) });
}

/** Removes a login. After the answer, nobody can bind with this login, and its sessions are being closed. */
export async function removeLogin(
  needs: LoginNeeds,
  { systemId }: InputOf<Operations['remove']>,
): Promise<Result<AnswerOf<Operations['remove']>, Rejection>> {
  const removed = await change<'remove-login'>(needs, { kind: 'remove-login', at: needs.clock.now(), systemId });
  return removed.ok ? ok({ systemId }) : removed;
}

/** Makes a system_id from the account's name, cut for SMPP, with a suffix if another login has that name. */
function freeSystemId({ snapshot, random }: LoginNeeds, account: string): string {
  const whole = account.slice(0, systemIdMax);
  if (!snapshot().logins.has(whole)) return whole;
  const end = makePassword(random(passwordRandomBytes)).slice(0, endChars).toLowerCase();
  return `${account.slice(0, systemIdMax - endChars - 1)}-${end}`;
}

function warningOf({ length }: string): { readonly warning?: string } {
  if (length <= passwordLength) return {};
  return {
    warning: `the password has ${length} characters: SMPP 3.4 allows ${passwordLength}, and some clients cut or refuse a longer password`,
  };
}
