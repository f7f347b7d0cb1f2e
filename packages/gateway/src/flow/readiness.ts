/* Knows whether the gateway accepts messages, and the reason if it does not. */

import { onlyNode, type Nodes } from './nodes/nodes.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A present fault of the gateway. `status` shows it. */
export interface Trouble {
  readonly kind: 'disk-full' | 'database-away' | 'clock-behind' | 'clock-ahead';
  readonly since: Instant;
  readonly detail: string;
}

interface Watched {
  readonly trouble: Trouble | undefined;
}

/** Reasons that clients get. While the disk is full or the database away, the store itself refuses messages. */
const refusals: { readonly [kind in Trouble['kind']]?: string } = {
  'clock-behind': 'the clock of the service is wrong',
};
const unready = {
  ...refusals,
  'disk-full': 'the disk of the service is full or read-only',
  'database-away': 'the database of the service does not answer',
};

/** Accepts no message before the start is complete, during an operator's hold, or once the gateway began to stop. */
export class Readiness {
  readonly #watched: readonly Watched[];
  readonly #nodes: Pick<Nodes, 'isDrained' | 'isCutOff'>;
  #phase: 'starting' | 'held' | 'open' | 'stopping' = 'starting';
  #begin: () => void = () => undefined;

  constructor(watched: readonly Watched[], nodes: Pick<Nodes, 'isDrained' | 'isCutOff'> = onlyNode) {
    this.#watched = watched;
    this.#nodes = nodes;
  }

  /** Refuses messages until `resume` is called, which then calls `begin`. */
  hold(begin: () => void): void {
    this.#phase = 'held';
    this.#begin = begin;
  }

  /** Ends the hold by calling the function that `hold` received. Returns false if the gateway is not held. */
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

  /** Whether the gateway accepts messages. The rejection has the reason for clients. */
  check(): Result<undefined, Rejection> {
    if (this.#phase !== 'open') return unavailable(`the service is ${this.#phase}`);
    return this.#unlessIn(refusals);
  }

  /** Whether a load balancer should send messages here. A drained node accepts messages that come nevertheless. */
  ready(): Result<undefined, Rejection> {
    const taking = this.check();
    if (!taking.ok) return taking;
    if (this.#nodes.isDrained) return unavailable('this node of the service is drained');
    // A node without requests would not notice in another way that the database is away.
    if (this.#nodes.isCutOff) return unavailable(unready['database-away']);
    return this.#unlessIn(unready);
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
