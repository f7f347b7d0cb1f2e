import type { Login } from '../../../core/account/login.ts';
import type { LoginCommand } from '../../commands/login.ts';
import type { LoginRow } from '../../tables/login.ts';
import type { Rows } from '../../tables/rows.ts';
import { bytes, integer, integerOrNull, text } from '../columns.ts';
import type { Record } from '../columns.ts';
import { allowedFrom, allowedText } from './rule-rows.ts';
import type { Statements } from '../statements.ts';

/** Loads the logins in use that a command names. */
export function loadLogins(rows: Rows, command: LoginCommand, statements: Statements): void {
  const named = command.kind === 'touch-logins' ? command.binds : [command];
  for (const { systemId } of named) {
    if (rows.logins.has(systemId) || rows.removedLogins.some((row) => row.systemId === systemId)) continue;
    const found = statements.get('select * from login where system_id = ? and removed_at is null', systemId);
    if (found) rows.logins.set(systemId, loginRowFrom(found));
  }
}

/** Removed logins come first: a new one may take the system_id in the same group. */
export function writeLogins(rows: Rows, statements: Statements): void {
  for (const row of rows.removedLogins) writeLogin(row, statements);
  for (const row of rows.logins.values()) writeLogin(row, statements);
}

function writeLogin(row: LoginRow, statements: Statements): void {
  if (row.change === 'none') return;
  const { hash, salt, cost, block, lanes } = row.password;
  const settings = [hash, salt, cost, block, lanes, allowedText(row.from), row.removedAt, row.lastBindAt];
  if (row.change === 'new') {
    statements.run(
      `insert into login (hash, salt, scrypt_cost, scrypt_block, scrypt_lanes, allowed_from, removed_at, last_bind_at,
        account, system_id, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...settings,
      row.account,
      row.systemId,
      row.createdAt,
    );
    return;
  }
  statements.run(
    `update login set hash = ?, salt = ?, scrypt_cost = ?, scrypt_block = ?, scrypt_lanes = ?, allowed_from = ?,
      removed_at = ?, last_bind_at = ? where system_id = ? and removed_at is null`,
    ...settings,
    row.systemId,
  );
}

export function loginFrom(row: Record): Login {
  return {
    id: integer(row, 'id'),
    account: integer(row, 'account'),
    systemId: text(row, 'system_id'),
    password: {
      hash: bytes(row, 'hash'),
      salt: bytes(row, 'salt'),
      cost: integer(row, 'scrypt_cost'),
      block: integer(row, 'scrypt_block'),
      lanes: integer(row, 'scrypt_lanes'),
    },
    from: allowedFrom(row),
  };
}

function loginRowFrom(row: Record): LoginRow {
  const { id: _id, ...login } = loginFrom(row);
  return {
    change: 'none',
    ...login,
    createdAt: integer(row, 'created_at'),
    removedAt: null,
    lastBindAt: integerOrNull(row, 'last_bind_at'),
  };
}
