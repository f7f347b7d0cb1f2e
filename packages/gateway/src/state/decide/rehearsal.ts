/* Decisions that name no reads: each is rehearsed on copies of the rows until it looks for no new ones, and then decided. */

import type { MessageId } from '../../core/base/message-id.ts';
import type { Reads } from '../rows/reads.ts';
import { Rows } from '../rows/rows.ts';
import type { MessageRow } from '../tables/message.ts';

/** For commands that are not hot: a rehearsal takes about as long as the decision. */
export function rehearsed<Command, Value>(decide: (rows: Rows, command: Command) => Value) {
  return {
    reads(read: Reads, command: Command): void {
      const copies = new Rehearsal(read.rows, read);
      copies.rehearse(() => decide(copies, command));
    },
    decide,
  };
}

/** Rows that load what a decision looks at, and keep what it does to copies of them to themselves. */
export class Rehearsal extends Rows {
  /** The database could not be read. */
  #isUnreadable = false;
  readonly #from: Pick<Reads, 'message'>;

  constructor(rows: Rows, from: Pick<Reads, 'all' | 'values' | 'message'>) {
    super(rows);
    this.#from = from;
    this.isRehearsal = true;
    this.ask = (of, values) =>
      this.#load(() =>
        'table' in of
          ? this.keep(of, values, from.all(of, ...values).map(copied))
          : this.keepValues(of, values, from.values(of, ...values)),
      );
  }

  /** Lets a decision look for its rows, of which some may come in the next round only. */
  rehearse(decide: () => unknown): void {
    try {
      decide();
    } catch (fault) {
      // Otherwise rows of the next round were missing. If the decision is at fault, it throws again when it counts.
      if (this.#isUnreadable) throw fault;
    }
  }

  override message(id: MessageId): MessageRow | undefined {
    const known = this.messages.get(id);
    if (known) return known;
    const row = this.#load(() => this.#from.message(id));
    if (!row) return undefined;
    const copy = { ...row, parts: row.parts.map(copied) };
    this.messages.set(id, copy);
    return copy;
  }

  #load<T>(ask: () => T): T {
    try {
      return ask();
    } catch (fault) {
      this.#isUnreadable = true;
      throw fault;
    }
  }
}

function copied<Row>(row: Row): Row {
  return { ...row };
}
