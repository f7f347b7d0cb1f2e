/*
 * The database of a simulation with one node: SQLite in memory. A process makes its tables and prepares its statements
 * once, because this would take a tenth of each run. A run is a transaction that is rolled back in the end, so each run begins
 * with an empty database. The gateway's own transactions are savepoints in it.
 */

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { migrate } from '../../src/store/sqlite/database.ts';

const inRun: ReadonlyMap<string, string> = new Map([
  ['begin immediate', 'savepoint own'],
  ['commit', 'release own'],
  ['rollback', 'rollback to own'],
]);

const idle: SimDatabase[] = [];

export class SimDatabase extends DatabaseSync {
  /** Statements that no run uses, by their SQL. */
  readonly #free = new Map<string, StatementSync[]>();
  #used: (readonly [sql: string, statement: StatementSync])[] = [];

  private constructor() {
    super(':memory:', { enableForeignKeyConstraints: false });
    migrate(this);
    this.exec('begin');
  }

  /** An empty database for one run, which `end` gives back. */
  static begin(): SimDatabase {
    return idle.pop() ?? new SimDatabase();
  }

  end(): void {
    this.exec('rollback; begin');
    for (const [sql, statement] of this.#used) {
      const free = this.#free.get(sql);
      if (free) free.push(statement);
      else this.#free.set(sql, [statement]);
    }
    this.#used = [];
    idle.push(this);
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#free.get(sql)?.pop() ?? super.prepare(inRun.get(sql) ?? sql);
    statement.setReturnArrays(false);
    statement.setReadBigInts(false);
    this.#used.push([sql, statement]);
    return statement;
  }
}
