import type { Peer } from './answering.ts';
import { hangUp } from './answering.ts';
import type { Ending } from '../magic/plans.ts';

/** A connection that ends in the middle of a window, with half of its answers sent (smpp-in-the-wild, 7). */
export interface ClosingOptions {
  readonly by: Ending;
  /** Which submit_sm since the start, or since the last such end, begins it. */
  readonly afterSubmits: number;
  /** How often. Default once. */
  readonly times?: number;
}

/** The rest of the window comes in this time, as far as it will. */
const gatherMs = 50;
/** For the answers to arrive: a reset takes back what it overtakes. */
const arriveMs = 20;

export interface Cut {
  /** Gives the answer. */
  readonly go: () => void;
  /** There is none, and never will be. */
  readonly lose: () => void;
}

/**
 * Takes the answers of the connection that is to end from the submit_sm on that begins it; a moment later it gives every
 * other of them, and ends the connection.
 */
export class Closing {
  readonly #options: ClosingOptions | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #gathered = new Map<Peer, Cut[]>();
  #submits = 0;
  #times = 0;

  constructor(options: ClosingOptions | undefined) {
    this.#options = options;
  }

  /** Counts a submit_sm; true if its answer is taken, and its own is not to be given. */
  takes(peer: Peer, cut: Cut): boolean {
    const options = this.#options;
    if (options === undefined) return false;
    const gathered = this.#gathered.get(peer);
    if (gathered !== undefined) {
      gathered.push(cut);
      return true;
    }
    if (this.#times >= (options.times ?? 1)) return false;
    this.#submits += 1;
    if (this.#submits < options.afterSubmits) return false;
    this.#submits = 0;
    this.#times += 1;
    this.#gathered.set(peer, [cut]);
    this.#later(() => this.#answerHalf(peer, options.by), gatherMs);
    return true;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #answerHalf(peer: Peer, by: Ending): void {
    const gathered = this.#gathered.get(peer) ?? [];
    gathered.forEach((cut, index) => (index % 2 === 0 && !peer.isGone ? cut.go() : cut.lose()));
    gathered.length = 0;
    peer.session.flush();
    this.#later(() => {
      // What came while the answers were on their way has none.
      for (const cut of gathered) cut.lose();
      this.#gathered.delete(peer);
      if (!peer.isGone) hangUp(peer, by);
    }, arriveMs);
  }

  #later(act: () => void, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, afterMs);
    this.#timers.add(timer);
  }
}
