/*
 * Each bound session has a place in the database, which ends with its node's lease: a dead node's places become free.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { PlaceRows } from '../../store/postgres/members/place-rows.ts';
import type { Tools } from '../ports.ts';

export interface Place {
  /** Frees the place: at once for the next session at this node, and a moment later for other nodes. */
  free(): void;
}

export interface Places {
  /** Takes one of `max` places of an account. `unavailable`: the database does not answer. */
  take(account: number, max: number): Promise<Place | 'full' | 'unavailable'>;
}

/** The places of a gateway that is the only node: counting the sessions in its memory is enough. */
export const ownPlaces: Places = { take: async () => ({ free: () => undefined }) };

/** A place of an ended session at another node is free only a moment later. So a bind tries again after these times. */
const againMs: readonly number[] = [250, 750];

/** A bind waits this long for the database. */
const takeMaxMs = 3 * secondMs;

/** The pause before a failed return of places is tried again. */
const retryMs = secondMs;

export class SharedPlaces implements Places {
  readonly #needs;
  readonly #held = new Map<number, Set<number>>();
  /** Questions to the database go one after another for each account, because each names `#held`. */
  readonly #turns = new Map<number, Promise<unknown>>();
  /** Accounts whose places in the database may outnumber those of this node's sessions. */
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

  /** Stops giving places back: the node leaves, and all its places become free. */
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

  /** Gives freed places back to the database. Tries again until the database answers. */
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
