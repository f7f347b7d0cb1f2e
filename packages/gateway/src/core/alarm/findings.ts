/* Decides from figures what is wrong now. Each finding is evidence for an alarm of its kind and subject. */

import { alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';
import type { AlarmKind, AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { dayMs, formatInstant, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { durationText } from '../base/clock.ts';
import { clockOffAlarmMs, clockOffMaxMs } from '../nodes/members.ts';

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

/** What is known of the whole store and its nodes at one moment. */
export interface AlarmFigures {
  readonly now: Instant;
  /** The name of the node that looks. */
  readonly node: string;
  /** Its data directory. */
  readonly dataDir: string;
  readonly carriers: readonly CarrierFigures[];
  /** Routes with the names of their carriers. */
  readonly routes: readonly { readonly prefix: string; readonly carriers: readonly string[] }[];
  readonly webhooks: readonly { readonly id: number; readonly waiting: number; readonly oldest: Instant | null }[];
  /** Accounts whose balance is below a threshold. */
  readonly low: readonly {
    readonly name: string;
    readonly balance: Micros;
    readonly alertedBelow: Micros;
    readonly currency: string;
  }[];
  /** Refused requests of accounts in this hour, and in a usual hour of the day before. */
  readonly refusals: readonly { readonly account: string; readonly now: number; readonly usual: number }[];
  /** Rules that were broken in the last minutes. */
  readonly brokenRules: readonly { readonly account: string; readonly rule: string; readonly refused: number }[];
  /** Inbound messages without an account in the last hour. */
  readonly inboundUnmatched: number;
  /** Undefined if the disk does not say. */
  readonly freeMiB: number | undefined;
  readonly certificates: readonly { readonly file: string; readonly expiresAt: Instant }[];
  /** What is wrong with the clock. */
  readonly clock: string | undefined;
  /** How far the clock of the machine was set ahead while the gateway ran. Negative if it was set back. */
  readonly clockStepMs: number;
  /** How far the clocks of running nodes are ahead of that of the database. Negative if behind. */
  readonly nodeClocks: readonly { readonly node: string; readonly offMs: number }[];
  readonly lostNodes: readonly string[];
  /** Of the last check of the whole ledger; undefined if there was none since the start. */
  readonly ledger: LedgerVerdict | undefined;
}

/** The result of a check of the whole ledger. */
export interface LedgerVerdict {
  readonly at: Instant;
  readonly faults: number;
  /** The first fault, and its account. */
  readonly first: { readonly account: string | null; readonly fault: string } | undefined;
}

export interface Finding {
  readonly kind: AlarmKind;
  readonly subject: string;
  /** The figures, as a sentence. Without phone numbers, texts and secrets. */
  readonly evidence: string;
  /** The command that helps. */
  readonly help: string;
}

type Found = readonly Omit<Finding, 'kind'>[];
type Find = (figures: AlarmFigures, threshold: number) => Found;

const hundred = 100;
/** The fewest answers or receipts that say something about a share. */
const shareMin = 20;
/** A carrier whose receipts came for this share of its parts is known to send them. */
const receiptShareMin = 0.5;
const usualTimes = 3;
/** A smaller step, such as that of a machine that slept, changes no date that anybody looks at. */
const stepMinMs = minuteMs;

/** What is wrong, by the kind. */
const finders: { readonly [K in AlarmKind]: Find } = {
  'link-down': ({ carriers }) =>
    carriers
      .filter(({ isActive }) => isActive)
      .flatMap(({ name, links }) =>
        links
          .filter(({ isBound }) => !isBound)
          .map(({ link, lastError }) => ({
            subject: `${name}/${link}`,
            evidence: `link ${link} of ${name} is not bound${lastError === null ? '' : ` (${lastError})`}`,
            help: `carrier rebind ${name}`,
          })),
      ),
  'route-without-carrier': ({ routes, carriers }) => {
    const up = new Set(carriers.filter(isUp).map(({ name }) => name));
    const uncovered = routes.filter((route) => !route.carriers.some((name) => up.has(name)));
    return uncovered.map(({ prefix, carriers: names }) => ({
      subject: prefix === '' ? '(any)' : prefix,
      evidence: `none of its carriers is active and bound: ${names.join(', ') || 'it has none'}`,
      help: carriers.some(({ name, isActive }) => names.includes(name) && !isActive)
        ? `carrier resume ${carriers.find(({ name, isActive }) => names.includes(name) && !isActive)?.name}`
        : 'carrier list',
    }));
  },
  'queue-old': ({ carriers, now }, threshold) =>
    carriers.flatMap(({ name, oldest, waiting }) =>
      late(now, oldest, threshold).map((seconds) => ({
        subject: name,
        evidence: `${waiting} parts wait for ${name}, the oldest for ${seconds} s`,
        help: `carrier show ${name}`,
      })),
    ),
  'carrier-throttles': ({ carriers }, threshold) =>
    carriers.flatMap(({ name, links }) =>
      links
        .filter(({ isBound, throttledPercent }) => isBound && throttledPercent >= threshold)
        .map(({ link, throttledPercent }) => ({
          subject: `${name}/${link}`,
          evidence: `${Math.round(throttledPercent)} % of the last answers to link ${link} of ${name} were throttling`,
          help: `carrier show ${name}`,
        })),
    ),
  'carrier-refuses': ({ carriers }, threshold) =>
    carriers
      .filter(({ isActive, recent }) => isActive && recent.accepted + recent.refused >= shareMin)
      .map(({ name, recent: { accepted, refused } }) => ({ name, refused, percent: percentOf(refused, accepted) }))
      .filter(({ percent }) => percent >= threshold)
      .map(({ name, refused, percent }) => ({
        subject: name,
        evidence: `${name} refused ${refused} parts, ${Math.round(percent)} % of its last answers`,
        help: `carrier pause ${name}`,
      })),
  'delivery-low': ({ carriers }, threshold) =>
    carriers
      .filter(({ recent, week }) => [recent, week].every((each) => each.delivered + each.failed >= shareMin))
      .map(({ name, recent, week }) => ({
        name,
        now: percentOf(recent.delivered, recent.failed),
        usual: percentOf(week.delivered, week.failed),
      }))
      .filter(({ now, usual }) => usual - now >= threshold)
      .map(({ name, now, usual }) => ({
        subject: name,
        evidence: `${name} delivers ${Math.round(now)} % of its parts, in the last week ${Math.round(usual)} %`,
        help: `message find --carrier ${name} --event undeliverable`,
      })),
  'receipts-stopped': ({ carriers }, threshold) =>
    carriers
      .filter(({ recent }) => recent.accepted >= threshold && recent.delivered + recent.failed === 0)
      .filter(({ week }) => week.accepted > 0 && (week.delivered + week.failed) / week.accepted >= receiptShareMin)
      .map(({ name, recent }) => ({
        subject: name,
        evidence: `${name} accepted ${recent.accepted} parts in the last minutes, and sent no receipt`,
        help: `carrier rebind ${name}`,
      })),
  'receipts-unmatched': ({ carriers }, threshold) =>
    carriers
      .filter(({ unmatched }) => unmatched >= threshold)
      .map(({ name, unmatched }) => ({
        subject: name,
        evidence: `${unmatched} receipts of ${name} match no message`,
        help: `carrier learned ${name}`,
      })),
  'webhook-late': ({ webhooks, now }, threshold) =>
    webhooks.flatMap(({ id, oldest, waiting }) =>
      late(now, oldest, threshold).map((seconds) => ({
        subject: String(id),
        evidence: `${waiting} notifications wait for webhook ${id}, the oldest for ${seconds} s`,
        help: `webhook resume ${id}`,
      })),
    ),
  'inbound-unmatched': ({ inboundUnmatched }, threshold) =>
    inboundUnmatched < threshold
      ? []
      : [
          {
            subject: 'gateway',
            evidence: `${inboundUnmatched} or more inbound messages of the last hour belong to no account`,
            help: 'inbound list --unmatched',
          },
        ],
  'refusals-rising': ({ refusals }, threshold) =>
    refusals
      .filter(({ now, usual }) => now >= threshold && now >= usualTimes * usual)
      .map(({ account, now, usual }) => ({
        subject: account,
        evidence: `${now} requests of ${account} were refused in this hour; usual are ${usual}`,
        help: `refusal summary --account ${account}`,
      })),
  'rule-broken': ({ brokenRules }) =>
    brokenRules.map(({ account, rule, refused }) => ({
      subject: `${account}/${rule}`,
      evidence: `messages of ${account} break the rule ${rule}; ${refused} were refused since it was set`,
      help: `account rules ${account}`,
    })),
  'low-balance': ({ low }) =>
    low.map(({ name, balance, alertedBelow, currency }) => ({
      subject: name,
      evidence: `the balance of ${name} is ${formatMicros(balance)} ${currency}, below ${formatMicros(alertedBelow)}`,
      help: `account top-up ${name} ${formatMicros(toMicros(alertedBelow - balance))}`,
    })),
  'disk-low': ({ freeMiB, node, dataDir }, threshold) =>
    freeMiB !== undefined && freeMiB < threshold
      ? [
          {
            subject: node,
            evidence: `${Math.floor(freeMiB)} MiB are free on the disk of ${dataDir}`,
            help: `du -xah ${dataDir} | sort -rh | head`,
          },
        ]
      : [],
  'certificate-expires': ({ certificates, now }, threshold) =>
    certificates
      .filter(({ expiresAt }) => expiresAt - now < threshold * dayMs)
      .map(({ file, expiresAt }) => ({
        subject: file,
        evidence: `the certificate in ${file} expires at ${formatInstant(expiresAt)}`,
        help: `openssl x509 -in ${file} -noout -subject -enddate`,
      })),
  'clock-wrong': ({ clock, clockStepMs, node, nodeClocks }) => {
    const off = nodeClocks.filter(({ offMs }) => Math.abs(offMs) > clockOffAlarmMs).map(clockOff);
    const others = off.filter(({ subject }) => subject !== node);
    if (clock !== undefined) return [{ subject: node, evidence: clock, help: 'clock confirm' }, ...others];
    if (Math.abs(clockStepMs) < stepMinMs) return off;
    const step = `${durationText(Math.abs(clockStepMs))} ${clockStepMs > 0 ? 'ahead' : 'back'}`;
    const evidence = `the clock of the machine was set ${step} while the gateway ran, which goes on with its own time: set it right, or restart the gateway if it is right now`;
    return [{ subject: node, evidence, help: 'timedatectl' }, ...others];
  },
  'node-lost': ({ lostNodes }) =>
    lostNodes.map((node) => ({
      subject: node,
      evidence: `node ${node} does not renew its lease and was not stopped`,
      help: 'node list',
    })),
  'ledger-wrong': ({ ledger }) => {
    if (!ledger?.first) return [];
    const { at, faults, first } = ledger;
    const where = first.account === null ? '' : ` in account ${first.account}`;
    const evidence = `the ledger check of ${formatInstant(at)} found ${faults} ${faults === 1 ? 'fault' : 'faults'}, the first${where}: ${first.fault}`;
    return [{ subject: 'all', evidence, help: 'ledger check' }];
  },
};

function clockOff({ node, offMs }: AlarmFigures['nodeClocks'][number]) {
  const off = `${Math.abs(offMs)} ms ${offMs > 0 ? 'ahead of' : 'behind'}`;
  const drains = durationText(clockOffMaxMs);
  const evidence = `the clock of node ${node} is ${off} the clock of the database: set the wrong one with NTP; from ${drains} on, the node drains and does not start again`;
  return { subject: node, evidence, help: 'timedatectl' };
}

/** The receivers that hear of a finding now: none in a quiet time. */
export function hearersOf(
  { kind, subject }: Pick<Finding, 'kind' | 'subject'>,
  {
    quiet,
    receivers,
  }: {
    readonly quiet: readonly { readonly kind: AlarmKind; readonly subject: string; readonly until: Instant }[];
    readonly receivers: readonly { readonly name: string; readonly severity: AlarmSeverity }[];
  },
  now: Instant,
): readonly string[] {
  const isQuiet = quiet.some((each) => each.kind === kind && ['', subject].includes(each.subject) && each.until > now);
  if (isQuiet) return [];
  const isCritical = alarmKindOf(kind).severity === 'critical';
  return receivers.filter(({ severity }) => isCritical || severity === 'warning').map(({ name }) => name);
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
  return finders[kind](figures, threshold).map(({ help, ...found }) => ({ kind, ...found, help: commandOf(help) }));
}

/** How long a finding of the kind must last before its alarm opens. */
export function holdMsOf(kind: AlarmKind, setting: AlarmSetting | undefined): number {
  return (setting?.forSeconds ?? alarmKindOf(kind).forSeconds) * secondMs;
}

/** Commands of the system are as they are. */
function commandOf(help: string): string {
  return /^(?:du |openssl |timedatectl$)/.test(help) ? help : `morsel ${help}`;
}

function percentOf(part: number, rest: number): number {
  return (part / (part + rest)) * hundred;
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
