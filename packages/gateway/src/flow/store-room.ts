/* Watches a full disk: refuses messages until there is room again (P3). */

import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { Loop } from '../runtime/loop.ts';
import type { Journal } from '../store/journal.ts';
import type { Trouble } from './readiness.ts';
import type { EventLog } from './ports.ts';

interface StoreRoomNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'info' | 'error'>;
}

/** How often a full disk is tried. A disk that is full again within a minute is tried half as often: each try that succeeds leaves an alert. */
const tryMinMs = secondMs;
const tryMaxMs = minuteMs;
const againWithinMs = minuteMs;

/**
 * Whether the disk takes what is written (P3). While it does not, the alert about it is kept in memory, and writing that
 * alert is the try that finds room again.
 */
export class StoreRoom {
  readonly #needs: StoreRoomNeeds;
  #trouble: Trouble | undefined;
  #tryMs = tryMinMs;
  #roomSince = Number.NEGATIVE_INFINITY;
  /** Tries the disk while there is trouble. */
  #loop: Loop | undefined;
  #isStopping = false;

  constructor(needs: StoreRoomNeeds) {
    this.#needs = needs;
  }

  /** Undefined while there is room. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** A group was refused: the disk is full or read-only. */
  lacked(reason: string): void {
    if (this.#trouble || this.#isStopping) return;
    const { clock, log } = this.#needs;
    const since = clock.now();
    this.#tryMs = since - this.#roomSince < againWithinMs ? Math.min(tryMaxMs, this.#tryMs * 2) : tryMinMs;
    this.#trouble = { kind: 'disk-full', since, detail: 'the disk with the data directory is full or read-only' };
    log.error({ reason }, 'the disk takes no more: messages are refused until there is room');
    const turn = () => this.#tryDisk(since);
    this.#loop = new Loop({ clock, log, name: 'try the disk', everyMs: this.#tryMs, turn });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop?.stop();
  }

  async #tryDisk(at: Instant): Promise<void> {
    const { journal, clock, log } = this.#needs;
    const seconds = Math.round((clock.now() - at) / secondMs);
    const detail = `the disk took nothing for ${seconds} s`;
    const written = await journal.append<'system-alert'>({ kind: 'system-alert', at, alert: 'disk-full', detail });
    if (!written.ok) return;
    void this.#loop?.stop();
    this.#trouble = undefined;
    this.#roomSince = clock.now();
    log.info({ seconds }, 'the disk has room again: messages are taken');
  }
}
