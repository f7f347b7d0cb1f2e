/* The nodes of one store: their states, their messages to each other, and how long a node may be silent. */

import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/** A node that has not renewed its lease for this long is silent. Tests have shorter times. */
export const usualQuietMs = 5 * secondMs;

/** After this time other nodes take over the work of a silent node, because it has ended by itself. */
export const usualSilentMs = 45 * secondMs;

/**
 * Work that one node does at a time. `upkeep`: work that the gateway does by itself, such as expiring messages; its key
 * is 0. `link`: a link of a carrier. `webhook`: the notifications of a webhook. `sessions`: the notifications of an
 * account's sessions. `callback`: the callbacks of an account's messages. The place of a session is stored in the same table with the kind `place`, but is no duty.
 */
export type DutyKind = 'upkeep' | 'link' | 'webhook' | 'sessions' | 'callback';

export interface DutyKey {
  readonly kind: DutyKind;
  readonly key: number;
}

/** A node whose clock differs from the database's clock by more than this raises an alarm. */
export const clockOffAlarmMs = secondMs;

/** A node whose clock differs by more than this does not start, and drains if it runs. */
export const clockOffMaxMs = 30 * secondMs;

export interface Member {
  readonly node: number;
  readonly name: string;
  readonly agoMs: number;
  /** How far the node's clock is ahead of the database's clock. Negative if it is behind. */
  readonly clockOffMs: number;
  readonly isStopped: boolean;
  readonly isDraining: boolean;
  readonly settings: number;
  readonly release: string;
  readonly duties: number;
  readonly boundLinks: readonly number[];
  /** How many client sessions are bound at the node. */
  readonly sessions: number;
  readonly lease: number;
  /** Whether the node still has the lease that it began with, so that no other node has taken over its work. */
  readonly hasLease: boolean;
}

/** A node as its row describes it. `storedAgoMs` counts only when this node sees the row for the first time. */
export interface StoredMember extends Omit<Member, 'agoMs'> {
  /** The time of the node's last renewal, by the database's clock. A different text means a new renewal. */
  readonly renewedAt: string;
  readonly storedAgoMs: number;
}

/** A reading of the database's clock, between two readings of this machine's clock. */
export interface ClockReading {
  readonly sentAt: Instant;
  readonly at: Instant;
  readonly answeredAt: Instant;
}

export const hintKinds = ['waiting', 'news', 'full', 'call', 'answer'] as const;

/**
 * Where another node may find work. `waiting`: parts that wait for carriers. `news`: notifications of accounts. `full`:
 * dead sessions of accounts that have no place for another one. Also a call of this node, or the answer to a call.
 */
export interface Hint {
  readonly kind: (typeof hintKinds)[number];
  readonly keys: readonly number[];
}
