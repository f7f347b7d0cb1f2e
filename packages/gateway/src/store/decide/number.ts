import type { Rejection } from '../../core/rejection.ts';
import { ok, refused } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { AddNumber, RemoveNumber } from '../inbound-commands.ts';
import { numberKey } from '../inbound-rows.ts';
import type { Rows } from '../rows.ts';

/** Gives a number to an account, for messages that come from now on. Nobody owns a number together with another. */
export function decideAddNumber(rows: Rows, command: AddNumber): Result<null, Rejection> {
  const account = rows.accountsByName.get(command.account);
  if (!account) return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  if (rows.inbound.numbers.has(key)) {
    return refused({ code: 'already_exists', detail: `the ${kind} ${number} has an account already: remove it first` });
  }
  const row = { kind, number, digits, account: account.account.id, createdAt: command.at, isNew: true };
  rows.inbound.numbers.set(key, row);
  return ok(null);
}

/** Messages that came before keep their account. */
export function decideRemoveNumber(rows: Rows, command: RemoveNumber): Result<null, Rejection> {
  const { number, digits, numberKind: kind } = command;
  const key = numberKey({ kind, digits });
  const row = rows.inbound.numbers.get(key);
  if (!row) return refused({ code: 'does_not_exist', detail: `no account has the ${kind} ${number}` });
  rows.inbound.removedNumbers.push(row);
  rows.inbound.numbers.delete(key);
  return ok(null);
}
