import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AddNumber, RemoveNumber, SetNumber } from '../../commands/inbound.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { NumberRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';

/**
 * Gives a number to an account, or makes it shared, for messages that come from now on. A number has one account at
 * most.
 */
export function decideAddNumber(rows: Rows, command: AddNumber): Result<null, Rejection> {
  const account = command.account === null ? null : rows.accountsByName.get(command.account);
  if (account === undefined)
    return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const before = rows.inbound.numbers.get(key);
  if (before) return refused({ code: 'already_exists', detail: isThere(rows, before, account?.id ?? null) });
  const row = { kind, number, digits, account: account?.id ?? null, createdAt: command.at, isNew: true };
  rows.inbound.numbers.set(key, row);
  return ok(null);
}

/**
 * The present account of a number, and how to give it to another. Removing it first would need its keywords removed.
 */
function isThere(rows: Rows, { kind, number, account: owner }: NumberRow, wanted: number | null): string {
  const name = owner === null ? undefined : rows.accounts.get(owner)?.name;
  const whose = owner === null ? 'shared' : name === undefined ? 'there' : `of ${name}`;
  const isAsWanted = owner === wanted;
  return `the ${kind} ${number} is ${whose} already${isAsWanted ? '' : ': use number set to give it to another'}`;
}

/** Changes the account of a number, for messages that come from now on. Its keywords stay. */
export function decideSetNumber(rows: Rows, command: SetNumber): Result<null, Rejection> {
  const account = command.account === null ? null : rows.accountsByName.get(command.account);
  if (account === undefined)
    return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const row = rows.inbound.numbers.get(key);
  if (!row) return refused({ code: 'does_not_exist', detail: `there is no ${kind} ${number}: use number add` });
  rows.inbound.numbers.set(key, { ...row, account: account?.id ?? null, isChanged: true });
  return ok(null);
}

/**
 * Messages that came before keep their account. A number with keywords is refused, so that they are not lost unseen.
 */
export function decideRemoveNumber(rows: Rows, command: RemoveNumber): Result<null, Rejection> {
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const row = rows.inbound.numbers.get(key);
  if (!row) {
    const isRange = kind === 'number' && rows.inbound.numbers.has(numberKey({ kind: 'prefix', digits }));
    const hint = isRange ? `; ${number}… is a range: give --prefix` : '';
    return refused({ code: 'does_not_exist', detail: `no account has the ${kind} ${number}${hint}` });
  }
  const keywords = rows.inbound.keywords.get(key)?.words.size ?? 0;
  if (keywords > 0) {
    const detail = `the ${kind} ${number} has ${keywords === 1 ? '1 keyword: remove it' : `${keywords} keywords: remove them`} first, or give the number to another account with number set`;
    return refused({ code: 'in_use', detail });
  }
  rows.inbound.removedNumbers.push(row);
  rows.inbound.numbers.delete(key);
  return ok(null);
}
