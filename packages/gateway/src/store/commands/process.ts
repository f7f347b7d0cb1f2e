import type { MessageId } from '../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What the process itself writes: that it begins, and what troubles it. */

/** Begin a run of the process: a new lease, and everything that older leases left in flight is in doubt. */
export interface Begin {
  readonly kind: 'begin';
  readonly at: Instant;
  /** So far ahead of the newest instant in the store the clock is not believed; without it, always. */
  readonly aheadMaxMs?: number;
}

export interface Begun {
  readonly lease: number;
  readonly lastMessageId: number;
  readonly inDoubt: number;
  /** The newest instant at which the clock was believed, before this; 0 for none. */
  readonly seenAt: Instant;
  /** The first instant of a clock ahead that was not believed, and of which something may wait; null for none. */
  readonly doubtedFrom: Instant | null;
}

/**
 * Keep that the clock is believed at this instant: an earlier one counts only if it is forced, and then nothing waits by a
 * doubted clock any more.
 */
interface SeeClock {
  readonly kind: 'see-clock';
  readonly at: Instant;
  readonly isForced: boolean;
}

/**
 * Let what was accepted by a clock that was ahead wait by the right one: its validity begins now, and it is due now. A message
 * with a time of its client's keeps it. At most `max` messages are looked at, from the one after `after` on.
 */
export interface CutBack {
  readonly kind: 'cut-back';
  readonly at: Instant;
  readonly after: number;
  readonly max: number;
}

/** What one such command looks at, as far as it was accepted after its instant. */
export interface DoubtedMessages {
  readonly accepted: readonly { readonly message: MessageId; readonly acceptedAt: Instant }[];
  readonly last: number;
  readonly isMore: boolean;
}

/** Keep an alert that is about the gateway itself, and no account's. */
export interface SystemAlert {
  readonly kind: 'system-alert';
  /** When it began. */
  readonly at: Instant;
  readonly alert: 'disk-full';
  readonly detail: string;
}

export interface ProcessResults {
  begin: Begun;
  'see-clock': null;
  'cut-back': Pick<DoubtedMessages, 'last' | 'isMore'>;
  'system-alert': null;
}

export type ProcessCommand = Begin | SeeClock | CutBack | SystemAlert;
