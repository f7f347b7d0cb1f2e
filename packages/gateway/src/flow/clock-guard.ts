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
    /** The time of the machine's clock. */
    wall(): Instant;
    /** Continues from this time, or follows the machine's clock. */
    goOnFrom(at: Instant): void;
    follow(): void;
  };
  /** The newest instant that was written while the clock was trusted; 0 for none. */
  readonly seenAt: Instant;
  /** The first instant of an untrusted clock that ran ahead, while messages may wait by it; null for none. */
  readonly untrustedFrom: Instant | null;
  readonly aheadMaxMs: number;
  readonly log: EventLog;
}

const lookEveryMs = secondMs;
/** Messages that one commit corrects: other commits wait some milliseconds for it. */
const cutBackMax = 500;
/** How often the time is written: a smaller error of the clock is not noticed after a crash. */
const writeEveryMs = minuteMs;

/**
 * Decides whether the machine's clock is trusted. A clock behind the newest stored instant is wrong: messages are refused,
 * and time continues from that instant, so that no record is earlier. With a clock far ahead of it, the gateway was off or
 * the clock is wrong: until an operator confirms it, or it comes back, nothing expires, and messages from before the start
 * are held. Messages accepted meanwhile would wait until the wrong date once the clock is back: they are corrected then.
 */
export class ClockGuard {
  readonly #needs: ClockGuardNeeds;
  readonly #loops: readonly Loop[];
  #state: ClockState = 'right';
  #since: Instant = 0;
  /** Messages accepted from here on may wait by a wrong clock; null for none. */
  #untrustedFrom: Instant | null;
  #settling: Promise<void> | undefined;
  #isStopping = false;
  #watcher: (() => void) | undefined;

  constructor(needs: ClockGuardNeeds) {
    this.#needs = needs;
    this.#untrustedFrom = needs.untrustedFrom;
    this.#enter(this.#judge());
    const { clock, log } = needs;
    this.#loops = [
      new Loop({ clock, log, name: 'look at the clock', everyMs: lookEveryMs, turn: () => this.#look() }),
      new Loop({ clock, log, name: 'write the time', everyMs: writeEveryMs, turn: () => this.#write() }),
    ];
  }

  /** Messages that waited before this instant are held; null for none. */
  get heldFrom(): Instant | null {
    return this.#state === 'ahead' ? this.#since : null;
  }

  /**
   * The instant for prices. A clock that runs ahead would charge future prices: until it is trusted, time continues from
   * the newest record for them. After an outage that is too early by the length of the outage.
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

  /** Calls when the clock is trusted again: held messages may go. */
  watch(watcher: () => void): void {
    this.#watcher = watcher;
  }

  /** The clock is before the newest record: trusting it has consequences that the operator must know. */
  get isBehind(): boolean {
    return this.#state === 'behind';
  }

  /** The operator confirms the clock. */
  async confirm(): Promise<void> {
    if (this.#state === 'right') return;
    this.#trust('the operator confirmed the clock');
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
      // Of an earlier run, or refused by the store before.
      if (this.#untrustedFrom !== null && this.#watcher) void this.#settle();
      return;
    }
    const state = this.#judge();
    if (state === this.#state) return;
    if (state !== 'right') {
      this.#enter(state);
      return;
    }
    this.#trust('the clock is trusted again');
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

  #trust(why: string): void {
    const { clock, log } = this.#needs;
    clock.follow();
    const now = clock.now();
    // Behind: the newer records are of a clock that ran ahead and was trusted, so they wait by it, too.
    this.#untrustedFrom = this.#state === 'behind' ? now : (this.#untrustedFrom ?? now);
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
    let after: number = firstIdAt(this.#untrustedFrom ?? clock.now()) - 1;
    for (let isMore = true; isMore;) {
      const at = clock.now();
      const done = await journal.append<'cut-back'>({ kind: 'cut-back', at, after, max: cutBackMax });
      if (!done.ok || this.#isStopping) return;
      ({ last: after, isMore } = done.value);
    }
    this.#untrustedFrom = null;
    await this.#write(true);
    this.#watcher?.();
  }

  /** While the clock is not trusted, no time is written that a later start would trust. */
  async #write(isForced = false): Promise<void> {
    if (this.#state !== 'right') return;
    const { journal, clock } = this.#needs;
    await journal.append<'see-clock'>({ kind: 'see-clock', at: clock.now(), isForced });
  }
}
