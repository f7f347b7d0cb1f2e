import type { MessageId } from '../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands about messages that wait for their time or for a carrier. */

/** Puts messages that became due into the queue of a route. Without a route to the receiver they stay scheduled. */
export interface QueueDue {
  readonly kind: 'queue-due';
  readonly at: Instant;
  /** Without `eligible`, every carrier of the route is. */
  readonly messages: readonly {
    readonly message: MessageId;
    readonly route: number | null;
    readonly eligible?: string;
  }[];
}

/** Moves waiting messages to another route, or to other eligible carriers. Messages with a part at a carrier stay. */
export interface Reroute {
  readonly kind: 'reroute';
  readonly at: Instant;
  readonly messages: readonly { readonly message: MessageId; readonly route: number; readonly eligible: string }[];
  /**
   * Which failed attempts are forgotten. `rounds`: failures that were to be retried, with the pause before the next
   * round, so the part is due at once. `all`: also refusals for good.
   */
  readonly forgets: 'nothing' | 'rounds' | 'all';
  /** The last step after a change of a route: every waiting message has followed. */
  readonly followed?: FollowedRoute | undefined;
}

/** A route, and when it was changed. */
export interface FollowedRoute {
  readonly route: number;
  readonly changedAt: Instant;
}

/** A changed route whose waiting messages follow, step by step. */
export interface RouteToFollow extends FollowedRoute {
  readonly forgets: 'nothing' | 'rounds';
}

export interface Rerouted {
  /** Messages with another route, other eligible carriers or an earlier due time. */
  readonly moved: number;
  /** Messages that stay because a carrier has, or may have, a part of them. */
  readonly held: number;
}

/** Cancels the parts of a message that were not sent. They are refunded by the account's policy. */
export interface Cancel {
  readonly kind: 'cancel';
  readonly at: Instant;
  readonly message: MessageId;
  /** The account that must own the message; null for the operator, who may cancel any message. */
  readonly account: number | null;
}

export interface WaitingResults {
  'queue-due': null;
  reroute: Rerouted;
  /** Parts that this command canceled, and the refund: none if all were canceled before. */
  cancel: { readonly parts: number; readonly refunded: Micros };
}
