import { describeBug } from './bug.ts';
import type { Clock, Timer } from './clock.ts';

/* The one loop of everything that polls: an interval, a log of its failures, a stop that waits, and a wake. */

/** What a turn of a loop does. It may return the milliseconds until the next turn; 0 for at once. */
type Turn = (signal: AbortSignal) => void | number | Promise<void | number>;

interface LoopNeeds {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly log: { error(fields: object, message: string): void };
  /** As the log names it when a turn throws. */
  readonly name: string;
  readonly everyMs: number;
  readonly turn: Turn;
}

/**
 * Runs a turn again and again, one at a time, until it is stopped. The first turn comes after `everyMs`, or at once with
 * `wake`. A turn that throws is logged, and the loop goes on.
 */
export class Loop {
  readonly #needs: LoopNeeds;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isAsked = false;

  constructor(needs: LoopNeeds) {
    this.#needs = needs;
    this.#wait(needs.everyMs);
  }

  /** Runs a turn now; if one is under way, another one right after it. */
  wake(): void {
    this.#isAsked = true;
    this.#timer?.cancel();
    if (!this.#stopping.signal.aborted) this.#running ??= this.#run();
  }

  /** Runs no more turns. Ends when the turn under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #wait(ms: number): void {
    this.#timer = this.#needs.clock.setTimer(() => this.wake(), ms);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let waitMs = 0;
    while (!signal.aborted && (this.#isAsked || waitMs === 0)) {
      this.#isAsked = false;
      waitMs = await this.#turn(signal);
    }
    this.#running = undefined;
    if (!signal.aborted) this.#wait(waitMs);
  }

  async #turn(signal: AbortSignal): Promise<number> {
    const { turn, everyMs, name, log } = this.#needs;
    try {
      return (await turn(signal)) ?? everyMs;
    } catch (fault) {
      log.error({ loop: name, ...describeBug(fault) }, 'a turn of a loop failed; it runs again');
      return everyMs;
    }
  }
}
