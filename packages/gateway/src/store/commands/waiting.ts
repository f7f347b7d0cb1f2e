import type { MessageId } from '../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What is written of messages that wait, for their time or for a carrier. */

/** Puts messages that have become due into the queue of a route, or none, if no route leads to their receiver now. */
export interface QueueDue {
  readonly kind: 'queue-due';
  readonly at: Instant;
  /** Any carrier of the route is eligible if it is not said. */
  readonly messages: readonly {
    readonly message: MessageId;
    readonly route: number | null;
    readonly eligible?: string;
  }[];
}

/** Put messages that wait into the queue of another route, or give them other eligible carriers; those of which a carrier has a part stay. */
export interface Reroute {
  readonly kind: 'reroute';
  readonly at: Instant;
  readonly messages: readonly { readonly message: MessageId; readonly route: number; readonly eligible: string }[];
  /**
   * What is forgotten of their tries. `rounds`: who could not take a part, and the pause until the next round, so that it is
   * due at once; `all`: also who refused it for good.
   */
  readonly forgets: 'nothing' | 'rounds' | 'all';
  /** The last step after a route was changed: all that waited on it has followed. */
  readonly followed?: FollowedRoute | undefined;
}

/** A route, and when it was changed. */
export interface FollowedRoute {
  readonly route: number;
  readonly changedAt: Instant;
}

/** What waits on the route follows a change, step by step. */
export interface RouteToFollow extends FollowedRoute {
  readonly forgets: 'nothing' | 'rounds';
}

export interface Rerouted {
  /** Messages that wait by another route now, or for others, or are due sooner. */
  readonly moved: number;
  /** Messages that stay, as a carrier has a part of them, or may have. */
  readonly held: number;
}

/** Stop what of a message was not sent yet; what no carrier got is refunded by the account's policy. */
export interface Cancel {
  readonly kind: 'cancel';
  readonly at: Instant;
  readonly message: MessageId;
  /** Whose message it has to be; null for the operator, who may cancel anybody's. */
  readonly account: number | null;
}

export interface WaitingResults {
  'queue-due': null;
  reroute: Rerouted;
  /** Parts that are canceled now, and what was refunded for them: none if all of them were canceled before. */
  cancel: { readonly parts: number; readonly refunded: Micros };
}
