/*
 * Each bound session has a place in the database, which ends with its node's lease: a dead node's places become free.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { PlaceRows } from '../../store/postgres/members/place-rows.ts';
import type { Tools } from '../ports.ts';

export interface Place {
  /** The next session at this node may have the place at once, and other nodes a moment later. */
  free(): void;
}

export interface Places {
  /** Takes one of `max` places of an account. `unavailable`: the database does not answer. */
  take(account: number, max: number): Promise<Place | 'full' | 'unavailable'>;
}

/** With one node only, the sessions in its memory are all. */
export const ownPlaces: Places = { take: async () => ({ free: () => undefined }) };

/** A session that has ended at another node keeps its place for a moment. So a bind looks again after these times. */
const againMs: readonly number[] = [250, 750];

/** A bind waits this long for the database. */
const takeMaxMs = 3 * secondMs;

/** After a failure, places are given back after this time. */
const retryMs = secondMs;

export class SharedPlaces implements Places {
  readonly #needs;
  readonly #held = new Map<number, Set<number>>();
  /** Questions to the database go one after another for each account, because each names `#held`. */
  readonly #turns = new Map<number, Promise<unknown>>();
  /** Accounts that may have places in the database that are not held here. */
  readonly #freed = new Set<number>();
  #isStopping = false;

  constructor(
    needs: Pick<Tools, 'clock'> & {
      readonly rows: Pick<PlaceRows, 'take' | 'keep'>;
    },
  ) {
    this.#needs = needs;
  }

  async take(account: number, max: number): Promise<Place | 'full' | 'unavailable'> {
    for (const ms of [...againMs, undefined]) {
      const place = await this.#takeInTime(account, max);
      if (typeof place === 'number') return this.#placeOf(account, place);
      if (place === 'unavailable' || ms === undefined) return place;
      await sleep(this.#needs.clock, ms);
    }
    return 'full';
  }

  /** Gives nothing back any more: the node leaves, with all its places. */
  stop(): void {
    this.#isStopping = true;
  }

  async #takeInTime(account: number, max: number): Promise<number | 'full' | 'unavailable'> {
    const { promise, resolve } = Promise.withResolvers<'unavailable'>();
    const timer = this.#needs.clock.setTimer(() => resolve('unavailable'), takeMaxMs);
    const taking = this.#inTurn(account, () => this.#take(account, max)).catch(() => 'unavailable' as const);
    const place = await Promise.race([taking, promise]);
    timer.cancel();
    // The database may take a place later, or may have taken one although its answer did not come.
    if (place === 'unavailable') void taking.then((late) => this.#forget(account, late));
    return place;
  }

  #forget(account: number, place: number | 'full' | 'unavailable'): void {
    if (typeof place === 'number') this.#placeOf(account, place).free();
    else if (place === 'unavailable') this.#giveBack(account);
  }

  async #take(account: number, max: number): Promise<number | 'full'> {
    const held = this.#held.get(account) ?? new Set();
    const place = await this.#needs.rows.take({ account, max, held });
    if (place !== 'full') this.#held.set(account, held.add(place));
    return place;
  }

  #placeOf(account: number, place: number): Place {
    return {
      free: () => {
        const held = this.#held.get(account);
        if (held?.delete(place) !== true) return;
        if (held.size === 0) this.#held.delete(account);
        this.#giveBack(account);
      },
    };
  }

  /** Tries again until the database answers. */
  #giveBack(account: number): void {
    if (this.#freed.has(account)) return;
    this.#freed.add(account);
    void this.#inTurn(account, () => this.#keep(account)).catch(() => {
      const again = () => {
        this.#freed.delete(account);
        this.#giveBack(account);
      };
      this.#needs.clock.setTimer(again, retryMs);
    });
  }

  async #keep(account: number): Promise<void> {
    if (this.#isStopping) return;
    this.#freed.delete(account);
    await this.#needs.rows.keep(account, this.#held.get(account) ?? new Set());
  }

  async #inTurn<T>(account: number, ask: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(account) ?? Promise.resolve();
    const asked = before.then(ask, ask);
    this.#turns.set(account, asked);
    try {
      return await asked;
    } finally {
      if (this.#turns.get(account) === asked) this.#turns.delete(account);
    }
  }
}
