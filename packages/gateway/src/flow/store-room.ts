/* Knows whether the store can be written. While its disk is full, tries again and again whether it has space (P3). */

import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../runtime/loop.ts';
import type { Trouble } from './readiness.ts';
import type { Tools } from './ports.ts';

/**
 * How often the gateway tries to write to a full disk. If a disk is full again within a minute, the gateway tries half
 * as often.
 */
const tryMinMs = secondMs;
const tryMaxMs = minuteMs;
const againWithinMs = minuteMs;
/** The least time that the alarm stays open, so that a trouble that comes and goes is one alarm. */
const reportedMs = 5 * minuteMs;

/**
 * Knows whether the store can be written: whether its disk has space (P3), and whether its database answers. While the
 * disk is full, the gateway tries again and again to store a report about it, for an alarm. The first success shows that
 * the disk has space again.
 */
export class StoreRoom {
  readonly #needs;
  #trouble: Trouble | undefined;
  #awaySince: Instant | undefined;
  #tryMs = tryMinMs;
  #roomSince = Number.NEGATIVE_INFINITY;
  #loop: Loop | undefined;
  #isStopping = false;

  constructor(
    needs: Pick<Tools, 'log' | 'clock' | 'journal'> & {
      readonly node: string;
    },
  ) {
    this.#needs = needs;
  }

  /** Undefined if the store can be written. */
  get trouble(): Trouble | undefined {
    if (this.#awaySince === undefined) return this.#trouble;
    return { kind: 'database-away', since: this.#awaySince, detail: 'the database does not answer' };
  }

  /** Call this when the database stops answering, or answers again. The outage is reported once it answers. */
  away(isAway: boolean): void {
    const { clock, log } = this.#needs;
    const at = this.#awaySince;
    this.#awaySince = isAway ? (at ?? clock.now()) : undefined;
    if (isAway && at === undefined) {
      log.error({}, 'the database does not answer: new messages are refused until it answers');
    } else if (!isAway && at !== undefined) {
      const seconds = secondsBetween(at, clock.now());
      log.info({ seconds }, 'the database answers again: messages are accepted');
      void this.#report('database-away', `the database did not answer for ${seconds} s`);
    }
  }

  /** Call this when a commit failed because the disk is full or read-only. */
  lacked(reason: string): void {
    if (this.#trouble || this.#isStopping) return;
    const { clock, log } = this.#needs;
    const since = clock.now();
    this.#tryMs = since - this.#roomSince < againWithinMs ? Math.min(tryMaxMs, this.#tryMs * 2) : tryMinMs;
    this.#trouble = { kind: 'disk-full', since, detail: 'the disk with the data directory is full or read-only' };
    log.error({ reason }, 'the disk is full or read-only: messages are refused until it can be written again');
    const turn = () => this.#tryDisk(since);
    this.#loop = new Loop({ clock, log, name: 'try the disk', everyMs: this.#tryMs, turn });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop?.stop();
  }

  async #tryDisk(at: Instant): Promise<void> {
    const { clock, log } = this.#needs;
    const seconds = secondsBetween(at, clock.now());
    const isWritten = await this.#report('disk-full', `the disk was full or read-only for ${seconds} s`);
    if (!isWritten) return;
    void this.#loop?.stop();
    this.#trouble = undefined;
    this.#roomSince = clock.now();
    log.info({ seconds }, 'the disk can be written again: messages are accepted');
  }

  async #report(kind: 'disk-full' | 'database-away', evidence: string): Promise<boolean> {
    const { journal, clock, node: subject } = this.#needs;
    const at = clock.now();
    const report = { kind, subject, what: '', evidence, until: at + reportedMs };
    return (await journal.append<'report-alarm'>({ kind: 'report-alarm', at, report })).ok;
  }
}

function secondsBetween(from: Instant, to: Instant): number {
  return Math.round((to - from) / secondMs);
}
