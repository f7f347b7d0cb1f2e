import type { Instant } from '@morsel/api/values/time.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';

/** The columns of a message that decide its route. */
export const scheduledMembers = pick(
  messageTable,
  'id',
  'account',
  'sender',
  'receiver',
  'encoding',
  'dueAt',
  'unitPrice',
);
const scheduledShape = shape(scheduledMembers);

export type ScheduledMessage = ShapeOf<typeof scheduledShape>;

/** A place in the list of scheduled messages, which is in the order of due times. */
export type ScheduledPlace = Pick<ScheduledMessage, 'dueAt' | 'id'>;

/**
 * Reads scheduled messages in the order of due times, starting after a place. The limit is part of the SQL, because
 * SQLite would plan again at each use of a bound one: 9 us each second.
 */
export async function readDueMessages(
  queries: Queries,
  wanted: { at: Instant; after: ScheduledPlace; limit: number },
): Promise<readonly ScheduledMessage[]> {
  return queries.rows(
    scheduledShape,
    `select id, account, sender, receiver, encoding, unit_price, scheduled.due_at
        from scheduled join message on message.id = scheduled.message
        where scheduled.due_at <= ? and (scheduled.due_at, scheduled.message) > (?, ?)
        order by scheduled.due_at, scheduled.message limit ${wanted.limit}`,
    wanted.at,
    wanted.after.dueAt,
    wanted.after.id,
  );
}
