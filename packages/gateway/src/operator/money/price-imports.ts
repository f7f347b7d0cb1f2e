/* Imports of prices: they are staged in small commits between those of messages, and published by one commit. */

import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { Journal } from '../../store/journal.ts';
import type { PriceChange } from '@morsel/api/values/price.ts';
import type { BeginPriceImport, PricesPublished } from '../../store/commands/price.ts';
import type { Reader } from '../../store/reader.ts';

export interface PriceImportsNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Reads the table of a version before it holds, off the event loop. */
  readonly prepare: (priceList: number, version: number) => Promise<void>;
  readonly forget: (priceList: number, version: number) => void;
  /** Ends when admission uses what the store has now. */
  readonly reloadSnapshot: () => Promise<void>;
}

/** Prices of one commit: about a millisecond of the writing thread, so messages in the same group hardly wait. */
const stagedMax = 100;
/** Prices deleted in one commit, for the same reason. */
const sweptMax = 500;
/** After a commit, messages have the thread for themselves for this many times as long as the commit took. */
const restShare = 3;
const restMaxMs = 50;
const againMs = secondMs;
/** An importer sends without a pause. After this silence the import is dropped. */
const idleMaxMs = 30 * secondMs;
const idBytes = 12;
/** Prices of one import: ten lists of the size that is usual, and some 50 MiB of the store. */
const importMax = 1_000_000;

interface Running {
  readonly list: string;
  readonly priceList: number;
  readonly version: number;
  readonly mayBeFree: boolean;
  changes: number;
  /** The last prefix so far: each must come once, in order. */
  last: string | undefined;
  /** Whether a call is under way: there must be one at a time. */
  isBusy: boolean;
  idle: Timer | undefined;
}

/**
 * Imports under way. Prices are staged, a few in each commit, under a version number that no reader asks for yet. One row
 * then makes the version valid. After a drop or a crash the prices are deleted, a few in each commit.
 */
export class PriceImports implements AsyncDisposable {
  readonly #needs: PriceImportsNeeds;
  readonly #running = new Map<string, Running>();
  readonly #sweeps = new Set<Promise<void>>();
  #isClosed = false;

  constructor(needs: PriceImportsNeeds) {
    this.#needs = needs;
  }

  /** Deletes what earlier runs of the gateway left. Everything else goes on meanwhile. */
  async sweepAll(): Promise<void> {
    const left = await this.#needs.reader.ask('priceImports', undefined);
    if (left.ok) for (const id of left.value) this.sweep(id);
  }

  async begin(
    wanted: Omit<BeginPriceImport, 'kind' | 'at' | 'id'> & { readonly mayBeFree: boolean },
  ): Promise<Result<{ readonly import: string; readonly version: number }, Rejection>> {
    const { mayBeFree, ...fields } = wanted;
    const id = Buffer.from(this.#needs.random(idBytes)).toString('hex');
    const at = this.#needs.clock.now();
    const begun = await this.#needs.journal.append<'begin-price-import'>({
      kind: 'begin-price-import',
      at,
      id,
      ...fields,
    });
    if (!begun.ok) return begun;
    const running: Running = {
      list: fields.list,
      ...begun.value,
      mayBeFree,
      changes: 0,
      last: undefined,
      isBusy: false,
      idle: undefined,
    };
    this.#running.set(id, running);
    this.#waitFor(id, running);
    return ok({ import: id, version: running.version });
  }

  /** Stores some prices of an import; they are on disk when it answers. Prefixes must be in order over all calls. */
  async stage(id: string, prices: readonly PriceChange[]): Promise<Result<{ readonly changes: number }, Rejection>> {
    return this.#alone(id, async (running) => {
      const wrong = reasonAgainst(running, prices);
      if (wrong) return refused(wrong);
      for (let from = 0; from < prices.length; from += stagedMax) {
        const some = prices.slice(from, from + stagedMax);
        const staged = await this.#paced(async () => {
          const at = this.#needs.clock.now();
          return this.#needs.journal.append<'stage-prices'>({ kind: 'stage-prices', at, id, prices: some });
        });
        // Some of these prices may be stored and others not, so the import cannot go on.
        if (!staged.ok) {
          this.drop(id);
          return staged;
        }
      }
      running.changes += prices.length;
      running.last = prices.at(-1)?.prefix ?? running.last;
      return ok({ changes: running.changes });
    });
  }

  /** Makes the version valid. Messages are charged by it, from its time on, when this answers. */
  async publish(id: string, effectiveAt: Instant | null): Promise<Result<PricesPublished, Rejection>> {
    return this.#alone(id, async (running) => {
      const { priceList, version, changes } = running;
      await this.#needs.prepare(priceList, version);
      const at = this.#needs.clock.now();
      const published = await this.#needs.journal.append<'publish-prices'>({
        kind: 'publish-prices',
        at,
        id,
        effectiveAt,
        changes,
      });
      if (!published.ok) {
        this.drop(id);
        return published;
      }
      this.#running.delete(id);
      try {
        await this.#needs.reloadSnapshot();
      } finally {
        this.#needs.forget(priceList, version);
      }
      return published;
    });
  }

  /** Gives an import up; false if there is none of this id. */
  drop(id: string): boolean {
    const running = this.#running.get(id);
    if (!running) return false;
    running.idle?.cancel();
    this.#running.delete(id);
    this.#needs.forget(running.priceList, running.version);
    this.sweep(id);
    return true;
  }

  /** Deletes the prices of a dropped import or a withdrawn version, in small commits. */
  sweep(id: string): void {
    const sweeping = this.#sweep(id).finally(() => this.#sweeps.delete(sweeping));
    this.#sweeps.add(sweeping);
  }

  /** The next start deletes the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { idle } of this.#running.values()) idle?.cancel();
    await Promise.all(this.#sweeps);
  }

  async #sweep(id: string): Promise<void> {
    while (!this.#isClosed) {
      const swept = await this.#paced(async () => {
        const at = this.#needs.clock.now();
        return this.#needs.journal.append<'sweep-prices'>({ kind: 'sweep-prices', at, id, max: sweptMax });
      });
      if (swept.ok && swept.value.isDone) return;
      // A full disk may have room later. Until then the list takes no other prices.
      if (!swept.ok) await sleep(this.#needs.clock, againMs);
    }
  }

  async #alone<T>(id: string, run: (running: Running) => Promise<Result<T, Rejection>>): Promise<Result<T, Rejection>> {
    const running = this.#running.get(id);
    if (!running || this.#isClosed) return refused(gone);
    if (running.isBusy) return refused(busy);
    running.isBusy = true;
    running.idle?.cancel();
    try {
      return await run(running);
    } finally {
      running.isBusy = false;
      if (this.#running.get(id) === running) this.#waitFor(id, running);
    }
  }

  #waitFor(id: string, running: Running): void {
    running.idle = this.#needs.clock.setTimer(() => this.drop(id), idleMaxMs);
  }

  /** Waits after a commit for as long as it took. */
  async #paced<T>(commit: () => Promise<T>): Promise<T> {
    const { clock } = this.#needs;
    const beganMs = clock.monotonicMs();
    const done = await commit();
    await sleep(clock, Math.min(restMaxMs, (clock.monotonicMs() - beganMs) * restShare));
    return done;
  }
}

const gone: Rejection = {
  code: 'does_not_exist',
  detail: 'there is no such import any more: it was dropped, and none of its prices took effect',
};
const busy: Rejection = {
  code: 'in_use',
  detail: 'another request writes prices of this import: wait for its answer',
};

function invalid(detail: string): Rejection {
  return { code: 'invalid_parameter', field: 'prices', detail };
}

function reasonAgainst(running: Running, prices: readonly PriceChange[]): Rejection | undefined {
  if (running.changes + prices.length > importMax) return invalid(`must be at most ${importMax} in an import`);
  let { last } = running;
  for (const { prefix, unitPrice } of prices) {
    if (last !== undefined && prefix <= last) return invalid('must have each prefix once, in the order of its digits');
    if (unitPrice === 0n && !running.mayBeFree)
      return invalid(`must not be 0 without allowFree: that of prefix ${prefix}`);
    last = prefix;
  }
  return undefined;
}
