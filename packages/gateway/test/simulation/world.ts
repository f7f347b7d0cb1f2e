/*
 * The world of a simulation: one thread, a virtual clock and one source of chance. Everything that takes time in this
 * world is an event at a virtual time, and the seed decides the order of events.
 */

import type { Clock, Timer } from '../../src/runtime/clock.ts';
import type { Random } from '../../src/runtime/random.ts';
import { Chance } from '../support/chance.ts';

interface Event extends Timer {
  readonly at: number;
  /** Decides between events at the same time. */
  readonly order: number;
  call: (() => void) | undefined;
  /** Whether a gateway only looks at its work then. */
  readonly isTimer: boolean;
}

/** Calls of `process.nextTick` that may follow one another before an event has had all its effects. */
const settleTicks = 2;

/** What happens within this time may be under way between a gateway and its store. */
const underWayMaxMs = 1_000;

export interface WorldOptions {
  readonly isTold?: boolean;
  /** The numbers of planned actions that are left out. */
  readonly skipped?: ReadonlySet<number>;
}

const none: ReadonlySet<number> = new Set();

export class World {
  readonly chance: Chance;
  /** What happened, for a person who reads why a seed failed. */
  readonly story: string[] = [];
  /** How many groups the disk has committed. */
  commits = 0;
  readonly #isTold: boolean;
  readonly #events: Event[] = [];
  #last: (() => void)[] = [];
  #nowMs = 0;
  #steps = 0;
  readonly #skipped: ReadonlySet<number>;
  #planned = 0;

  constructor(seed: number, { isTold = false, skipped = none }: WorldOptions = {}) {
    this.#skipped = skipped;
    this.chance = new Chance(seed);
    this.#isTold = isTold;
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Adds a line to the story. */
  tell(line: string): void {
    const told = `${(this.#nowMs / 1_000).toFixed(3)} ${line}`;
    this.story.push(told);
    if (this.#isTold) process.stderr.write(`${told}\n`);
  }

  /** Calls the function once, after so many virtual milliseconds. */
  after(ms: number, call: () => void, isTimer = false): Timer {
    const event: Event = {
      at: this.#nowMs + Math.max(0, ms),
      order: this.chance.next(),
      call,
      isTimer,
      cancel: () => (event.call = undefined),
    };
    this.#add(event);
    return event;
  }

  /** An action of the run's script, after so many virtual milliseconds. A shorter script leaves it out. */
  plan(ms: number, act: () => void): void {
    const event = this.after(ms, act);
    if (this.#skipped.has(this.#planned++)) event.cancel();
  }

  /** How many actions the script has, the skipped ones among them. */
  get planned(): number {
    return this.#planned;
  }

  /** Calls the function after a time that the seed draws between these limits; most times are near the lower one. */
  soon(leastMs: number, mostMs: number, call: () => void): Timer {
    return this.after(leastMs + (mostMs - leastMs) * this.chance.next() ** 3, call);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Calls the function after all other effects of this event, at the same virtual time. */
  last(call: () => void): void {
    this.#last.push(call);
  }

  /**
   * Nothing runs for so long, and what is under way and timers of the gateway are late, as after a pause of all machines.
   * The pause is shorter if something else happens before its end.
   */
  pause(ms: number): void {
    const later = this.#nowMs + underWayMaxMs;
    const events = this.#events.flatMap(({ at, call, isTimer }) => (call && !isTimer && at > later ? at : []));
    this.#nowMs = Math.max(this.#nowMs, Math.min(this.#nowMs + ms, ...events));
  }

  /** Runs events until this virtual time, or until there are none. */
  async run(untilMs: number): Promise<void> {
    for (let event; (event = this.#events[0]) !== undefined && event.at <= untilMs;) {
      this.#take();
      if (!event.call) continue;
      this.#nowMs = Math.max(this.#nowMs, event.at);
      this.#steps += 1;
      event.call();
      await settle();
      while (this.#last.length > 0) {
        for (const call of this.#last.splice(0)) call();
        await settle();
      }
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The events are a heap: each comes before those at twice its place. */
  #add(event: Event): void {
    const heap = this.#events;
    let at = heap.push(event) - 1;
    for (let above; at > 0 && isBefore(event, heap[(above = (at - 1) >> 1)]); at = above) {
      swap(heap, at, above);
    }
  }

  #take(): void {
    const heap = this.#events;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < heap.length && isBefore(heap[left], heap[first])) first = left;
      if (right < heap.length && isBefore(heap[right], heap[first])) first = right;
      if (first === at) return;
      swap(heap, at, first);
      at = first;
    }
  }
}

function isBefore(one: Event | undefined, other: Event | undefined): boolean {
  if (!one || !other) return false;
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function swap(heap: Event[], one: number, other: number): void {
  const [first, second] = [heap[one], heap[other]];
  if (!first || !second) return;
  heap[one] = second;
  heap[other] = first;
}

/** Waits until everything has happened that needs no time: promises. A turn of the event loop would take four times as long. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < settleTicks; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** When the virtual time begins: 1 January 2026, UTC. */
export const beginning = Date.UTC(2026, 0, 1);

/** The clock of one run of a process. When the process ends, none of its timers is called any more. */
export class ProcessClock implements Clock {
  readonly #world: World;
  #isAlive = true;
  #isPaused = false;
  /** What came in a pause, or just after it. */
  readonly #missed: (() => void)[] = [];
  #isCatchingUp = false;
  /** How long the machine was suspended. */
  #suspendedMs = 0;
  readonly #watchers: (() => void)[] = [];
  /** The error of the machine's clock, which a step changes. */
  #offMs: number;

  constructor(world: World, offMs = 0) {
    this.#world = world;
    this.#offMs = offMs;
  }

  readonly now = (): number => Math.floor(beginning + this.#world.nowMs + this.#offMs);
  readonly monotonicMs = (): number => this.#world.nowMs - this.#suspendedMs;
  readonly bootMs = (): number => this.#world.nowMs;

  readonly setTimer = (call: () => void, afterMs: number): Timer =>
    this.#world.after(afterMs, () => this.act(call), true);

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get offMs(): number {
    return this.#offMs;
  }

  step(ms: number): void {
    this.#offMs += ms;
  }

  /** Lets the process do something: at once, or after its pause, but never after its end. */
  act(call: () => void): void {
    if (!this.#isAlive) return;
    if (this.#isPaused || this.#isCatchingUp) this.#missed.push(call);
    else call();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /**
   * The process stands still. What comes meanwhile happens at the end of the pause. In a suspended machine, the
   * monotonic clock stands still, too.
   */
  pause(ms: number, isSuspended: boolean): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#world.after(ms, () => {
      this.#isPaused = false;
      if (isSuspended) this.#suspendedMs += ms;
      this.#catchUp();
    });
  }

  #catchUp(): void {
    if (this.#isPaused) return;
    const next = this.#missed.shift();
    this.#isCatchingUp = next !== undefined;
    if (!next || !this.#isAlive) return;
    next();
    this.#world.after(0, () => this.#catchUp());
  }

  whenEnded(call: () => void): void {
    this.#watchers.push(call);
  }

  end(): void {
    this.#isAlive = false;
    for (const call of this.#watchers.splice(0)) call();
  }
}

export function randomOf(world: World): Random {
  return {
    chance: () => world.chance.next(),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => world.chance.between(0, 255))),
  };
}
