/* Writes the rows that a group of commands changed. */

import { nodeTable } from '../../../state/tables/node.ts';
import type { DatabaseSync } from 'node:sqlite';
import { allTables } from '../../../state/tables/all.ts';
import { integer } from '../../../state/tables/column.ts';
import type { Change, Table } from '../../../state/tables/table.ts';
import { touch, type Rows } from '../../../state/rows/rows.ts';
import { statementsOf } from '../../lookups/texts.ts';
import { Statements } from '../statements.ts';
import { attemptTable, keepReport, messageTable, partTable, queueTable } from '../../../state/tables/message.ts';

/** Rows are deleted before those that they refer to. */
const tablesToEmpty = allTables.toReversed();

interface Changed {
  readonly change: Change;
}

/** Writes the rows of a group. It decides nothing. */
export class Writer {
  readonly #statements: Statements;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
  }

  write(rows: Rows): void {
    const before = this.#changes();
    for (const table of tablesToEmpty) {
      for (const row of rows.of(table)) if (row.change === 'gone') this.#statements.save(table, row);
    }
    for (const table of allTables) {
      if (table.name === messageTable.name) this.#messages(rows);
      else this.#save(table, rows.of(table));
    }
    this.#queue(rows);
    for (const effect of rows.effects) {
      for (const sql of statementsOf(effect)) this.#statements.run(sql, ...effect.values);
    }
    const { node } = rows;
    // A group that writes nothing, such as one of refused commands, must not wait for the disk.
    if (node.change === 'none' && this.#changes() === before) return;
    node.groups += 1;
    touch(node);
    this.#statements.save(nodeTable, node);
  }

  #changes(): number {
    return this.#statements.value(integer, 'select total_changes()') ?? 0;
  }

  #messages(rows: Rows): void {
    for (const message of rows.messages.values()) {
      if (message.change !== 'none') keepReport(message);
      if (message.change !== 'changed') this.#statements.save(messageTable, message);
      for (const part of message.parts) {
        this.#statements.save(partTable, part);
        for (const attempt of part.loaded) if (attempt.outcome !== null) this.#statements.save(attemptTable, attempt);
      }
    }
  }

  /** Stored rows come first, because a new row may take the name that a stored row had. */
  #save<Row extends Changed>(table: Table<Row>, rows: readonly Row[]): void {
    for (const row of rows)
      if (row.change === 'changed' || row.change === 'rewritten') this.#statements.save(table, row);
    for (const row of rows) {
      if (row.change === 'new' || row.change === 'put' || row.change === 'add') this.#statements.save(table, row);
    }
  }

  /** Rows that left the queue come first, because a part may leave it and return to the same place in one group. */
  #queue(rows: Rows): void {
    for (const row of rows.dequeued) this.#statements.remove(queueTable, row);
    for (const row of rows.placesTaken()) this.#statements.add(queueTable, row);
  }
}
