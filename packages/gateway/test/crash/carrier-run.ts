/* One run of a misbehaving carrier: a tour, its witness, and the check of every promise at its end. */

import assert from 'node:assert/strict';
import { inboundWaitMs } from '../../src/core/message/inbound.ts';
import { nextMessageId } from '../../src/core/base/message-id.ts';
import { expireInbound } from '../../src/flow/message/expire.ts';
import { gatherEvidence, type CarrierEvidence, type Setup } from './carrier-evidence.ts';
import { submittingPromises } from './carrier-promises.ts';
import { receivingPromises } from './receipt-promises.ts';
import type { StoreFile } from '../support/store/store-file.ts';
import { Tour, type TourOptions } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Witness } from './witness.ts';

/** More than any run takes; after it the run is checked all the same. */
const settleLimitMs = 100_000;
/** Every look reads all parts of the run, and many runs wait at once. */
const settleLookEveryMs = 100;
const minuteMs = 60_000;

/**
 * A tour with one misbehaving carrier, watched from outside, and checked against every promise about carriers at its
 * end.
 */
export class CarrierRun implements AsyncDisposable {
  readonly tour: Tour;
  readonly #witness: Witness;
  readonly #setup: Setup;

  private constructor(tour: Tour, witness: Witness, setup: Setup) {
    this.tour = tour;
    this.#witness = witness;
    this.#setup = setup;
  }

  /** On a gateway of its own, or as a guest of a host under a name. */
  static async open(
    options: TourOptions,
    setup: Setup,
    guest?: { readonly host: Tour; readonly name: string },
  ): Promise<CarrierRun> {
    const witness = new Witness({ ...setup, inboundTwice: setup.sentTwice });
    const watched: TourOptions = { ...options, onEntry: (entry, dataDir) => witness.hears(entry, dataDir) };
    const tour = guest ? await guest.host.guest(guest.name, watched) : await Tour.open(watched);
    return new CarrierRun(tour, witness, setup);
  }

  /** Waits until everything is final and the carrier has nothing more to send, or nothing changes for a while. */
  async settle(quietMs: number): Promise<void> {
    const { dataDir, simulator, journal } = this.tour;
    let before = '';
    let since = performance.now();
    await waitUntil(
      'nothing changes any more',
      () => {
        const now = `${this.#witness.standing(dataDir).join()} ${journal.length}`;
        if (now !== before) since = performance.now();
        before = now;
        const isOver = this.#witness.unfinished(dataDir) === 0 && simulator.deliveriesWaiting === 0;
        return isOver || performance.now() - since > quietMs;
      },
      settleLimitMs,
      settleLookEveryMs,
    );
  }

  /** Asserts S1 to S6, D1 to D5, O1, O3 and O4 for a stopped gateway. Returns the evidence. */
  holdsPromises(store: StoreFile): CarrierEvidence {
    const { journal } = this.tour;
    const seen = this.#witness.faults;
    const evidence = gatherEvidence(store, { ...this.#setup, journal, seen });
    for (const { promise, faults } of [...submittingPromises, ...receivingPromises]) {
      assert.deepEqual(faults(evidence), [], `${this.#setup.carrier}: ${promise}`);
    }
    return evidence;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#witness[Symbol.dispose]();
    await this.tour[Symbol.asyncDispose]();
  }
}

/** Ends the wait for inbound parts. */
export async function endInbound(tour: Tour): Promise<void> {
  const { journal, clock } = tour.gateway.operator;
  const now = () => clock.now() + inboundWaitMs + minuteMs;
  let last = 0;
  await expireInbound({ journal, clock: { now }, nextId: () => (last = nextMessageId(last, now(), 0)) });
}
