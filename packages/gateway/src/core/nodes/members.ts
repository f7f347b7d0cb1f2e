/* The nodes of one store: their states, their messages to each other, and how long a node may be silent. */

import { secondMs, type Instant } from '@morsel/api/values/time.ts';

export const usualRenewMs = secondMs;

/** A node that has not renewed its lease for this long is silent. Tests have shorter times. */
export const usualQuietMs = 5 * secondMs;

/** After this time other nodes take over the work of a silent node, because it has ended by itself. */
export const usualSilentMs = 45 * secondMs;

/**
 * Work that one node does at a time. `upkeep`: what the gateway does by itself, such as expiring messages; its key is 0.
 * `link`: a link of a carrier. `webhook`: the notifications of a webhook. `sessions`: those of an account's sessions.
 * These are all duties. The place of a session is stored beside them, with the kind `place`, but is no duty.
 */
export type DutyKind = 'upkeep' | 'link' | 'webhook' | 'sessions';

export interface DutyKey {
  readonly kind: DutyKind;
  readonly key: number;
}

/** A node whose clock differs by more than this from that of the database raises an alarm. */
export const clockOffAlarmMs = secondMs;

/** A node whose clock differs by more than this does not start, and drains if it runs. */
export const clockOffMaxMs = 30 * secondMs;

export interface Member {
  readonly node: number;
  readonly name: string;
  readonly agoMs: number;
  /** How far its clock is ahead of that of the database. Negative if it is behind. */
  readonly clockOffMs: number;
  readonly isStopped: boolean;
  readonly isDraining: boolean;
  readonly settings: number;
  readonly release: string;
  readonly duties: number;
  readonly boundLinks: readonly number[];
  /** How many clients are bound there. */
  readonly sessions: number;
  readonly lease: number;
  /** It has the lease that it began with: no other node has taken over its work. */
  readonly hasLease: boolean;
}

/** A node as its row says. Its age by the clock of the database counts at the first sight only. */
export interface StoredMember extends Omit<Member, 'agoMs'> {
  /** When it renewed its lease last, by the clock of the database: another text is another renewal. */
  readonly renewedAt: string;
  readonly storedAgoMs: number;
}

/** A look at the clock of the database, between two looks at the clock of this machine. */
export interface ClockReading {
  readonly sentAt: Instant;
  readonly at: Instant;
  readonly answeredAt: Instant;
}

export const hintKinds = ['waiting', 'news', 'full', 'call', 'answer'] as const;

/**
 * Where another node may find work: parts that wait for carriers (`waiting`), notifications of accounts (`news`), dead
 * sessions of accounts that have no place for another one (`full`), a call of this node, or the answer to a call.
 */
export interface Hint {
  readonly kind: (typeof hintKinds)[number];
  readonly keys: readonly number[];
}
