/*
 * The only way to write: gives commands to the writing thread, which gathers them into groups, and returns their results.
 */

import { isNewWork, type AnyResult, type Command, type CommandOf, type ResultOf } from '../state/commands.ts';
import { Worker } from 'node:worker_threads';
import { refused } from '@morsel/api/values/result.ts';
import type { NotificationNews } from '../state/tables/notification.ts';
import { pack, unpackResults } from './packed.ts';
import { StoreRefused } from '../state/sealing/refused.ts';
import type { FinishCheckpoint } from './sqlite/checkpoint-thread.ts';
import { reasonOfEnd } from './sqlite/faults.ts';
import {
  groupMax,
  type Clean,
  type Durability,
  type FromWriter,
  type GroupTimes,
  type PlaceOf,
  type StorePlace,
  type ToWriter,
} from './writer.ts';

/** The most commands that wait; above it, new messages are refused with `unavailable`. Seconds of full load. */
const waitingMax = 50_000;

/** The most commands in the writing thread: the group being committed, and the next one. */
const postedMax = 2 * groupMax;

/**
 * As many waiting commands are sent to the writing thread at once, not at the end of this turn of the event loop. They
 * are worth an fsync, and the writing thread works while this thread reads the sockets.
 */
const postEarly = 32;

type Applied = Extract<FromWriter, { readonly kind: 'applied' }>;

interface Waiting {
  readonly command: Command;
  readonly done: (result: AnyResult) => void;
}

/** The thread that writes. A simulation has no threads, and makes what stands in its place. */
export interface WritingThread {
  post(message: ToWriter): void;
  onMessage(hear: (message: FromWriter) => void): void;
  /** Calls the function at the end of this turn of the event loop. */
  atTurnsEnd(call: () => void): void;
  end(): Promise<unknown>;
}

export interface JournalOptions {
  /** Called once when the data on disk cannot be trusted any more. The process must end at once (P4). */
  readonly onFatal: (reason: string) => void;
  /** Called when a command failed because of a bug. */
  readonly onFault: (reason: string) => void;
  /** Called when the disk is full or read-only, so that a group of commands was not written. */
  readonly onNoRoom?: ((reason: string) => void) | undefined;
  /** Called when the database stops answering, or answers again. */
  readonly onAway?: ((isAway: boolean) => void) | undefined;
  /** Called once when another process has taken over the work of this node. This process must end at once (P7). */
  readonly onReplaced?: (() => void) | undefined;
  /** Called after a failover if the database lacks this many groups of commands that it had acknowledged. */
  readonly onLost?: ((groups: number) => void) | undefined;
  /** Called with each command after its commit, or with its refusal by the store. It must be fast. */
  readonly onApplied?: ((command: Command, result: AnyResult) => void) | undefined;
  readonly onGroup?: ((times: GroupTimes) => void) | undefined;
  /** Called when destinations have new stored notifications, or accounts passed to `listen` have events. */
  readonly onNews?: ((news: readonly NotificationNews[]) => void) | undefined;
}

/**
 * If more commands wait than fit into two groups, outcomes and receipts go first. They free the room on links that new
 * messages wait for. An appended command is never given up: its caller always gets the true result.
 */
export class Journal implements AsyncDisposable {
  readonly #thread: WritingThread;
  #checkpoints: Worker | undefined;
  #options: JournalOptions;
  readonly #durability: Durability;
  #urgent: Waiting[] = [];
  #ordinary: Waiting[] = [];
  /** Commands in the writing thread, in order. */
  #posted: Waiting[] = [];
  /** Commands that the writing thread holds, to decide them again later. */
  readonly #held = new Map<number, Waiting>();
  #heldCount = 0;
  #scheduled = false;
  #closing: (() => void) | undefined;
  readonly #cleaned: (() => void)[] = [];
  #groups = 0;
  #commands = 0;
  #isAway = false;

  /** The thread has opened the database, with this durability. */
  constructor(thread: WritingThread, options: JournalOptions, durability: Durability) {
    this.#thread = thread;
    this.#options = options;
    this.#durability = durability;
    thread.onMessage((message) => this.#hear(message));
  }

  /** Opens the database for writing in a thread of its own. Throws `StoreRefused` with a sentence for the operator. */
  static async open(options: JournalOptions & { readonly place: StorePlace }): Promise<Journal> {
    const { place } = options;
    const worker = new Worker(new URL(`./${place.kind}/writer-thread.ts`, import.meta.url), { workerData: place });
    const durability = await new Promise<Durability>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (message: FromWriter) => {
        worker.off('error', reject);
        if (message.kind === 'opened') resolve(message);
        else reject(new StoreRefused(message.kind === 'refused' ? message.reason : 'the database did not open'));
      });
    });
    worker.on('error', (fault) => options.onFatal(reasonOfEnd('writing thread', fault, place)));
    const thread: WritingThread = {
      post: (message) => worker.postMessage(message),
      onMessage: (hear) => worker.on('message', hear),
      atTurnsEnd: setImmediate,
      end: () => worker.terminate(),
    };
    const journal = new Journal(thread, options, durability);
    if (place.kind === 'sqlite') journal.#checkpoints = journal.#startCheckpoints(place);
    return journal;
  }

  /** The settings that the writing connection reports. */
  get durability(): Durability {
    return this.#durability;
  }

  get statistics(): { readonly groups: number; readonly commands: number; readonly waiting: number } {
    return {
      groups: this.#groups,
      commands: this.#commands,
      waiting: this.#waiting + this.#posted.length + this.#held.size,
    };
  }

  /** The number of commands that are not posted yet. */
  get #waiting(): number {
    return this.#urgent.length + this.#ordinary.length;
  }

  /** Resolves with the result after the commit of the command, or with its refusal. */
  append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  append(command: Command): Promise<AnyResult> {
    return new Promise((done) => this.appendThen<Command['kind']>(command, done));
  }

  /** As `append`, without a promise: the commands of every message call it. `done` must not throw. */
  appendThen<K extends Command['kind']>(command: CommandOf<K>, done: (result: ResultOf<K>) => void): void;
  appendThen(command: Command, done: (result: AnyResult) => void): void {
    const isNew = isNewWork(command);
    if (this.#closing) done(refused({ code: 'unavailable', detail: 'the service is stopping' }));
    else if (isNew && this.#isAway) done(notThere);
    else if (isNew && this.#ordinary.length + this.#held.size >= waitingMax) {
      done(refused({ code: 'unavailable', detail: 'too many commands wait to be written' }));
    } else {
      (isNew ? this.#ordinary : this.#urgent).push({ command, done });
      if (this.#waiting >= postEarly) this.#send();
      else this.#schedule();
    }
  }

  /** Adds callbacks for parts of the gateway that open after the journal. */
  follow(followers: Pick<JournalOptions, 'onNews' | 'onNoRoom' | 'onAway'>): void {
    this.#options = { ...this.#options, ...followers };
  }

  /** From the next group on, `onNews` gets the events of these accounts, and of no others. */
  listen(accounts: readonly number[]): void {
    if (!this.#closing) this.#post({ kind: 'listen', accounts });
  }

  /** Another node has changed the operator's settings. Commands appended after this use the new settings. */
  forget(): void {
    if (!this.#closing) this.#post({ kind: 'forget' });
  }

  /** Removes the remains of deleted rows from the files of SQLite. Commits wait meanwhile. */
  clean(how: Clean['how']): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return new Promise((resolve) => {
      this.#cleaned.push(resolve);
      this.#post({ kind: 'clean', how });
    });
  }

  /** Waits for all appended commands, then closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.statistics.waiting > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#checkpoints) await endCheckpoints(this.#checkpoints);
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#post({ kind: 'close' });
    });
    await this.#thread.end();
  }

  /** Posts commands at the end of this turn of the event loop, so that those of one read share a group. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#thread.atTurnsEnd(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    const room = postedMax - this.#posted.length;
    const urgent = this.#urgent.splice(0, room);
    const sent = [...urgent, ...this.#ordinary.splice(0, room - urgent.length)];
    if (sent.length === 0) return;
    for (const each of sent) this.#posted.push(each);
    this.#post({ kind: 'commands', commands: pack(sent.map(({ command }) => command)) });
  }

  #hear(message: FromWriter): void {
    switch (message.kind) {
      case 'applied':
        this.#settle(unpackResults(message.results), message);
        for (const fault of message.faults) this.#options.onFault(fault);
        if (message.noRoom !== null) this.#options.onNoRoom?.(message.noRoom);
        if (message.news.length > 0) this.#options.onNews?.(message.news);
        return;
      case 'away':
        this.#setAway(message.isAway);
        this.#options.onAway?.(message.isAway);
        return;
      case 'new-work-refused':
        this.#refuse(this.#posted.splice(message.underWay, message.waiting), message.underWay);
        for (const number of message.held) this.#takeHeld(number)?.done(notThere);
        return;
      case 'lost':
        this.#options.onLost?.(message.groups);
        return;
      case 'replaced':
        this.#options.onReplaced?.();
        return;
      case 'fatal':
        this.#options.onFatal(message.reason);
        return;
      case 'cleaned':
        this.#cleaned.shift()?.();
        return;
      case 'closed':
        this.#closing?.();
        return;
      case 'opened':
      case 'refused':
        return;
    }
  }

  /**
   * While the database does not answer, new messages that were not sent to it are refused. The group under way waits
   * for its true result, and receipts and outcomes wait, too.
   */
  #setAway(isAway: boolean): void {
    this.#isAway = isAway;
    if (!isAway) return;
    for (const waiting of this.#ordinary.splice(0)) waiting.done(notThere);
    this.#post({ kind: 'refuse-new-work' });
  }

  /** Refuses the new work among posted commands. The other commands keep their places. */
  #refuse(waiting: readonly Waiting[], place: number): void {
    this.#posted.splice(place, 0, ...waiting.filter(({ command }) => !isNewWork(command)));
    for (const { command, done } of waiting) if (isNewWork(command)) done(notThere);
  }

  #settle(results: readonly AnyResult[], { held, ended, times }: Pick<Applied, 'held' | 'ended' | 'times'>): void {
    const group = this.#posted.splice(0, results.length);
    const isHeld = new Set(held);
    const answered = group.length - held.length + ended.length;
    this.#options.onGroup?.({ commands: answered, ...times });
    this.#groups += 1;
    this.#commands += answered;
    this.#send();
    for (const [index, waiting] of group.entries()) {
      if (isHeld.has(index)) this.#held.set(this.#heldCount++, waiting);
      else this.#answer(waiting, results[index] ?? refused({ code: 'internal_error' }));
    }
    for (const [number, result] of ended) {
      const waiting = this.#takeHeld(number);
      if (waiting) this.#answer(waiting, result);
    }
  }

  #answer(waiting: Waiting, result: AnyResult): void {
    this.#options.onApplied?.(waiting.command, result);
    waiting.done(result);
  }

  #takeHeld(number: number): Waiting | undefined {
    const waiting = this.#held.get(number);
    this.#held.delete(number);
    return waiting;
  }

  #startCheckpoints(place: PlaceOf<'sqlite'>): Worker {
    const worker = new Worker(new URL('./sqlite/checkpoint-thread.ts', import.meta.url), { workerData: place.file });
    worker.on('message', (message: FinishCheckpoint) => this.#post(message));
    worker.on('error', (fault) => this.#options.onFatal(reasonOfEnd('checkpoint thread', fault, place)));
    return worker;
  }

  #post(message: ToWriter): void {
    this.#thread.post(message);
  }
}

const notThere = refused({ code: 'unavailable', detail: 'the database does not answer' } as const);

function endCheckpoints(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.postMessage('end');
  });
}
