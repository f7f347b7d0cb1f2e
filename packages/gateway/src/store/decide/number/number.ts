import { accountById, accountByName } from '../../tables/account.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AddNumber, RemoveNumber, SetNumber } from '../../commands/inbound.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { NumberRow } from '../../tables/inbound.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';

/** Adds a number for an account, or a shared number. Messages that were received before keep their account. */
export function decideAddNumber(rows: Rows, command: AddNumber): Result<null, Rejection> {
  const account = command.account === null ? null : rows.one(accountByName, command.account);
  if (account === undefined)
    return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const before = rows.inbound.numbers.get(key);
  if (before) return refused({ code: 'already_exists', detail: isThere(rows, before, account?.id ?? null) });
  const row = { kind, number, digits, account: account?.id ?? null, createdAt: command.at, change: 'new' as const };
  rows.inbound.numbers.set(key, row);
  return ok(null);
}

/** The reason why a number cannot be added: it exists already. */
function isThere(rows: Rows, { kind, number, account: owner }: NumberRow, wanted: number | null): string {
  const name = owner === null ? undefined : rows.one(accountById, owner)?.name;
  const whose =
    owner === null ? 'is already shared' : name === undefined ? 'exists already' : `already belongs to account ${name}`;
  const isAsWanted = owner === wanted;
  return `the ${kind} ${number} ${whose}${isAsWanted ? '' : ': use number set to give it to another account'}`;
}

/**
 * Changes the account of a number. Messages that were received before keep their account, and the number keeps its
 * keywords.
 */
export function decideSetNumber(rows: Rows, command: SetNumber): Result<null, Rejection> {
  const account = command.account === null ? null : rows.one(accountByName, command.account);
  if (account === undefined)
    return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const row = rows.inbound.numbers.get(key);
  if (!row) return refused({ code: 'does_not_exist', detail: `there is no ${kind} ${number}: add it with number add` });
  row.account = account?.id ?? null;
  touch(row);
  return ok(null);
}

/** Removes a number without keywords. Messages that were received before keep their account. */
export function decideRemoveNumber(rows: Rows, command: RemoveNumber): Result<null, Rejection> {
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const row = rows.inbound.numbers.get(key);
  if (!row) {
    const isRange = kind === 'number' && rows.inbound.numbers.has(numberKey({ kind: 'prefix', digits }));
    const hint = isRange ? `; ${number}… is a range of numbers: use --prefix` : '';
    return refused({ code: 'does_not_exist', detail: `there is no ${kind} ${number}${hint}` });
  }
  const keywords = rows.inbound.keywords.get(key)?.words.size ?? 0;
  if (keywords > 0) {
    const count = keywords === 1 ? '1 keyword' : `${keywords} keywords`;
    const detail = `the ${kind} ${number} still has ${count}: remove them first, or give the number to another account (number set)`;
    return refused({ code: 'in_use', detail });
  }
  rows.inbound.removedNumbers.push(row);
  rows.inbound.numbers.delete(key);
  return ok(null);
}
