/* The engine for SQLite: loads the rows of a group of commands, decides, writes changed rows, and commits. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Applied, Engine } from '../writer.ts';
import { decideAll, nameReads, type Command } from '../../state/commands.ts';
import type { Rows } from '../../state/rows/rows.ts';
import { stopwatchMs } from '../stopwatch.ts';
import { isFatal, isNoRoom } from './faults.ts';
import { SqliteLoader, type EngineOptions } from './load/load.ts';
import { Writer } from './write/write.ts';

/** Each group is one transaction on the only writing connection. Nothing is awaited during it. */
export class SqliteEngine implements Engine {
  readonly #database: DatabaseSync;
  protected readonly loader: SqliteLoader;
  readonly #writer: Writer;
  readonly #statements: { readonly [step in 'begin' | 'commit' | 'rollback']: StatementSync };

  constructor(database: DatabaseSync, options: EngineOptions) {
    this.#database = database;
    this.loader = new SqliteLoader(database, options);
    this.#writer = new Writer(database);
    this.#statements = {
      begin: database.prepare('begin immediate'),
      commit: database.prepare('commit'),
      rollback: database.prepare('rollback'),
    };
  }

  get commits(): number {
    return this.loader.commits;
  }

  listen(accounts: readonly number[]): void {
    this.loader.listen(accounts);
  }

  async apply(commands: readonly Command[]): Promise<Applied> {
    try {
      this.#statements.begin.run();
      const rows = this.load(commands);
      rows.ask = undefined;
      const results = decideAll(rows, commands);
      this.write(rows);
      const from = stopwatchMs();
      this.commit();
      const commitMs = stopwatchMs() - from;
      this.loader.committed(rows);
      return { results, rows, commitMs };
    } catch (fault) {
      // SQLite rolls back by itself after some faults, such as a full disk.
      if (this.#database.isTransaction) this.#statements.rollback.run();
      this.loader.rolledBack();
      throw fault;
    }
  }

  protected load(commands: readonly Command[]): Rows {
    const rows = this.loader.beginGroup(commands);
    for (const command of commands) nameReads(this.loader, command);
    return rows;
  }

  protected write(rows: Rows): void {
    this.#writer.write(rows);
  }

  protected commit(): void {
    this.#statements.commit.run();
  }

  isNoRoom(fault: unknown): boolean {
    return isNoRoom(fault);
  }

  isFatal(fault: unknown): boolean {
    return isFatal(fault);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
