import type { Rejection } from '../../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { LoginCommand, LoginResults } from '../../commands/login.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { exists, missing } from '../decided.ts';

/**
 * Decides commands about logins. Only one login at a time can have a system_id, because the system_id identifies the
 * client at a bind.
 */
export function decideLogin(rows: Rows, command: LoginCommand): Result<LoginResults[LoginCommand['kind']], Rejection> {
  if (command.kind === 'touch-logins') {
    for (const bind of command.binds) {
      const row = rows.logins.get(bind.systemId);
      if (!row) continue;
      row.lastBindAt = bind.at;
      touch(row);
    }
    return ok(null);
  }
  const { systemId, at } = command;
  const row = rows.logins.get(systemId);
  if (command.kind === 'add-login') {
    const account = rows.accountsByName.get(command.account)?.id;
    if (account === undefined) return missing(`there is no account named ${command.account}`);
    if (row) return exists(`a login with the system_id ${systemId} exists already`);
    const { password, from } = command;
    const times = { createdAt: at, removedAt: null, lastBindAt: null };
    rows.notifications.haveDestinationsChanged = true;
    rows.logins.set(systemId, {
      change: 'new',
      id: rows.counters.login++,
      account,
      systemId,
      password,
      from,
      ...times,
    });
    return ok(null);
  }
  if (!row) return missing(`there is no login with the system_id ${systemId}`);
  if (command.kind === 'remove-login') {
    row.removedAt = at;
    rows.notifications.haveDestinationsChanged = true;
    rows.logins.delete(systemId);
    rows.removedLogins.push(row);
  } else {
    row.password = command.password ?? row.password;
    row.from = command.from ?? row.from;
  }
  touch(row);
  return ok(null);
}
