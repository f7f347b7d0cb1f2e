import type { Instant } from '@morsel/api/values/time.ts';

/* Commands of the process itself: its start, its clock and its alerts. */

/** Starts a run of the process. It gets a new lease, and everything in flight under older leases is in doubt. */
export interface Begin {
  readonly kind: 'begin';
  readonly at: Instant;
  /**
   * The clock is not trusted when it is further than this ahead of the newest instant in the store. Without it, the
   * clock is always trusted.
   */
  readonly aheadMaxMs?: number;
}

export interface Begun {
  readonly lease: number;
  readonly lastMessageId: number;
  readonly inDoubt: number;
  /** The newest instant before this start at which the clock was trusted; 0 for none. */
  readonly seenAt: Instant;
  /** The first instant of a clock that ran ahead and is not trusted, while messages may wait by it; null for none. */
  readonly untrustedFrom: Instant | null;
}

/**
 * Records that the clock is trusted at this instant. An earlier instant counts only if it is forced; then nothing waits
 * by an untrusted clock any more.
 */
export interface SeeClock {
  readonly kind: 'see-clock';
  readonly at: Instant;
  readonly isForced: boolean;
}

/**
 * Corrects messages that were accepted while the clock ran ahead: they are due now, and their validity starts now. A
 * message with a time from its client keeps it. Looks at no more than `max` messages, starting behind `after`.
 */
export interface CutBack {
  readonly kind: 'cut-back';
  readonly at: Instant;
  readonly after: number;
  readonly max: number;
}

/** Stores an alert about the gateway itself. It has no account. */
export interface SystemAlert {
  readonly kind: 'system-alert';
  /** When the trouble began. */
  readonly at: Instant;
  readonly alert: 'disk-full';
  readonly detail: string;
}

export interface ProcessResults {
  begin: Begun;
  'see-clock': null;
  /** The last message that was looked at, and whether there are more. */
  'cut-back': { readonly last: number; readonly isMore: boolean };
  'system-alert': null;
}

export type ProcessCommand = Begin | SeeClock | CutBack | SystemAlert;
