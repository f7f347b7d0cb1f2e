import type { Rejection } from '../core/rejection.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';

/** Whether the gateway takes messages: not before the start is complete, and not after the stop began. */
export class Readiness {
  #phase: 'starting' | 'open' | 'stopping' = 'starting';

  open(): void {
    this.#phase = 'open';
  }

  stop(): void {
    this.#phase = 'stopping';
  }

  get isTaking(): boolean {
    return this.#phase === 'open';
  }

  /** Refuses with the reason that clients are told. */
  check(): Result<undefined, Rejection> {
    return this.#phase === 'open'
      ? ok(undefined)
      : refused({ code: 'unavailable', detail: `the service is ${this.#phase}` });
  }
}
