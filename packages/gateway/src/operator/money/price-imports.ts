/*
 * Imports of prices. Small commits between the commits of messages store the prices, and one last commit publishes
 * them.
 */

import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { sleep, type Clock, type Timer } from '../../runtime/clock.ts';
import type { Journal } from '../../store/journal.ts';
import type { PriceChange } from '@morsel/api/values/price.ts';
import type { BeginPriceImport, PricesPublished } from '../../state/decide/money/price-import.ts';
import type { Reader } from '../../store/reader.ts';

export /** The journal of a request writes entries of the audit log, too. */
type Appends = Pick<Journal, 'append'>;

interface PriceImportsNeeds {
  readonly journal: Appends;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Loads the prices of a version before the version takes effect, without blocking the event loop. */
  readonly prepare: (priceList: number, version: number) => Promise<void>;
  readonly forget: (priceList: number, version: number) => void;
  /** Reloads the snapshot. Ends when admission uses the prices that the store has now. */
  readonly reloadSnapshot: () => Promise<void>;
}

/**
 * The most prices that one commit stores. Storing so many prices takes the writing thread about a millisecond, so
 * messages hardly wait.
 */
const stagedMax = 100;
/** The most prices that one commit deletes, so that messages hardly wait. */
const sweptMax = 500;
/**
 * The pause after a commit of an import, as a multiple of the duration of that commit. Messages use the writing thread
 * meanwhile.
 */
const restShare = 3;
const restMaxMs = 50;
const againMs = secondMs;
/** An import without a request for this time is dropped, because a working importer sends without a pause. */
const idleMaxMs = 30 * secondMs;
const idBytes = 12;
/** The most prices of one import: ten price lists of usual size, or some 50 MiB of the store. */
const importMax = 1_000_000;

interface Running {
  readonly list: string;
  readonly priceList: number;
  readonly version: number;
  readonly mayBeFree: boolean;
  changes: number;
  /** The last prefix so far. Each prefix must come once, in ascending order. */
  last: string | undefined;
  /** Whether a request for this import is in progress. A second request at the same time is refused. */
  isBusy: boolean;
  idle: Timer | undefined;
}

/**
 * The imports in progress. Each commit stores a few prices, under a version number that is not valid yet. One row then
 * makes the version valid. After a drop or a crash, each commit deletes a few of these prices.
 */
export class PriceImports implements AsyncDisposable {
  readonly #needs: PriceImportsNeeds;
  readonly #running = new Map<string, Running>();
  readonly #sweeps = new Set<Promise<void>>();
  #isClosed = false;

  constructor(needs: PriceImportsNeeds) {
    this.#needs = needs;
  }

  /** Deletes the prices of imports that earlier runs of the gateway did not finish, while the gateway works. */
  async sweepAll(): Promise<void> {
    const left = await this.#needs.reader.ask('priceImports', undefined);
    if (left.ok) for (const id of left.value) this.sweep(id);
  }

  async begin(
    wanted: Omit<BeginPriceImport, 'at' | 'id'> & { readonly mayBeFree: boolean },
    journal: Appends,
  ): Promise<Result<{ readonly import: string; readonly version: number }, Rejection>> {
    const { mayBeFree, ...fields } = wanted;
    const id = Buffer.from(this.#needs.random(idBytes)).toString('hex');
    const at = this.#needs.clock.now();
    const begun = await journal.append<'begin-price-import'>({
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

  /**
   * Stores some prices of an import, and answers when they are on disk. Prefixes must be in ascending order over all
   * calls.
   */
  async stage(
    id: string,
    prices: readonly PriceChange[],
    journal: Appends,
  ): Promise<Result<{ readonly changes: number }, Rejection>> {
    return this.#alone(id, async (running) => {
      const wrong = reasonAgainst(running, prices);
      if (wrong) return refused(wrong);
      for (let from = 0; from < prices.length; from += stagedMax) {
        const some = prices.slice(from, from + stagedMax);
        const staged = await this.#paced(async () => {
          const at = this.#needs.clock.now();
          return journal.append<'stage-prices'>({ kind: 'stage-prices', at, id, prices: some });
        });
        // Only some of these prices may be stored, so the import is dropped.
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

  /**
   * Makes the version valid, and answers when admission knows it. Messages from its time on are charged by its prices.
   */
  async publish(
    id: string,
    effectiveAt: Instant | null,
    journal: Appends,
  ): Promise<Result<PricesPublished, Rejection>> {
    return this.#alone(id, async (running) => {
      const { priceList, version, changes } = running;
      await this.#needs.prepare(priceList, version);
      const at = this.#needs.clock.now();
      const published = await journal.append<'publish-prices'>({
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

  /** Drops an import. Returns false if there is no import with this id. */
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

  /** Ends the imports and stops deleting. The next start deletes the remaining prices. */
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
      // The disk may be full, so the deletion is tried again. Until the deletion is done, other changes of the list are
      // refused.
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

  /** Runs a commit, and then pauses for a multiple of the time that the commit took. */
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
  detail: 'the import does not exist any more: it was dropped, and none of its prices took effect',
};
const busy: Rejection = {
  code: 'in_use',
  detail: 'another request for this import is in progress: wait until that request is answered',
};

function invalid(detail: string): Rejection {
  return { code: 'invalid_parameter', field: 'prices', detail };
}

function reasonAgainst(running: Running, prices: readonly PriceChange[]): Rejection | undefined {
  if (running.changes + prices.length > importMax) return invalid(`must not be more than ${importMax} in one import`);
  let { last } = running;
  for (const { prefix, unitPrice } of prices) {
    if (last !== undefined && prefix <= last)
      return invalid('must have each prefix only once, in ascending order of the digits');
    if (unitPrice === 0n && !running.mayBeFree)
      return invalid(`must not be 0 without allowFree; prefix ${prefix} has a price of 0`);
    last = prefix;
  }
  return undefined;
}
