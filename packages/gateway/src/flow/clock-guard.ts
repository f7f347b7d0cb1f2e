/*
 * Decides whether the machine's clock can be trusted. While it cannot, nothing expires, and messages may be held back.
 */

import { durationText, judgeClock, recordEveryMs, type ClockState } from '../core/base/clock.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { firstIdAt } from '../core/base/message-id.ts';
import type { Clock } from '../runtime/clock.ts';
import { Loop } from '../runtime/loop.ts';
import type { Trouble } from './readiness.ts';
import type { Tools } from './ports.ts';

const lookEveryMs = secondMs;
/** How many messages one commit corrects at most. Other commits wait some milliseconds for that commit. */
const cutBackMax = 500;

/**
 * A clock behind the newest stored instant is wrong: messages are refused, and time continues from that instant. A
 * clock far ahead may be wrong, or the gateway was off for long. Then nothing expires and older messages are held,
 * until an operator confirms the clock or it is set back. Messages accepted meanwhile are corrected when the clock is
 * trusted again.
 */
export class ClockGuard {
  readonly #needs;
  readonly #loops: readonly Loop[];
  #state: ClockState = 'right';
  #since: Instant = 0;
  /** Messages since this instant may have due times and deadlines of a wrong clock. Null if there are none. */
  #untrustedFrom: Instant | null;
  #settling: Promise<void> | undefined;
  #isStopping = false;
  #watcher: (() => void) | undefined;

  constructor(
    needs: Pick<Tools, 'log' | 'journal'> & {
      readonly clock: Clock & {
        wall(): Instant;
        /** Continues from this instant, instead of following the machine's clock. */
        goOnFrom(at: Instant): void;
        follow(): void;
      };
      /** The newest instant that the gateway stored while it trusted the clock; 0 for an empty store. */
      readonly seenAt: Instant;
      /** First instant of a clock that ran ahead, if messages with its times may still wait; otherwise null. */
      readonly untrustedFrom: Instant | null;
      readonly aheadMaxMs: number;
    },
  ) {
    this.#needs = needs;
    this.#untrustedFrom = needs.untrustedFrom;
    this.#enter(this.#judge());
    this.#loops = [
      new Loop({ ...needs, name: 'look at the clock', everyMs: lookEveryMs, turn: () => this.#look() }),
      new Loop({ ...needs, name: 'write the time', everyMs: recordEveryMs, turn: () => this.#write() }),
    ];
  }

  /** Messages that became due before this instant are held; null if no message is held. */
  get heldFrom(): Instant | null {
    return this.#state === 'ahead' ? this.#since : null;
  }

  /**
   * Selects prices: continues from the newest record until the clock is trusted, so that no future price counts. After
   * a real outage this time is late by the length of the outage.
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
        ? `the clock of this machine is ${by} behind ${newest}: messages are refused until the clock is right. Set the clock, or run "morsel clock confirm" if it is right`
        : `the clock of this machine is ${by} ahead of ${newest}: the gateway was off for that long, or the clock is wrong. Nothing expires, and messages from before the start are held, until you run "morsel clock confirm"`;
    return { kind: `clock-${this.#state}`, since: this.#since, detail };
  }

  /** Called when the clock is trusted again and held messages may be sent. */
  watch(watcher: () => void): void {
    this.#watcher = watcher;
  }

  /** Whether the clock is behind. If an operator then confirms it, new records get earlier times than existing ones. */
  get isBehind(): boolean {
    return this.#state === 'behind';
  }

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
      // Corrects messages of an earlier run, or those of a correction that the store refused.
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
    // Since the process began, the machine's clock may have been set right.
    if (state === 'behind') clock.goOnFrom(seenAt);
    else clock.follow();
    if (state === 'right') return;
    this.#since = clock.now();
    log.warn({ clock: new Date(clock.wall()).toISOString() }, this.trouble?.detail ?? '');
  }

  #trust(why: string): void {
    const { clock, log } = this.#needs;
    clock.follow();
    const now = clock.now();
    // If the clock was behind, the newer records come from a trusted clock that ran ahead. Their messages must be
    // corrected, too.
    this.#untrustedFrom = this.#state === 'behind' ? now : (this.#untrustedFrom ?? now);
    this.#state = 'right';
    log.info({ clock: new Date(now).toISOString() }, why);
  }

  /** Corrects the messages of the untrusted clock. If the store refuses, the next look at the clock tries again. */
  #settle(): Promise<void> {
    this.#settling ??= this.#cutBack().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #cutBack(): Promise<void> {
    const first = firstIdAt(this.#untrustedFrom ?? this.#needs.clock.now()) - 1;
    // The first pass does not see the messages that its own commit stores; a second pass does.
    if (!(await this.#cutBackFrom(first)) || !(await this.#cutBackFrom(first))) return;
    this.#untrustedFrom = null;
    await this.#write(true);
    this.#watcher?.();
  }

  /** Returns false if the store refuses, or the gateway stops. */
  async #cutBackFrom(first: number): Promise<boolean> {
    const { journal, clock } = this.#needs;
    let after = first;
    for (let isMore = true; isMore;) {
      const at = clock.now();
      const done = await journal.append<'cut-back'>({ kind: 'cut-back', at, after, max: cutBackMax });
      if (!done.ok || this.#isStopping) return false;
      ({ last: after, isMore } = done.value);
    }
    return true;
  }

  /** Stores no time while the clock is not trusted, because the next start would trust a stored time. */
  async #write(isForced = false): Promise<void> {
    if (this.#state !== 'right') return;
    const { journal, clock } = this.#needs;
    await journal.append<'see-clock'>({ kind: 'see-clock', at: clock.now(), isForced });
  }
}
