/* The work of a writing thread, on any database: it gathers commands into groups, and an engine applies them. */

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { refused } from '@morsel/api/values/result.ts';
import { isNewWork, type AnyResult, type Command } from '../state/commands.ts';
import type { Rows } from '../state/rows/rows.ts';
import { OldRefusals, type HeldCommand, type SetTimer } from './old-refusals.ts';
import { packResults, unpack, type Packed, type PackedResults } from './packed.ts';
import type { FinishCheckpoint } from './sqlite/checkpoint-thread.ts';
import { stopwatchMs } from './stopwatch.ts';
import type { NotificationNews } from '../state/tables/notification.ts';

/** The most commands of one group. More would only make all of them wait longer for one fsync. */
export const groupMax = 2_000;

/** With so many commands, a group is worth its fsync and its two wake-ups of threads, and waits for no others. */
const groupMin = 24;

/** If the last group ended longer ago, the load is so low that waiting would only delay the answer. */
const underLoadMs = 5;

/** Where the store is: a file of SQLite, or a database of PostgreSQL. */
export type StorePlace = {
  /** The file with the master key. */
  readonly masterKey: string;
  /** The memory that the process should need at most. */
  readonly memoryMib?: number | undefined;
  /** How long a small group waits for more commands under load. Default: it does not wait. */
  readonly commitDelayMs?: number | undefined;
} & (
  | {
      readonly kind: 'sqlite';
      readonly file: string;
      /** A database must exist: an empty or missing file is refused. */
      readonly isExpected: boolean;
      /** The operator accepts that the database has lost commits, so it is not refused. */
      readonly isLossAccepted?: boolean | undefined;
    }
  | {
      readonly kind: 'postgres';
      /** The URL may contain a password. */
      readonly url: string;
      /** The name of this node. */
      readonly name: string;
    }
);

export type PlaceOf<K extends StorePlace['kind']> = Extract<StorePlace, { readonly kind: K }>;

/**
 * Removes the remains of deleted rows from the files. Commits wait: some ms to empty the WAL, far longer to rebuild.
 */
export interface Clean {
  readonly kind: 'clean';
  readonly how: 'empty-wal' | 'rebuild';
}

export type ToWriter =
  /** Commands to apply in this order, together with others that have come when the last group is done. */
  | { readonly kind: 'commands'; readonly commands: Packed<Command> }
  /** The database does not answer, so waiting new work must be refused. */
  | { readonly kind: 'refuse-new-work' }
  | FinishCheckpoint
  | Clean
  /** Another node has changed the operator's settings, so those in memory are dropped. */
  | { readonly kind: 'forget' }
  /** From now on, report events of these accounts, and of no others. */
  | { readonly kind: 'listen'; readonly accounts: readonly number[] }
  | { readonly kind: 'close' };

/** How long a group of commands took. */
export interface GroupTimes {
  readonly commands: number;
  /** From the first read of the group's rows to the end of its commit. */
  readonly groupMs: number;
  /** The part of `groupMs` that waited for the disk or the database; 0 if nothing was committed. */
  readonly commitMs: number;
}

export type FromWriter =
  | ({ readonly kind: 'opened' } & Durability)
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'applied';
      /** The results of the first commands without an answer, in order. */
      readonly results: PackedResults<AnyResult>;
      /** The places of held commands among them, whose results come later. */
      readonly held: readonly number[];
      /** The results of commands that were held before, by their numbers. */
      readonly ended: readonly (readonly [number: number, result: AnyResult])[];
      readonly times: Omit<GroupTimes, 'commands'>;
      readonly faults: readonly string[];
      /** Why the disk could not be written; null if it was. */
      readonly noRoom: string | null;
      readonly news: readonly NotificationNews[];
    }
  /** The database has stopped answering, or answers again. */
  | { readonly kind: 'away'; readonly isAway: boolean }
  /**
   * New work was refused. After the commands under way, `waiting` commands waited: the new work among them will not be
   * applied, nor will these held commands.
   */
  | {
      readonly kind: 'new-work-refused';
      readonly underWay: number;
      readonly waiting: number;
      readonly held: readonly number[];
    }
  /** The database lacks commits that it had acknowledged. */
  | { readonly kind: 'lost'; readonly groups: number }
  /** Another process has taken over the work of this node. This process must end. */
  | { readonly kind: 'replaced' }
  /** The data on disk cannot be trusted: the process must end. */
  | { readonly kind: 'fatal'; readonly reason: string }
  | { readonly kind: 'cleaned' }
  | { readonly kind: 'closed' };

/** How safe a commit is. */
export interface Durability {
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** The settings of the database that decide how safe a commit is, as the writing connection reports them. */
  readonly commitSettings: string;
  /** What makes the database less safe than it should be, as sentences for the operator. */
  readonly warnings: readonly string[];
  /** Commits that were lost before this start, which the operator has accepted. */
  readonly lostCommits?: number;
}

/** The engine of a database that holds the store. It has one writing connection, and applies one group at a time. */
export interface Engine {
  /** Applies commands as one transaction. Throws if it cannot; then nothing was changed. */
  apply(commands: readonly Command[]): Promise<Applied>;
  /** From now on, events of these accounts, and of no others, are reported. */
  listen(accounts: readonly number[]): void;
  /** Drops from memory what these commands read. Without commands, all rows that other nodes may have changed. */
  forget?(commands?: readonly Command[]): void;
  /** Whether the disk is full or read-only. If so, commands are refused, and the process goes on (P3). */
  isNoRoom(fault: unknown): boolean;
  /** Whether the data on disk can no longer be trusted. If so, the process must end (P4). */
  isFatal(fault: unknown): boolean;
  close(): Promise<void>;
}

export interface Applied {
  /** The results, one for each command, in order. */
  readonly results: readonly AnyResult[];
  /** The rows that the group loaded and made. */
  readonly rows: Rows;
  /** How long the group's commit waited for the disk or the database. */
  readonly commitMs?: number;
  /** Commands that were refused because of rows in memory, which another node may have changed meanwhile. */
  readonly oldRefusals?: readonly Command[];
}

/** Callbacks of a group, beside the results of its commands. */
export interface GroupEars {
  /** Called when a command could not be applied. */
  readonly fault: (fault: unknown) => void;
  /** Called when the disk is full or read-only, so that no command of the group was applied (P3). */
  readonly noRoom: (fault: unknown) => void;
  /** Called when a group failed, and is applied again in halves. */
  readonly halved?: (fault: unknown) => void;
  /** Called after a commit. */
  readonly applied: (rows: Rows, commitMs: number) => void;
  /** Called for commands refused because of rows in memory: drop these rows, and apply the commands again. */
  readonly oldRefusals?: (commands: readonly Command[]) => void;
}

/** What a writing thread hears and says. */
export interface WriterPort {
  onMessage(hear: (message: ToWriter) => void): void;
  /** The next message that has come, if there is one, without a turn of the event loop. */
  receive(): ToWriter | undefined;
  say(message: FromWriter): void;
  close(): void;
}

export function threadPort(port: MessagePort): WriterPort {
  return {
    onMessage: (hear) => void port.on('message', hear),
    receive: () => receiveMessageOnPort(port)?.message,
    say: (message) => port.postMessage(message),
    close: () => port.close(),
  };
}

interface Writing {
  readonly port: WriterPort;
  readonly engine: Engine;
  /** Describes a fault without any stored value. */
  readonly describe: (fault: unknown) => string;
  /** Whether a fault says that another process has taken over. */
  readonly isReplaced?: (fault: unknown) => boolean;
  /** Counts the commits outside the database. */
  readonly counts?: { readonly look: () => void; readonly close: () => void };
  readonly finishCheckpoint?: (message: FinishCheckpoint) => void;
  readonly clean?: (how: Clean['how']) => void;
  readonly commitDelayMs?: number | undefined;
  /** The time of a simulation (default: the machine's). */
  readonly setTimer?: SetTimer;
}

/**
 * Gathers commands while a group is written, and applies them as the next group. This thread gathers them, not the main
 * thread: its event loop may be busy for a millisecond when a group ends, and the disk would be idle meanwhile.
 */
export function writeFor(writing: Writing): void {
  const writer = new Writer(writing);
  writing.port.onMessage((message) => writer.hear(message));
}

class Writer {
  readonly #writing: Writing;
  readonly #waiting: Command[] = [];
  /** Calls that wait for the end of the group, because nothing may come between its statements. */
  readonly #calls: (() => void | Promise<void>)[] = [];
  readonly #oldRefusals: OldRefusals;
  #underWay = 0;
  #isBusy = false;
  #endedAt = 0;
  /** Nobody wakes who waits for this. */
  readonly #never = new Int32Array(new SharedArrayBuffer(4));

  constructor(writing: Writing) {
    this.#writing = writing;
    this.#oldRefusals = new OldRefusals(() => this.#begin(), writing.setTimer);
  }

  hear(message: ToWriter): void {
    this.#take(message);
    this.#begin();
  }

  #begin(): void {
    if (!this.#isBusy) void this.#work();
  }

  #take(message: ToWriter): void {
    const { engine, port, counts, finishCheckpoint, clean } = this.#writing;
    switch (message.kind) {
      case 'commands':
        for (const command of unpack(message.commands)) this.#waiting.push(command);
        return;
      case 'refuse-new-work':
        this.#refuseNewWork();
        return;
      case 'finish-checkpoint':
        this.#calls.push(() => finishCheckpoint?.(message));
        return;
      case 'clean':
        this.#calls.push(() => {
          clean?.(message.how);
          this.#say({ kind: 'cleaned' });
        });
        return;
      case 'forget':
        this.#calls.push(() => engine.forget?.());
        return;
      case 'listen':
        this.#calls.push(() => engine.listen(message.accounts));
        return;
      case 'close':
        this.#calls.push(async () => {
          await engine.close();
          counts?.close();
          this.#say({ kind: 'closed' });
          port.close();
        });
    }
  }

  async #work(): Promise<void> {
    const { counts, describe, isReplaced } = this.#writing;
    this.#isBusy = true;
    try {
      while (this.#waiting.length + this.#calls.length > 0 || this.#oldRefusals.isDue) {
        this.#gather();
        for (const call of this.#calls.splice(0)) await call();
        const held = this.#oldRefusals.take(groupMax);
        const commands = this.#waiting.splice(0, groupMax - held.length);
        this.#underWay = commands.length;
        if (commands.length + held.length > 0) this.#say(await this.#applied(commands, held));
        this.#underWay = 0;
        counts?.look();
        this.#endedAt = stopwatchMs();
        this.#receive();
      }
    } catch (fault) {
      // Nothing more is applied, because the process ends.
      this.#say(isReplaced?.(fault) === true ? { kind: 'replaced' } : { kind: 'fatal', reason: describe(fault) });
      return;
    }
    this.#isBusy = false;
  }

  #receive(): void {
    for (let next; (next = this.#writing.port.receive());) this.#take(next);
  }

  /** Under part load, a group of a few commands waits a moment for more of them. */
  #gather(): void {
    const { commitDelayMs = 0 } = this.#writing;
    const isSmall = this.#waiting.length > 0 && this.#waiting.length < groupMin;
    if (commitDelayMs === 0 || !isSmall || stopwatchMs() - this.#endedAt > underLoadMs) return;
    // A timer of the event loop would wait a whole millisecond or more.
    Atomics.wait(this.#never, 0, 0, commitDelayMs);
    this.#receive();
  }

  #refuseNewWork(): void {
    const waiting = this.#waiting.splice(0);
    this.#waiting.push(...waiting.filter((command) => !isNewWork(command)));
    const held = this.#oldRefusals.refuseNewWork();
    this.#say({ kind: 'new-work-refused', underWay: this.#underWay, waiting: waiting.length, held });
  }

  /** Applies a group. The answer has the results, and news for other parts of the gateway. */
  async #applied(commands: readonly Command[], held: readonly HeldCommand[]): Promise<FromWriter> {
    const { engine, describe } = this.#writing;
    const heldCommands = held.map(({ command }) => command);
    engine.forget?.(heldCommands);
    const faults: string[] = [];
    let noRoom: string | null = null;
    const news: NotificationNews[] = [];
    const old = new Set<Command>();
    const from = stopwatchMs();
    let commitMs = 0;
    const results = await applyGroup(engine, [...commands, ...heldCommands], {
      fault: (fault) => faults.push(describe(fault)),
      noRoom: (fault) => (noRoom = describe(fault)),
      applied: (rows, waitedMs) => {
        commitMs += waitedMs;
        news.push(...rows.news.values());
      },
      oldRefusals: (again) => {
        for (const each of again) old.add(each);
      },
    });
    const times = { groupMs: stopwatchMs() - from, commitMs };
    this.#oldRefusals.hold(commands.filter((each) => old.has(each)));
    return {
      kind: 'applied',
      results: packResults(results.slice(0, commands.length)),
      held: old.size === 0 ? [] : commands.flatMap((each, place) => (old.has(each) ? place : [])),
      ended: held.map(({ number }, place) => [number, results[commands.length + place] ?? unanswered]),
      times,
      faults,
      noRoom,
      news,
    };
  }

  #say(message: FromWriter): void {
    this.#writing.port.say(message);
  }
}

const unanswered = refused({ code: 'internal_error' } as const);

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
