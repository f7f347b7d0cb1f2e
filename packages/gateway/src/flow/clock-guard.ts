/* Decides whether the machine's clock can be trusted, and holds what a wrong clock would send, expire or refund. */

import { durationText, judgeClock } from '../core/base/clock.ts';
import type { ClockState } from '../core/base/clock.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { firstIdAt } from '../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { Loop } from '../runtime/loop.ts';
import type { Journal } from '../store/journal.ts';
import type { Trouble } from './readiness.ts';
import type { EventLog } from './ports.ts';

interface ClockGuardNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock & {
    /** What the clock of the machine says. */
    wall(): Instant;
    /** Goes on from here, or as the clock of the machine goes. */
    goOnFrom(at: Instant): void;
    follow(): void;
  };
  /** The newest instant that was written while the clock was believed; 0 for none. */
  readonly seenAt: Instant;
  /** The first instant of a clock ahead that was not believed, and by which messages may wait; null for none. */
  readonly doubtedFrom: Instant | null;
  readonly aheadMaxMs: number;
  readonly log: EventLog;
}

const lookEveryMs = secondMs;
/** Messages that one commit cuts back: other commits wait some milliseconds for it. */
const cutBackMax = 500;
/** How often the time is written: after a crash a clock that is wrong by less is not found out. */
const writeEveryMs = minuteMs;

/**
 * Whether the clock of the machine is believed. Behind the newest stored instant it is wrong: messages are refused, and our time
 * goes on from that instant, so that nothing is recorded before what is there. Far ahead of it the gateway was switched off, or the
 * clock is wrong: until an operator confirms it, or it comes back, nothing expires, and what waited at the start is held. What
 * was accepted meanwhile would wait until the wrong date once the clock is back: it is cut back to the right one then.
 */
export class ClockGuard {
  readonly #needs: ClockGuardNeeds;
  readonly #loops: readonly Loop[];
  #state: ClockState = 'right';
  #since: Instant = 0;
  /** What was accepted from here on may wait by a wrong clock; null for nothing. */
  #doubtedFrom: Instant | null;
  #settling: Promise<void> | undefined;
  #isStopping = false;
  #watcher: (() => void) | undefined;

  constructor(needs: ClockGuardNeeds) {
    this.#needs = needs;
    this.#doubtedFrom = needs.doubtedFrom;
    this.#enter(this.#judge());
    const { clock, log } = needs;
    this.#loops = [
      new Loop({ clock, log, name: 'look at the clock', everyMs: lookEveryMs, turn: () => this.#look() }),
      new Loop({ clock, log, name: 'write the time', everyMs: writeEveryMs, turn: () => this.#write() }),
    ];
  }

  /** What waited before this instant is held; null for nothing. */
  get heldFrom(): Instant | null {
    return this.#state === 'ahead' ? this.#since : null;
  }

  /**
   * The instant that prices go by. A clock ahead would charge prices that are not to hold yet: until it is believed, time goes on
   * from the newest record for them. After a time out of service that is too early, by what the gateway was off.
   */
  readonly priceClock = {
    now: (): Instant => {
      const now = this.#needs.clock.now();
      return this.#state === 'ahead' ? this.#needs.seenAt + (now - this.#since) : now;
    },
  };

  get trouble(): Trouble | undefined {
    if (this.#state === 'right') return undefined;
    const { clock, seenAt } = this.#needs;
    const newest = `the newest record (${new Date(seenAt).toISOString()})`;
    const by = durationText(Math.abs(clock.wall() - seenAt));
    const detail =
      this.#state === 'behind'
        ? `the clock of this machine is ${by} behind ${newest}: messages are refused until it is right. Set it, or run "morsel clock confirm" if it is right`
        : `the clock of this machine is ${by} ahead of ${newest}: the gateway was off for so long, or the clock is wrong. Nothing expires, and what waited is held, until "morsel clock confirm"`;
    return { kind: `clock-${this.#state}`, since: this.#since, detail };
  }

  /** Calls when the clock is believed again: what was held may go. */
  watch(watcher: () => void): void {
    this.#watcher = watcher;
  }

  /** The clock is before the newest record: to believe it has consequences that an operator has to know. */
  get isBehind(): boolean {
    return this.#state === 'behind';
  }

  /** An operator says that the clock is right. */
  async confirm(): Promise<void> {
    if (this.#state === 'right') return;
    this.#believe('the operator confirmed the clock');
    await this.#settle();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#settling;
    await this.#write();
  }

  #look(): void {
    if (this.#state === 'right') {
      // From an earlier run, or what the store did not take.
      if (this.#doubtedFrom !== null && this.#watcher) void this.#settle();
      return;
    }
    const state = this.#judge();
    if (state === this.#state) return;
    if (state !== 'right') {
      this.#enter(state);
      return;
    }
    this.#believe('the clock is believed again');
    void this.#settle();
  }

  #judge(): ClockState {
    return judgeClock(this.#needs.clock.wall(), this.#needs);
  }

  #enter(state: ClockState): void {
    const { clock, seenAt, log } = this.#needs;
    this.#state = state;
    if (state === 'right') return;
    if (state === 'behind') clock.goOnFrom(seenAt);
    else clock.follow();
    this.#since = clock.now();
    log.warn({ clock: new Date(clock.wall()).toISOString() }, this.trouble?.detail ?? '');
  }

  #believe(why: string): void {
    const { clock, log } = this.#needs;
    clock.follow();
    const now = clock.now();
    // Behind, the newer records are of a clock ahead that was believed: they wait by it, too.
    this.#doubtedFrom = this.#state === 'behind' ? now : (this.#doubtedFrom ?? now);
    this.#state = 'right';
    log.info({ clock: new Date(now).toISOString() }, why);
  }

  /**
   * Moves waiting messages back from the wrong date, and notifies the watchers. If the store refuses, it is tried
   * again.
   */
  #settle(): Promise<void> {
    this.#settling ??= this.#cutBack().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #cutBack(): Promise<void> {
    const { journal, clock } = this.#needs;
    let after: number = firstIdAt(this.#doubtedFrom ?? clock.now()) - 1;
    for (let isMore = true; isMore;) {
      const at = clock.now();
      const done = await journal.append<'cut-back'>({ kind: 'cut-back', at, after, max: cutBackMax });
      if (!done.ok || this.#isStopping) return;
      ({ last: after, isMore } = done.value);
    }
    this.#doubtedFrom = null;
    await this.#write(true);
    this.#watcher?.();
  }

  /** While the clock is doubted nothing is written that a later start would believe. */
  async #write(isForced = false): Promise<void> {
    if (this.#state !== 'right') return;
    const { journal, clock } = this.#needs;
    await journal.append<'see-clock'>({ kind: 'see-clock', at: clock.now(), isForced });
  }
}
