import { type Peer, hangUp } from '../answering.ts';
import type { Ending } from '../plans.ts';

/*
 * Ends a connection while messages wait for their answers. Half of the client's messages are then in doubt.
 */

/** Options for ending a connection after only half of the waiting answers were sent. */
export interface ClosingOptions {
  readonly by: Ending;
  /**
   * After how many submit_sm to end a connection, counted from the start or from the last connection that was ended.
   */
  readonly afterSubmits: number;
  /** How often to end a connection. Default: once. */
  readonly times?: number;
}

/** How long to wait for more messages of the client's window before answering half of them. */
const gatherMs = 50;
/**
 * How long the answers have to reach the client before the connection ends. A reset would discard answers that have not
 * arrived.
 */
const arriveMs = 20;

export interface Cut {
  /** Sends the answer. */
  readonly go: () => void;
  /** Records that the message gets no answer. */
  readonly lose: () => void;
}

/**
 * Holds back the answers of a connection that will be ended. After a short time, sends every second answer and ends the
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

  /** Counts a submit_sm. If `takes` returns true, the answer is held back and the caller must not send the answer. */
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
      // Messages that arrived after half of the answers were sent get no answer.
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
