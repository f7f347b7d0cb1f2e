/* Whether the gateway takes messages, and if not, why. */

import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A present trouble of the gateway, shown by `status` and on top of the alerts. */
export interface Trouble {
  readonly kind: 'disk-full' | 'clock-behind' | 'clock-ahead';
  readonly since: Instant;
  readonly detail: string;
}

interface Watched {
  readonly trouble: Trouble | undefined;
}

/** The sentences for clients. A full disk is left to the store, which knows best. */
const refusals: { readonly [kind in Trouble['kind']]?: string } = {
  'clock-behind': 'the clock of the service is wrong',
};
const unready: { readonly [kind in Trouble['kind']]?: string } = {
  ...refusals,
  'disk-full': 'the disk of the service is full or read-only',
};

/** Whether the gateway takes messages: not before the start is complete, not while it is held, and not after the stop began. */
export class Readiness {
  readonly #watched: readonly Watched[];
  #phase: 'starting' | 'held' | 'open' | 'stopping' = 'starting';
  #begin: () => void = () => undefined;

  constructor(watched: readonly Watched[]) {
    this.#watched = watched;
  }

  /** Takes no message, and leaves to `resume` whatever `begin` starts. */
  hold(begin: () => void): void {
    this.#phase = 'held';
    this.#begin = begin;
  }

  /** Starts what `hold` was given; false if nothing is held. */
  resume(): boolean {
    if (!this.isHeld) return false;
    this.#begin();
    return true;
  }

  get isHeld(): boolean {
    return this.#phase === 'held';
  }

  open(): void {
    this.#phase = 'open';
  }

  stop(): void {
    this.#phase = 'stopping';
  }

  get troubles(): readonly Trouble[] {
    return this.#watched.flatMap(({ trouble }) => trouble ?? []);
  }

  get isTaking(): boolean {
    return this.check().ok;
  }

  /** Refuses new messages, with the reason for clients. */
  check(): Result<undefined, Rejection> {
    if (this.#phase !== 'open') return unavailable(`the service is ${this.#phase}`);
    return this.#unlessIn(refusals);
  }

  /** What /ready answers: whether a message that comes now would be taken. */
  ready(): Result<undefined, Rejection> {
    const taking = this.check();
    return taking.ok ? this.#unlessIn(unready) : taking;
  }

  #unlessIn(reasons: { readonly [kind in Trouble['kind']]?: string }): Result<undefined, Rejection> {
    for (const { trouble } of this.#watched) {
      const reason = trouble && reasons[trouble.kind];
      if (reason !== undefined) return unavailable(reason);
    }
    return ok(undefined);
  }
}

function unavailable(detail: string): Result<never, Rejection> {
  return refused({ code: 'unavailable', detail });
}
