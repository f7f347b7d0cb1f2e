/* The figures that alarms are decided with, and what is found in them. */

import type { AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/** Parts of a carrier in some time. */
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
  /** In the last 10 to 20 minutes, and in the week before. */
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
  /** Whether the newest message of the account was refused for a cap. */
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
  /** Since when the gateway works without a break. What waited before may still be on its way. */
  readonly worksSince: Instant;
  readonly node: string;
  readonly dataDir: string;
  readonly carriers: readonly CarrierFigures[];
  readonly routes: readonly { readonly prefix: string; readonly carriers: readonly string[] }[];
  readonly webhooks: readonly {
    readonly id: number;
    /** Of the receiver, such as example.com. */
    readonly host: string;
    readonly waiting: number;
    readonly oldest: Instant | null;
  }[];
  /** Webhooks that the gateway stopped, because they failed for days or answered that they want nothing more. */
  readonly stoppedWebhooks: readonly {
    readonly id: number;
    readonly account: string;
    readonly status: 'paused' | 'off';
    /** Since when every try failed, and what came of the last one. */
    readonly failingSince: Instant;
    readonly failure: string | null;
  }[];
  /** Events of a short time ago. */
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
  /** Caps of accounts that have spent much of them, or were refused for them. */
  readonly caps: readonly CapFigures[];
  /** Inbound messages without an account in the last hour. */
  readonly inboundUnmatched: number;
  /** Undefined if the disk does not say. */
  readonly freeMiB: number | undefined;
  readonly certificates: readonly { readonly file: string; readonly expiresAt: Instant }[];
  readonly clock: string | undefined;
  /** How far the clock of the machine was set ahead while the gateway ran. Negative if it was set back. */
  readonly clockStepMs: number;
  /** How far the clocks of running nodes are ahead of that of the database. Negative if behind. */
  readonly nodeClocks: readonly { readonly node: string; readonly offMs: number }[];
  /** Receivers of alarms that took nothing at the last try. */
  readonly failing: readonly { readonly name: string; readonly since: Instant; readonly outcome: string }[];
  readonly lostNodes: readonly string[];
  /** Of the last check of the whole ledger; undefined if there was none since the start. */
  readonly ledger: LedgerVerdict | undefined;
}

export interface LedgerVerdict {
  readonly at: Instant;
  readonly faults: number;
  readonly first: { readonly account: string | null; readonly fault: string } | undefined;
}

/** Kind and subject of an alarm. There is one open alarm for each. */
export interface AlarmName {
  readonly kind: AlarmKind;
  readonly subject: string;
}

export interface Finding extends AlarmName {
  /** The figures, as a sentence. Without phone numbers, texts and secrets. */
  readonly evidence: string;
  readonly help: string;
  /** The alarms that explain this. While one of them is found or open, this opens no alarm. */
  readonly because?: readonly AlarmName[];
  /** Only keeps an alarm that is open: the gateway has worked for too short a time to say more. */
  readonly isEarly?: boolean;
}

/** Kinds of alarms about what happened, as no figure says it later. */
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

/** One finding for the reports of a kind about the same subject. */
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

/** `1 route has`, `2 routes have`. */
export function counted(count: number, noun: string, [one, many]: readonly [one: string, many: string]): string {
  return count === 1 ? `1 ${noun} ${one}` : `${count} ${noun}s ${many}`;
}
