/* The seam between the store and a database, and how a group of commands goes through it. */

import { ok, refused } from '@morsel/api/values/result.ts';
import type { AnyResult, Command } from '../state/commands.ts';
import { StepsRolledBack } from '../state/decide/together.ts';
import type { Rows } from '../state/rows/rows.ts';

/** Commands of one group. More would only make all of them wait longer for one fsync. */
export const groupMax = 2_000;

/** Work that a client can be refused without a loss. */
export function isNewWork({ kind }: Command): boolean {
  return kind === 'accept' || kind === 'cancel';
}

/** A database that holds the store. It has one writing connection, and applies one group at a time. */
export interface Engine {
  /** Applies commands as one transaction. Throws if it cannot; then nothing has changed. */
  apply(commands: readonly Command[]): Promise<Applied>;
  /** From now on, events of these accounts, and no others, are reported. */
  listen(accounts: readonly number[]): void;
  /** Forgets what memory has of the reads of these commands, or all rows that other nodes may have changed. */
  forget?(commands?: readonly Command[]): void;
  /** Whether the disk is full or read-only. The command is refused, and the process goes on (P3). */
  isNoRoom(fault: unknown): boolean;
  /** Whether the data on disk can no longer be trusted. The process must end (P4). */
  isFatal(fault: unknown): boolean;
  close(): Promise<void>;
}

export interface Applied {
  /** One for each command, in order. */
  readonly results: readonly AnyResult[];
  /** What the group loaded and made. */
  readonly rows: Rows;
  /** How long its commit waited for the disk or for the database. */
  readonly commitMs?: number;
  /** The commands that were refused because of rows in memory, which another node may have changed meanwhile. */
  readonly oldRefusals?: readonly Command[];
}

/** Callbacks of a group, beside the results of its commands. */
export interface GroupEars {
  /** A command could not be applied. */
  readonly fault: (fault: unknown) => void;
  /** The disk is full or read-only: no command of the group was applied (P3). */
  readonly noRoom: (fault: unknown) => void;
  /** A group failed, and is applied again in halves. */
  readonly halved?: (fault: unknown) => void;
  /** After a commit. */
  readonly applied: (rows: Rows, commitMs: number) => void;
  /** Commands were refused because of rows in memory: forget these, and apply the commands again. */
  readonly oldRefusals?: (commands: readonly Command[]) => void;
}

/**
 * Applies a group and returns the results of its commands, in order. A group that fails is halved until the failing
 * command is alone; only that command gets `internal_error`. A fatal fault is thrown.
 */
export async function applyGroup(
  engine: Engine,
  commands: readonly Command[],
  ears: GroupEars,
): Promise<readonly AnyResult[]> {
  const place = commands.length > 1 ? commands.findIndex(({ kind }) => kind === 'together') : -1;
  if (place !== -1) {
    const parts = [commands.slice(0, place), commands.slice(place, place + 1), commands.slice(place + 1)];
    const results: AnyResult[] = [];
    for (const part of parts) if (part.length > 0) results.push(...(await applyGroup(engine, part, ears)));
    return results;
  }
  try {
    const { results, rows, commitMs = 0, oldRefusals = [] } = await engine.apply(commands);
    ears.applied(rows, commitMs);
    if (oldRefusals.length > 0) ears.oldRefusals?.(oldRefusals);
    return results;
  } catch (fault) {
    if (fault instanceof StepsRolledBack) return [ok(fault.done)];
    if (engine.isFatal(fault)) throw fault;
    if (engine.isNoRoom(fault)) {
      ears.noRoom(fault);
      return commands.map(() => refused({ code: 'unavailable', detail: 'the store has no room' }));
    }
    if (commands.length <= 1) {
      ears.fault(fault);
      return commands.map(() => refused({ code: 'internal_error' }));
    }
    ears.halved?.(fault);
    const middle = commands.length >> 1;
    const first = await applyGroup(engine, commands.slice(0, middle), ears);
    return [...first, ...(await applyGroup(engine, commands.slice(middle), ears))];
  }
}
