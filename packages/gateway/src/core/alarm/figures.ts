/* The figures from which the gateway decides about alarms, and the findings in these figures. */

import type { AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/** Counts of a carrier's parts in some period. */
export interface CarrierSums {
  readonly accepted: number;
  readonly refused: number;
  readonly delivered: number;
  readonly failed: number;
}

export interface CarrierFigures {
  readonly name: string;
  readonly isActive: boolean;
  readonly links: readonly {
    readonly link: number;
    readonly isBound: boolean;
    readonly throttledPercent: number;
    readonly lastError: string | null;
  }[];
  readonly waiting: number;
  readonly oldest: Instant | null;
  readonly unmatched: number;
  /** Inbound messages that look like unmarked receipts, if one came in the last day and the setting is off. */
  readonly unread: number;
  /** The id rule that unmatched receipts show, if an operator has set another one. */
  readonly shownRule: string | null;
  /** Counts of the last 10 to 20 minutes, and of the week before. */
  readonly recent: CarrierSums;
  readonly week: CarrierSums;
}

export interface CapFigures {
  readonly account: string;
  readonly currency: string;
  readonly period: 'day' | 'month';
  readonly cap: Micros;
  readonly spent: Micros;
  readonly endsAt: Instant;
  /** Whether the newest message of the account was refused because of a cap. */
  readonly isRefused: boolean;
}

export interface RefusalFigures {
  readonly account: string;
  readonly code: string;
  readonly now: number;
  readonly usual: number;
}

/** Figures of the whole store and its nodes at one moment. */
export interface AlarmFigures {
  readonly now: Instant;
  /** Since when the gateway has worked without a break. Work that waited during the break may still be delayed. */
  readonly worksSince: Instant;
  readonly node: string;
  readonly dataDir: string;
  readonly carriers: readonly CarrierFigures[];
  readonly routes: readonly { readonly prefix: string; readonly carriers: readonly string[] }[];
  readonly webhooks: readonly {
    readonly id: number;
    /** The host of the webhook's URL, such as example.com. */
    readonly host: string;
    readonly waiting: number;
    readonly oldest: Instant | null;
  }[];
  /** Webhooks that the gateway stopped: all tries failed for days, or the receiver wants no more notifications. */
  readonly stoppedWebhooks: readonly {
    readonly id: number;
    readonly account: string;
    readonly status: 'paused' | 'off';
    /** Since when every try failed, and the outcome of the last try. */
    readonly failingSince: Instant;
    readonly failure: string | null;
  }[];
  /** Events of the last minutes. */
  readonly reports: readonly {
    readonly kind: ReportedKind;
    readonly subject: string;
    readonly evidence: string;
  }[];
  /** Accounts whose balance is below a threshold. */
  readonly low: readonly {
    readonly name: string;
    readonly balance: Micros;
    readonly alertedBelow: Micros;
    readonly currency: string;
  }[];
  /** Refused requests of accounts by code, in this hour and in a usual hour of the day before. */
  readonly refusals: readonly RefusalFigures[];
  /** How many messages of accounts broke a rule in the last 10 to 20 minutes, and how many of these were refused. */
  readonly brokenRules: readonly {
    readonly account: string;
    readonly rule: string;
    readonly broken: number;
    readonly refused: number;
  }[];
  /** Spending caps that accounts have nearly used up, or that caused refusals. */
  readonly caps: readonly CapFigures[];
  /** Inbound messages without an account in the last hour. */
  readonly inboundUnmatched: number;
  /** Free space of the disk; undefined if the system does not report it. */
  readonly freeMiB: number | undefined;
  readonly certificates: readonly { readonly file: string; readonly expiresAt: Instant }[];
  readonly clock: string | undefined;
  /** How far the clock of the machine was set ahead while the gateway ran. Negative if it was set back. */
  readonly clockStepMs: number;
  /** How far the clocks of running nodes are ahead of the database's clock. Negative if they are behind. */
  readonly nodeClocks: readonly { readonly node: string; readonly offMs: number }[];
  /** Receivers of alarms that did not accept the last notification. */
  readonly failing: readonly { readonly name: string; readonly since: Instant; readonly outcome: string }[];
  readonly lostNodes: readonly string[];
  /** The result of the last check of the whole ledger; undefined before the first check since the start. */
  readonly ledger: LedgerVerdict | undefined;
}

export interface LedgerVerdict {
  readonly at: Instant;
  readonly faults: number;
  readonly first: { readonly account: string | null; readonly fault: string } | undefined;
}

/** Kind and subject of an alarm. At most one alarm is open for each kind and subject. */
export interface AlarmName {
  readonly kind: AlarmKind;
  readonly subject: string;
}

export interface Finding extends AlarmName {
  /** A sentence with the figures, without phone numbers, texts and secrets. */
  readonly evidence: string;
  readonly help: string;
  /** The alarms that explain this finding. While one of them is found or open, this finding opens no alarm. */
  readonly because?: readonly AlarmName[];
  /** The finding only keeps an open alarm open: the gateway has worked too short a time to open a new one. */
  readonly isEarly?: boolean;
}

/** Kinds of alarms about single events, which no figure shows later. */
export type ReportedKind = Extract<AlarmKind, 'margin-low' | 'disk-full' | 'database-away'>;

export type Find = (figures: AlarmFigures, threshold: number) => readonly Omit<Finding, 'kind'>[];

const hundred = 100;

export function percentOf(part: number, rest: number): number {
  return (part / (part + rest)) * hundred;
}

/** How long something has waited, in seconds, if that is above the threshold. */
export function overdueOf(
  { now, worksSince }: Pick<AlarmFigures, 'now' | 'worksSince'>,
  oldest: Instant | null,
  threshold: number,
): { readonly seconds: number; readonly isEarly?: boolean } | undefined {
  const seconds = oldest === null ? 0 : Math.floor((now - oldest) / secondMs);
  if (seconds <= threshold) return undefined;
  return now - worksSince > threshold * secondMs ? { seconds } : { seconds, isEarly: true };
}

/** One finding for all reports of a kind about the same subject. */
export function reportFindings(
  reports: AlarmFigures['reports'],
  kind: ReportedKind,
  help: (subject: string) => string,
): readonly Omit<Finding, 'kind'>[] {
  const bySubject = Map.groupBy(
    reports.filter((each) => each.kind === kind),
    ({ subject }) => subject,
  );
  return [...bySubject].map(([subject, its]) => ({
    subject,
    evidence: fewOf(its.map(({ evidence }) => evidence)),
    help: help(subject),
  }));
}

/** The most names in the evidence of an alarm. */
const namedMax = 5;

export function fewOf(names: readonly string[]): string {
  const more = names.length - namedMax;
  return `${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A number with its noun and verb: `1 route has`, `2 routes have`. */
export function counted(count: number, noun: string, [one, many]: readonly [one: string, many: string]): string {
  return count === 1 ? `1 ${noun} ${one}` : `${count} ${noun}s ${many}`;
}
