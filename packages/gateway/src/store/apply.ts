/* Applies a group of commands as one transaction: load, decide, write. */

import { decide } from './commands.ts';
import type { AnyResult, Command } from './commands.ts';
import { refused } from '@morsel/api/values/result.ts';
import type { ListenEvent, NotificationNews } from './tables/notification.ts';
import type { Rows } from './tables/rows.ts';

/**
 * What a database does for a group: it loads the rows that the commands name, and writes the changed ones. This is the
 * seam between SQLite and PostgreSQL.
 */
export interface Engine {
  begin(): void;
  load(commands: readonly Command[]): Rows;
  write(rows: Rows): void;
  commit(): void;
  rollback(): void;
  /** Whether the disk is full or read-only. The command is refused, and the process goes on (P3). */
  isNoRoom(fault: unknown): boolean;
  /** Whether the data on disk can no longer be trusted. The process must end (P4). */
  isFatal(fault: unknown): boolean;
}

/** Callbacks of a group, beside the results of its commands. */
export interface GroupEars {
  /** A command could not be applied. */
  readonly fault: (fault: unknown) => void;
  /** The disk is full or read-only: no command of the group was applied (P3). */
  readonly noRoom: (fault: unknown) => void;
  /** After the commit: the destinations that have a new notification. */
  readonly news: (news: readonly NotificationNews[]) => void;
  /** After the commit: the events of accounts with a listener (`morsel listen`). */
  readonly listenEvents: (events: readonly ListenEvent[]) => void;
}

/**
 * Applies a group as one transaction and returns the results of its commands, in order. A group that fails is rolled
 * back and halved until the failing command is alone; only that command gets `internal_error`. A fatal fault is thrown.
 */
export function applyGroup(engine: Engine, commands: readonly Command[], ears: GroupEars): AnyResult[] {
  try {
    return applyOnce(engine, commands, ears);
  } catch (fault) {
    if (engine.isFatal(fault)) throw fault;
    if (engine.isNoRoom(fault)) {
      ears.noRoom(fault);
      return commands.map(() => refused({ code: 'unavailable', detail: 'the store has no room' }));
    }
    if (commands.length <= 1) {
      ears.fault(fault);
      return commands.map(() => refused({ code: 'internal_error' }));
    }
    const middle = commands.length >> 1;
    return [
      ...applyGroup(engine, commands.slice(0, middle), ears),
      ...applyGroup(engine, commands.slice(middle), ears),
    ];
  }
}

function applyOnce(engine: Engine, commands: readonly Command[], { news, listenEvents }: GroupEars): AnyResult[] {
  engine.begin();
  try {
    const rows = engine.load(commands);
    const results = commands.map((command) => decide(rows, command));
    engine.write(rows);
    engine.commit();
    if (rows.notifications.byId.size > 0) news(rows.notifications.news());
    if (rows.notifications.listenEvents.length > 0) listenEvents(rows.notifications.listenEvents);
    return results;
  } catch (fault) {
    engine.rollback();
    throw fault;
  }
}
