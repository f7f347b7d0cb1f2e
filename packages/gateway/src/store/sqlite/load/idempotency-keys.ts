import type { CommandOf } from '../../commands.ts';
import type { Accept } from '../../commands/commands.ts';
import { idempotencyId } from '../../tables/message.ts';
import type { IdempotencyKeyRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { messageId, micros } from '../../tables/column.ts';
import { idempotencyKeyTable, messageTable } from '../../tables/message.ts';
import { group, pick, shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

/* Idempotency keys in SQLite: read by the commit of a message with a key, and by the view that asks before it. */

const keyShape = shape({
  ...pick(idempotencyKeyTable, 'account', 'key', 'hash', 'createdAt'),
  first: group({ message: messageId, ...pick(messageTable, 'numParts', 'totalCost'), clientBalance: micros }),
});

/** The key and the first answer, which is in its message. */
export function readIdempotencyKey(
  statements: Statements,
  account: number,
  key: string,
): IdempotencyKeyRow | undefined {
  const row = statements.row(
    keyShape,
    `select idempotency_key.account, key, hash, created_at, message as first_message, num_parts as first_num_parts,
        total_cost as first_total_cost, balance_after as first_client_balance
      from idempotency_key join message on message.id = idempotency_key.message
      where idempotency_key.account = ? and key = ?`,
    account,
    key,
  );
  return row && { change: 'none', ...row };
}

export function loadIdempotencyKey(rows: Rows, { account, idempotency }: Accept, statements: Statements): void {
  if (!idempotency) return;
  const id = idempotencyId(account, idempotency.key);
  if (rows.idempotencyKeys.has(id)) return;
  const row = readIdempotencyKey(statements, account, idempotency.key);
  if (row) rows.idempotencyKeys.set(id, row);
}

export function loadForgotten(rows: Rows, { before, max }: CommandOf<'sweep'>, statements: Statements): void {
  rows.forgotten = statements.find(
    idempotencyKeyTable,
    'where created_at < ? order by created_at limit ?',
    before,
    max,
  );
}

/** After their messages are written. */
export function writeIdempotencyKeys(rows: Rows, statements: Statements): void {
  for (const row of rows.forgotten) statements.remove(idempotencyKeyTable, row);
  for (const { change, account, key, hash, createdAt: at, first } of rows.idempotencyKeys.values()) {
    if (change === 'none') continue;
    statements.put(idempotencyKeyTable, { account, key, hash, message: first.message, createdAt: at });
  }
}
