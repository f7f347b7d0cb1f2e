import { toMessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageRow } from '../../tables/rows.ts';
import { micros, integer, text } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/** A scheduled message, with the fields that decide its route. */
export interface ScheduledMessage extends Pick<
  MessageRow,
  'id' | 'account' | 'sender' | 'receiver' | 'dueAt' | 'unitPrice'
> {
  readonly encoding: string;
}

/** A place in the list of scheduled messages, which is ordered by due time. */
export type ScheduledPlace = Pick<ScheduledMessage, 'dueAt' | 'id'>;

/** Reads scheduled messages that are due, in the order of their due times, starting after a place in that order. */
export function readDueMessages(
  queries: Queries,
  wanted: { at: Instant; after: ScheduledPlace; limit: number },
): readonly ScheduledMessage[] {
  return queries
    .all(
      `select id, account, sender, receiver, encoding, unit_price, scheduled.due_at
        from scheduled cross join message on message.id = scheduled.message
        where scheduled.due_at <= ? and (scheduled.due_at, scheduled.message) > (?, ?)
        order by scheduled.due_at, scheduled.message limit ?`,
      wanted.at,
      wanted.after.dueAt,
      wanted.after.id,
      wanted.limit,
    )
    .map((row) => ({
      id: toMessageId(integer(row, 'id')),
      account: integer(row, 'account'),
      sender: text(row, 'sender'),
      receiver: text(row, 'receiver'),
      encoding: text(row, 'encoding'),
      dueAt: integer(row, 'due_at'),
      unitPrice: micros(row, 'unit_price'),
    }));
}
