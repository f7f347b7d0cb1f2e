import { refused } from '../core/result.ts';
import type { AnyResult, Command } from './commands.ts';
import { decide } from './decide/decide.ts';
import type { Rows } from './rows.ts';

/**
 * What a database does for a group, and all it does: it loads the rows that commands name and writes the changed ones.
 * This is the seam between SQLite and PostgreSQL.
 */
export interface Engine {
  begin(): void;
  load(commands: readonly Command[]): Rows;
  write(rows: Rows): void;
  commit(): void;
  rollback(): void;
  /** Whether the fault is the disk's (full, read-only): refuse and go on when there is room (P3). */
  isNoRoom(fault: unknown): boolean;
  /** Whether nothing that was written can be trusted any more: the process must end (P4). */
  isFatal(fault: unknown): boolean;
}

/**
 * Applies a group as one transaction and gives each command its result, in order. A group that fails is rolled back and
 * halved until the culprit stands alone; only the culprit is answered `internal_error`. A fatal fault is thrown.
 */
export function applyGroup(
  engine: Engine,
  commands: readonly Command[],
  report: (fault: unknown) => void,
): AnyResult[] {
  try {
    return applyOnce(engine, commands);
  } catch (fault) {
    if (engine.isFatal(fault)) throw fault;
    if (engine.isNoRoom(fault)) {
      report(fault);
      return commands.map(() => refused({ code: 'unavailable', detail: 'the store has no room' }));
    }
    if (commands.length <= 1) {
      report(fault);
      return commands.map(() => refused({ code: 'internal_error' }));
    }
    const middle = commands.length >> 1;
    return [
      ...applyGroup(engine, commands.slice(0, middle), report),
      ...applyGroup(engine, commands.slice(middle), report),
    ];
  }
}

function applyOnce(engine: Engine, commands: readonly Command[]): AnyResult[] {
  engine.begin();
  try {
    const rows = engine.load(commands);
    const results = commands.map((command) => decide(rows, command));
    engine.write(rows);
    engine.commit();
    return results;
  } catch (fault) {
    engine.rollback();
    throw fault;
  }
}
