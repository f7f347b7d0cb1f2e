import type { Instant } from '../core/time.ts';

/* What the process itself writes: that it begins, and what troubles it. */

/** Begin a run of the process: a new lease, and everything that older leases left in flight is in doubt. */
export interface Begin {
  readonly kind: 'begin';
  readonly at: Instant;
}

export interface Begun {
  readonly lease: number;
  readonly lastMessageId: number;
  readonly inDoubt: number;
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
  'system-alert': null;
}

export type ProcessCommand = Begin | SystemAlert;
