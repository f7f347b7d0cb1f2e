import { toMessageId } from '../../../core/base/message-id.ts';
import type { CutBack, UntrustedMessages } from '../../commands/process.ts';
import type { MessageRow } from '../../tables/rows.ts';
import { integer } from '../columns.ts';
import type { Statements } from '../statements.ts';

/**
 * Messages that were accepted while the clock ran ahead, without those that a client scheduled or that are corrected
 * already.
 */
export function acceptedAfter({ at, after, max }: CutBack, statements: Statements): UntrustedMessages {
  const found = statements.all(
    'select id, accepted_at, due_at from message where id > ? order by id limit ?',
    after,
    max,
  );
  const accepted = found.flatMap((row) => {
    const acceptedAt = integer(row, 'accepted_at');
    const isMeant = acceptedAt > at && acceptedAt === integer(row, 'due_at');
    return isMeant ? [{ message: toMessageId(integer(row, 'id')), acceptedAt }] : [];
  });
  return { accepted, last: integer(found.at(-1) ?? { id: after }, 'id'), isMore: found.length === max };
}

export function writeRedated(redated: readonly MessageRow[], statements: Statements): void {
  for (const { id, dueAt, expiresAt } of redated) {
    statements.run('update message set due_at = ?, expires_at = ? where id = ?', dueAt, expiresAt, id);
  }
}
