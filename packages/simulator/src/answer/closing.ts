import type { Peer } from './answering.ts';
import { hangUp } from './answering.ts';
import type { Ending } from '../magic/plans.ts';

/*
 * Makes a connection end while messages wait for their answers, so that half of them are in doubt.
 */

/** Ends a connection in the middle of a window, with half of its answers sent. */
export interface ClosingOptions {
  readonly by: Ending;
  /** How many submit_sm, since the start or the last such end, until the next one. */
  readonly afterSubmits: number;
  /** How often. Default: once. */
  readonly times?: number;
}

/** Time for the rest of the window to arrive. */
const gatherMs = 50;
/** Time for the answers to arrive. A reset discards answers that are still on their way. */
const arriveMs = 20;

export interface Cut {
  /** Sends the answer. */
  readonly go: () => void;
  /** Reports that there will be no answer. */
  readonly lose: () => void;
}

/**
 * Holds back the answers of a connection that shall end. A moment later it sends every second answer and ends the
 * connection.
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

  /** Counts a submit_sm. Returns true if it holds back the answer; then the caller must not send it. */
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
      // Messages that arrived in the meantime get no answer.
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
