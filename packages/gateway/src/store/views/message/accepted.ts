/* Views of the messages that were accepted in a span of time, for a replay with other settings. */

import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { RoutedMessage } from '../../../core/routing/replay.ts';
import { integer } from '../../../state/tables/column.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import type { Queries } from '../queries.ts';

const members = pick(messageTable, 'id', 'account', 'sender', 'receiver', 'encoding', 'numParts');
const messageShape = shape(members);
const sql = `select ${columnsOf('message', members)} from message where id > ? and id < ? order by id limit ?`;

/** The first messages between two ids. */
export interface AcceptedBetween {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
}

export async function readAccepted(
  queries: Queries,
  between: readonly AcceptedBetween[],
): Promise<readonly RoutedMessage[]> {
  const found: RoutedMessage[] = [];
  for (const { after, before, limit } of between) {
    found.push(...(await queries.rows(messageShape, sql, after, before, limit)));
  }
  return found;
}

const countShape = shape({ slot: integer, messages: integer });

/** How many messages were accepted in each minute since a time; a minute without a count is missing. */
export async function readAcceptedCounts(queries: Queries, from: Instant) {
  const where = "where span = ? and slot >= ? and currency = '' order by slot";
  const minutes = [minuteMs / secondMs, Math.floor(from / minuteMs)];
  const rows = await queries.rows(countShape, `select slot, messages from traffic_slot ${where}`, ...minutes);
  return rows.map(({ slot, messages }) => ({ at: slot * minuteMs, messages }));
}
