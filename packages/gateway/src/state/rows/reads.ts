import type { MessageId } from '../../core/base/message-id.ts';
import type { RowLookup, Query } from '../tables/lookup.ts';
import type { Numbers } from '../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AttemptRow, MessageRow, WaitingFound } from '../tables/message.ts';
import type { Rows } from './rows.ts';
import type { Stored } from '../tables/column.ts';

/** The parts that a carrier may have. */
export interface WaitingWanted {
  readonly at: Instant;
  readonly carrier: number;
  /** Carriers that are open and bound, or were within the last 3 s. Where one of them has a better rank in a route, worse ranks wait. */
  readonly up: readonly number[];
  /** Parts that became due before this instant are held back. Without it none are. */
  readonly from?: Instant;
  readonly max: number;
}

/**
 * What a command reads before it is decided. An engine may answer at once, or give no rows at first, load them for all
 * commands of the group, and ask the command again. So `reads` of a command is a pure function of the command and of
 * the rows that are loaded already: it names what it reads, and what it reads then.
 */
export interface Reads {
  /** What is loaded. */
  readonly rows: Rows;
  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined;
  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[];
  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[];
  /** A message with all its parts, and its account. */
  message(id: MessageId): MessageRow | undefined;
  /** The attempt of a part. */
  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined;
  /** The other attempts of the same request, if it carried the whole message. */
  attemptsWith(attempt: AttemptRow): void;
  /** The waiting parts that a claim may take. */
  waiting(wanted: WaitingWanted): WaitingFound;
  /**
   * The attempts with an id of the receipt's carrier. Returns whether there are any, or an answer of this group to the
   * receiver brings the id.
   */
  named(receipt: Numbers & { readonly carrier: number }, carrierIdKey: string): boolean;
  /** Attempts and their messages. */
  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[];
}

/** The look-ups that `reads` of a command and a decision that is rehearsed have in common. */
export type Looks = Pick<Reads, 'one' | 'all' | 'values'>;
