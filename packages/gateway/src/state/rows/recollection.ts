/* Finds which of a command's reads are in memory. It asks no database: rows that are not in memory are not found. */

import type { MessageId } from '../../core/base/message-id.ts';
import type { Stored } from '../tables/column.ts';
import type { AttemptRow, MessageRow, WaitingFound } from '../tables/message.ts';
import type { Rows } from './rows.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Query, RowLookup } from '../tables/lookup.ts';
import type { MessageCache } from './message-cache.ts';
import type { Reads } from './reads.ts';

interface Memory {
  readonly rows: Rows;
  readonly kept: Pick<KeptAnswers, 'kept'>;
  readonly messages: Pick<MessageCache, 'message'>;
}

/** Callbacks for the answers and messages that are in memory. */
export interface RecallEars {
  readonly answer: (of: RowLookup<unknown> | Query<unknown>, values: readonly Stored[]) => void;
  readonly message: (id: MessageId) => void;
}

export class Recollection implements Reads {
  readonly rows: Rows;
  readonly #memory: Memory;
  readonly #hear: RecallEars;

  constructor(memory: Memory, hear: RecallEars) {
    this.rows = memory.rows;
    this.#memory = memory;
    this.#hear = hear;
  }

  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    return this.#recall(lookup, values)[0];
  }

  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    return this.#recall(lookup, values);
  }

  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.#recall(query, values);
  }

  message(id: MessageId): MessageRow | undefined {
    const message = this.#memory.messages.message(id);
    if (message) this.#hear.message(id);
    return message;
  }

  attempt(): AttemptRow | undefined {
    return undefined;
  }

  attempts(): readonly AttemptRow[] {
    return [];
  }

  attemptsWith(): void {
    // This reads only attempts, which memory has only with their messages.
  }

  named(): boolean {
    return false;
  }

  waiting(): WaitingFound {
    return { queues: [], nextDue: null };
  }

  #recall<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] {
    const found = this.#memory.kept.kept(of, values);
    if (found) this.#hear.answer(of, values);
    return found ?? [];
  }
}
