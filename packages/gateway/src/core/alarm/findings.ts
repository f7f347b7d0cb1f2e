/* Decides from figures what is wrong now. Each finding is evidence for an alarm of its kind and subject. */

import { alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';
import type { AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export interface CarrierFigures {
  readonly name: string;
  readonly isActive: boolean;
  readonly links: readonly { readonly link: number; readonly isBound: boolean; readonly throttledPercent: number }[];
  readonly waiting: number;
  readonly oldest: Instant | null;
  readonly unmatched: number;
}

/** What is known of the whole store and its nodes at one moment. */
export interface AlarmFigures {
  readonly now: Instant;
  /** The name of the node that looks. */
  readonly node: string;
  readonly carriers: readonly CarrierFigures[];
  /** Routes with the names of their carriers. */
  readonly routes: readonly { readonly prefix: string; readonly carriers: readonly string[] }[];
  readonly webhooks: readonly { readonly id: number; readonly waiting: number; readonly oldest: Instant | null }[];
  /** Accounts whose balance is below a threshold. */
  readonly low: readonly string[];
  /** Undefined if the disk does not say. */
  readonly freeMiB: number | undefined;
  /** What is wrong with the clock. */
  readonly clock: string | undefined;
  readonly lostNodes: readonly string[];
}

export interface Finding {
  readonly kind: AlarmKind;
  readonly subject: string;
  /** The figures, as a sentence. Without phone numbers, texts and secrets. */
  readonly evidence: string;
}

type Found = readonly Omit<Finding, 'kind'>[];
type Find = (figures: AlarmFigures, threshold: number) => Found;

/** What is wrong, by the kind. */
const finders: { readonly [K in AlarmKind]: Find } = {
  'link-down': ({ carriers }) =>
    carriers
      .filter(({ isActive }) => isActive)
      .flatMap(({ name, links }) =>
        links
          .filter(({ isBound }) => !isBound)
          .map(({ link }) => ({ subject: `${name}/${link}`, evidence: `link ${link} of ${name} is not bound` })),
      ),
  'route-without-carrier': ({ routes, carriers }) => {
    const up = new Set(carriers.filter(isUp).map(({ name }) => name));
    const uncovered = routes.filter((route) => !route.carriers.some((name) => up.has(name)));
    return uncovered.map(({ prefix, carriers: names }) => {
      const given = prefix === '' ? '(any)' : prefix;
      return {
        subject: given,
        evidence: `none of its carriers is active and bound: ${names.join(', ') || 'it has none'}`,
      };
    });
  },
  'queue-old': ({ carriers, now }, threshold) =>
    carriers.flatMap(({ name, oldest, waiting }) =>
      late(now, oldest, threshold).map((seconds) => ({
        subject: name,
        evidence: `${waiting} parts wait for ${name}, the oldest for ${seconds} s`,
      })),
    ),
  'carrier-throttles': ({ carriers }, threshold) =>
    carriers.flatMap(({ name, links }) =>
      links
        .filter(({ isBound, throttledPercent }) => isBound && throttledPercent >= threshold)
        .map(({ link, throttledPercent }) => ({
          subject: `${name}/${link}`,
          evidence: `${Math.round(throttledPercent)} % of the last answers to link ${link} of ${name} were throttling`,
        })),
    ),
  'receipts-unmatched': ({ carriers }, threshold) =>
    carriers
      .filter(({ unmatched }) => unmatched >= threshold)
      .map(({ name, unmatched }) => ({
        subject: name,
        evidence: `${unmatched} receipts of ${name} match no message`,
      })),
  'webhook-late': ({ webhooks, now }, threshold) =>
    webhooks.flatMap(({ id, oldest, waiting }) =>
      late(now, oldest, threshold).map((seconds) => ({
        subject: String(id),
        evidence: `${waiting} notifications wait for webhook ${id}, the oldest for ${seconds} s`,
      })),
    ),
  'low-balance': ({ low }) =>
    low.map((account) => ({ subject: account, evidence: `the balance of ${account} is below its threshold` })),
  'disk-low': ({ freeMiB, node }, threshold) =>
    freeMiB !== undefined && freeMiB < threshold
      ? [{ subject: node, evidence: `${Math.floor(freeMiB)} MiB are free on the disk with the data directory` }]
      : [],
  'clock-wrong': ({ clock, node }) => (clock === undefined ? [] : [{ subject: node, evidence: clock }]),
  'node-lost': ({ lostNodes }) =>
    lostNodes.map((node) => ({ subject: node, evidence: `node ${node} does not renew its lease and was not stopped` })),
};

/** The command that helps, as the operator can run it after `morsel`. */
const helps: { readonly [K in AlarmKind]: (subject: string) => string } = {
  'link-down': (subject) => `carrier test ${subject.split('/')[0]}`,
  'route-without-carrier': () => 'carrier list',
  'queue-old': (subject) => `carrier show ${subject}`,
  'carrier-throttles': (subject) => `carrier show ${subject.split('/')[0]}`,
  'receipts-unmatched': (subject) => `carrier learned ${subject}`,
  'webhook-late': (subject) => `webhook test ${subject}`,
  'low-balance': (subject) => `account show ${subject}`,
  'disk-low': () => 'retention list',
  'clock-wrong': () => 'clock confirm',
  'node-lost': () => 'node list',
};

export function helpFor(kind: AlarmKind, subject: string): string {
  return `morsel ${helps[kind](subject)}`;
}

/** What the operator set for a kind; missing members are as declared. */
export interface AlarmSetting {
  readonly kind: AlarmKind;
  readonly threshold: number | null;
  readonly forSeconds: number | null;
  readonly isOn: boolean;
}

export function findingsOf(
  kind: AlarmKind,
  figures: AlarmFigures,
  setting: AlarmSetting | undefined,
): readonly Finding[] {
  if (setting?.isOn === false) return [];
  const threshold = setting?.threshold ?? alarmKindOf(kind).threshold?.value ?? 0;
  return finders[kind](figures, threshold).map((found) => ({ kind, ...found }));
}

/** How long a finding of the kind must last before its alarm opens. */
export function holdMsOf(kind: AlarmKind, setting: AlarmSetting | undefined): number {
  return (setting?.forSeconds ?? alarmKindOf(kind).forSeconds) * secondMs;
}

function isUp({ isActive, links }: CarrierFigures): boolean {
  return isActive && links.some(({ isBound }) => isBound);
}

/** The age in seconds, if it is above the threshold. */
function late(now: Instant, oldest: Instant | null, threshold: number): readonly number[] {
  if (oldest === null) return [];
  const seconds = Math.floor((now - oldest) / secondMs);
  return seconds > threshold ? [seconds] : [];
}
