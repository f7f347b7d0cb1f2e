import type { MessageId } from '../../core/base/message-id.ts';
import type { RowLookup, Query } from './lookup.ts';
import type { AttemptRow, MessageRow } from '../tables/message.ts';
import type { Rows } from '../tables/rows.ts';
import type { Stored } from '../tables/column.ts';

/**
 * What a command needs before it is decided. An engine may answer at once, or give no rows at first, load them for all
 * commands of the group, and ask the command again. So `needs` of a command is a pure function of the command and of
 * the rows that are loaded already: it names what it needs, and what it needs then.
 */
export interface Needs {
  /** What is loaded. */
  readonly rows: Rows;
  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined;
  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[];
  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[];
  /** A message with all its parts, and its account. */
  message(id: MessageId): MessageRow | undefined;
  /** Attempts and their messages. */
  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[];
}
