import type { MessageId } from '../../core/base/message-id.ts';
import type { RowLookup, Query } from '../tables/lookup.ts';
import type { Numbers } from '../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AttemptRow, MessageRow, WaitingFound } from '../tables/message.ts';
import type { Rows } from './rows.ts';
import type { Stored } from '../tables/column.ts';

/** The waiting parts that a claim asks for. */
export interface WaitingWanted {
  readonly at: Instant;
  readonly carrier: number;
  /** Open and bound carriers, also those within the last 3 s. A carrier waits if one of them has a better rank. */
  readonly up: readonly number[];
  /** Parts that became due before this instant are held back. Undefined if none are held back. */
  readonly from?: Instant;
  readonly max: number;
}

/**
 * What a command may read before it is decided. An engine may answer at once. Or it gives no rows at first, loads the
 * rows for all commands of the group, and asks the commands again. So `reads` is a pure function of the command and the
 * loaded rows.
 */
export interface Reads {
  /** The rows that are loaded. */
  readonly rows: Rows;
  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined;
  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[];
  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[];
  /** Reads a message with all its parts, and its account. */
  message(id: MessageId): MessageRow | undefined;
  /** Reads one attempt of a part. */
  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined;
  /** Reads the other attempts of the same request, if the request carried the whole message. */
  attemptsWith(attempt: AttemptRow): void;
  /** Reads the waiting parts that a claim may take. */
  waiting(wanted: WaitingWanted): WaitingFound;
  /**
   * Reads the attempts that have this id of the receipt's carrier. Returns whether there are any, or whether a
   * carrier's answer in this group has the id and the same receiver.
   */
  named(receipt: Numbers & { readonly carrier: number }, carrierIdKey: string): boolean;
  /** Reads attempts, and their messages. */
  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[];
}

/** The lookups that both `reads` of a command and a rehearsed decision can make. */
export type Looks = Pick<Reads, 'one' | 'all' | 'values'>;
