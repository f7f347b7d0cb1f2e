import { describeBug } from './bug.ts';
import type { Clock, Timer } from './clock.ts';

/* A loop that logs its failures, can be woken early, and stops cleanly. All code that polls uses it. */

/** The function that a loop runs in each turn. It may return the milliseconds until the next turn; 0 for at once. */
type Turn = (signal: AbortSignal) => void | number | Promise<void | number>;

/** Turns run one after the other, the first after `everyMs` or `wake`. The loop goes on after an error. */
export class Loop {
  readonly #needs;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isAsked = false;

  constructor(needs: {
    readonly clock: Pick<Clock, 'setTimer'>;
    readonly log: { error(fields: object, message: string): void };
    /** Name of the loop, which is logged when a turn throws. */
    readonly name: string;
    readonly everyMs: number;
    readonly turn: Turn;
    /** Whether the first turn begins at once. */
    readonly isEager?: boolean;
  }) {
    this.#needs = needs;
    if (needs.isEager === true) this.wake();
    else this.#wait(needs.everyMs);
  }

  /** Starts the next turn at once; if a turn is running, right after it. */
  wake(): void {
    this.#isAsked = true;
    this.#timer?.cancel();
    if (!this.#stopping.signal.aborted) this.#running ??= this.#run();
  }

  /** Waits until the running turn has ended. */
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
      log.error({ loop: name, ...describeBug(fault) }, 'a background task failed; it will run again');
      return everyMs;
    }
  }
}
