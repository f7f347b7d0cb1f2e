/** Calls at the earliest of the times that it was asked for, and then forgets them all. Times are monotonic milliseconds. */
export class WakeTimer {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(call: () => void) {
    this.#call = call;
  }

  in(now: number, waitMs: number): void {
    const at = now + waitMs;
    if (at >= this.#at) return;
    this.forget();
    this.#at = at;
    this.#timer = setTimeout(
      () => {
        this.#at = Number.POSITIVE_INFINITY;
        this.#call();
      },
      Math.max(1, Math.ceil(waitMs)),
    );
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#at = Number.POSITIVE_INFINITY;
  }
}
