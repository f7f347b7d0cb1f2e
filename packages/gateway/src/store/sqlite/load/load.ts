/* Answers the reads of commands from SQLite, at once, because SQLite is in the same process. */

import type { DatabaseSync } from 'node:sqlite';
import type { Command } from '../../../state/commands.ts';
import { Loader } from '../../../state/loader.ts';
import type { Query, RowLookup } from '../../../state/tables/lookup.ts';
import type { WaitingWanted } from '../../../state/rows/reads.ts';
import type { Stored } from '../../../state/tables/column.ts';
import type { WaitingFound } from '../../../state/tables/message.ts';
import { Rows, type Start } from '../../../state/rows/rows.ts';
import type { Vault } from '../../../state/sealing/vault.ts';
import { sqlOf } from '../../lookups/texts.ts';
import { readStart } from '../start.ts';
import { Statements } from '../statements.ts';
import { QueueLoader } from './load-queue.ts';

export interface EngineOptions {
  readonly vault: Vault;
  /** The memory that the process should need at most. */
  readonly memoryMib?: number | undefined;
}

export class SqliteLoader extends Loader {
  readonly #statements: Statements;
  readonly #queue: QueueLoader;
  #start: Start;

  constructor(database: DatabaseSync, { vault, memoryMib }: EngineOptions) {
    super('all', memoryMib);
    this.#statements = new Statements(database);
    this.#queue = new QueueLoader(this.#statements, this);
    this.#start = { ...readStart(this.#statements), vault };
  }

  get commits(): number {
    return this.#start.node.groups;
  }

  beginGroup(commands: readonly Command[]): Rows {
    const rows = new Rows(this.#start);
    this.begin(rows, commands);
    return rows;
  }

  /** Called after the commit: the next group goes on from this state. */
  override committed(rows: Rows): void {
    const { node, turns, newestIds, vault } = rows;
    this.#start = { node, turns, newestIds, vault };
    super.committed(rows);
  }

  protected override find<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined {
    return 'table' in of
      ? this.#statements.find(of.table, sqlOf(of), ...values)
      : this.#statements.rows(of.shape, sqlOf(of), ...values);
  }

  protected override findWaiting(wanted: WaitingWanted): WaitingFound | undefined {
    return this.#queue.load(wanted);
  }
}
