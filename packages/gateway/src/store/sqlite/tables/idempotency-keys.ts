import { toMessageId } from '../../../core/base/message-id.ts';
import type { Accept, CommandOf } from '../../commands/commands.ts';
import { idempotencyId } from '../../tables/idempotency.ts';
import type { IdempotencyKeyRow } from '../../tables/idempotency.ts';
import type { Rows } from '../../tables/rows.ts';
import { micros, bytes, integer, text } from '../columns.ts';
import type { Statements } from '../statements.ts';

/* Idempotency keys in SQLite: read by the commit of a message with a key, and by the view that asks before it. */

/**
 * The key and the first answer, which is in its message. Amounts are wide: the connection must read integers as
 * bigints.
 */
export function readIdempotencyKey(
  statements: Statements,
  account: number,
  key: string,
): IdempotencyKeyRow | undefined {
  const row = statements.get(
    `select request_hash, created_at, message, num_parts, total_cost, balance_after from idempotency_key
      join message on message.id = idempotency_key.message where idempotency_key.account = ? and key = ?`,
    account,
    key,
  );
  return (
    row && {
      change: 'none',
      account,
      key,
      hash: bytes(row, 'request_hash'),
      createdAt: integer(row, 'created_at'),
      first: {
        message: toMessageId(integer(row, 'message')),
        numParts: integer(row, 'num_parts'),
        totalCost: micros(row, 'total_cost'),
        clientBalance: micros(row, 'balance_after'),
      },
    }
  );
}

export function loadIdempotencyKey(rows: Rows, { account, idempotency }: Accept, statements: Statements): void {
  if (!idempotency) return;
  const id = idempotencyId(account, idempotency.key);
  if (rows.idempotencyKeys.has(id)) return;
  const row = readIdempotencyKey(statements, account, idempotency.key);
  if (row) rows.idempotencyKeys.set(id, row);
}

export function loadForgotten(rows: Rows, { before, max }: CommandOf<'sweep'>, statements: Statements): void {
  rows.forgotten = statements
    .all('select account, key from idempotency_key where created_at < ? order by created_at limit ?', before, max)
    .map((row) => ({ account: integer(row, 'account'), key: text(row, 'key') }));
}

/** After their messages are written. */
export function writeIdempotencyKeys(rows: Rows, statements: Statements): void {
  for (const { account, key } of rows.forgotten) {
    statements.run('delete from idempotency_key where account = ? and key = ?', account, key);
  }
  for (const row of rows.idempotencyKeys.values()) {
    if (row.change === 'none') continue;
    statements.run(
      'insert or replace into idempotency_key values (?, ?, ?, ?, ?)',
      row.account,
      row.key,
      row.hash,
      row.first.message,
      row.createdAt,
    );
  }
}
