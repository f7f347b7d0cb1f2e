/*
 * Imports of prices. Small commits between the commits of messages store the prices, under a version number that is not valid
 * yet. One row then makes the version valid. After a failure or a crash, small commits delete these prices.
 */

import { readPriceLines } from '@morsel/api/values/price.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { sleep } from '../runtime/clock.ts';
import type { BeginPriceImport } from '../state/decide/money/price-import.ts';
import type { PriceTableCache } from './price-tables.ts';
import type { Tools } from './ports.ts';

/** The most prices that one commit deletes, so that messages hardly wait. */
const sweptMax = 500;
/**
 * The pause after a commit of an import, as a multiple of the duration of that commit. Messages use the writing thread
 * meanwhile.
 */
const restShare = 3;
const restMaxMs = 50;
const againMs = secondMs;
const idBytes = 12;

export class PriceImports implements AsyncDisposable {
  readonly #needs;
  readonly #sweeps = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    needs: Pick<Tools, 'clock' | 'random' | 'journal' | 'reader'> & {
      readonly tables: Pick<PriceTableCache, 'prepare' | 'forget'>;
    },
  ) {
    this.#needs = needs;
  }

  /** Deletes the prices of imports that earlier runs of the gateway did not finish, while the gateway works. */
  async sweepAll(): Promise<void> {
    const left = await this.#needs.reader.ask('priceImports', undefined);
    if (left.ok) for (const id of left.value) this.sweep(id);
  }

  makeId(): string {
    return Buffer.from(this.#needs.random.bytes(idBytes)).toString('hex');
  }

  /**
   * Stores the prices of `pieces`, each in a commit of its own, and calls `publish` with the id of the import. If anything
   * fails, the prices are deleted, and none of them takes effect.
   */
  async import<T>(
    wanted: Omit<BeginPriceImport, 'at' | 'id'>,
    pieces: readonly string[],
    publish: (id: string) => Promise<Result<T, Rejection>>,
  ): Promise<Result<T, Rejection>> {
    const { journal, clock, tables } = this.#needs;
    const id = this.makeId();
    const at = clock.now();
    const begun = await journal.append<'begin-price-import'>({ kind: 'begin-price-import', at, id, ...wanted });
    if (!begun.ok) return begun;
    const { priceList, version } = begun.value;
    let done: Result<T, Rejection> | undefined;
    try {
      for (const piece of pieces) {
        const staged = await this.#stage(id, piece);
        if (!staged.ok) return staged;
      }
      await tables.prepare(priceList, version);
      done = await publish(id);
      return done;
    } finally {
      tables.forget(priceList, version);
      if (done?.ok !== true) this.sweep(id);
    }
  }

  async #stage(id: string, piece: string): Promise<Result<null, Rejection>> {
    if (this.#isClosed) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    const prices = readPriceLines(piece);
    if (!prices.ok) throw new Error('the store answered unreadable prices');
    const { journal, clock } = this.#needs;
    return this.#paced(() =>
      journal.append<'stage-prices'>({ kind: 'stage-prices', at: clock.now(), id, prices: prices.value }),
    );
  }

  /** Deletes the prices of a failed import or a withdrawn version, in small commits. */
  sweep(id: string): void {
    const sweeping = this.#sweep(id).finally(() => this.#sweeps.delete(sweeping));
    this.#sweeps.add(sweeping);
  }

  /** Imports fail from now on, so that a stop does not wait for them. */
  end(): void {
    this.#isClosed = true;
  }

  /** Ends the imports and stops deleting. The next start deletes the remaining prices. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
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

  /** Runs a commit, and then pauses for a multiple of the time that the commit took. */
  async #paced<T>(commit: () => Promise<T>): Promise<T> {
    const { clock } = this.#needs;
    const beganMs = clock.monotonicMs();
    const done = await commit();
    await sleep(clock, Math.min(restMaxMs, (clock.monotonicMs() - beganMs) * restShare));
    return done;
  }
}
