import type { Clock, Timer } from './clock.ts';

/** Calls a function once, at the earliest of the requested times. Times are milliseconds of one clock. */
export class WakeTimer {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #call: () => void;
  #timer: Timer | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Pick<Clock, 'setTimer'>, call: () => void) {
    this.#clock = clock;
    this.#call = call;
  }

  in(now: number, waitMs: number): void {
    const at = now + waitMs;
    if (at >= this.#at) return;
    this.forget();
    this.#at = at;
    const wake = () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#call();
    };
    this.#timer = this.#clock.setTimer(wake, Math.max(1, Math.ceil(waitMs)));
  }

  forget(): void {
    this.#timer?.cancel();
    this.#at = Number.POSITIVE_INFINITY;
  }
}
