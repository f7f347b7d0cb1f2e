import type { CutBack, UntrustedMessages } from '../../commands/process.ts';
import { messageTable } from '../../tables/message.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

const acceptedShape = shape(pick(messageTable, 'id', 'acceptedAt', 'dueAt'));

/**
 * Messages that were accepted while the clock ran ahead, without those that a client scheduled or that are corrected
 * already.
 */
export function acceptedAfter({ at, after, max }: CutBack, statements: Statements): UntrustedMessages {
  const sql = 'select id, accepted_at, due_at from message where id > ? order by id limit ?';
  const found = statements.rows(acceptedShape, sql, after, max);
  const accepted = found.flatMap((row) =>
    row.acceptedAt > at && row.acceptedAt === row.dueAt ? [{ message: row.id, acceptedAt: row.acceptedAt }] : [],
  );
  return { accepted, last: found.at(-1)?.id ?? after, isMore: found.length === max };
}
