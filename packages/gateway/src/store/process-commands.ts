import type { Instant } from '../core/time.ts';

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
}

/** Keep that the clock is believed at this instant: an earlier one counts only if it is forced. */
interface SeeClock {
  readonly kind: 'see-clock';
  readonly at: Instant;
  readonly isForced: boolean;
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
  'system-alert': null;
}

export type ProcessCommand = Begin | SeeClock | SystemAlert;
