/* Decisions of commands that name no reads: a rehearsal on copies of the rows finds the rows that they use. */

import type { MessageId } from '../../core/base/message-id.ts';
import type { Reads } from '../rows/reads.ts';
import { Rows } from '../rows/rows.ts';
import type { MessageRow } from '../tables/message.ts';

/** Makes a command of a decision, except for each message: a rehearsal takes about as long as the decision. */
export function rehearsed<Command, Value>(decide: (rows: Rows, command: Command) => Value) {
  return {
    reads(read: Reads, command: Command): void {
      const copies = new Rehearsal(read.rows, read);
      copies.rehearse(() => decide(copies, command));
    },
    decide,
  };
}

/** Rows for a rehearsal. They load what a decision asks for. The decision changes only copies. */
export class Rehearsal extends Rows {
  /** Whether reading the database failed. */
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

  /** Runs a decision to find the rows that it uses. Some may be loaded only in the next round of questions. */
  rehearse(decide: () => unknown): void {
    try {
      decide();
    } catch (fault) {
      // Without this, it would run with missing rows. The real decision throws an error of its own again.
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
