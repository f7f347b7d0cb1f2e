/* Finds in the figures what is wrong now. Each finding is evidence for an alarm of its kind and subject. */

import { alarmKindOf, type AlarmKind, type AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import { dayMs, formatInstant, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { durationText } from '../base/clock.ts';
import { clockOffAlarmMs, clockOffMaxMs } from '../nodes/members.ts';
import { accountFinders } from './account-findings.ts';
import { carrierFinders } from './carrier-findings.ts';
import { reportFindings, type AlarmFigures, type AlarmName, type Find, type Finding } from './figures.ts';

/** A smaller step of the clock, such as that of a machine that slept, makes no date visibly wrong. */
const stepMinMs = minuteMs;

const finders: { readonly [K in AlarmKind]: Find } = {
  ...carrierFinders,
  ...accountFinders,
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
  'disk-full': ({ reports }) => reportFindings(reports, 'disk-full', () => 'status'),
  'database-away': ({ reports }) => reportFindings(reports, 'database-away', () => 'status'),
  'disk-low': ({ freeMiB, node, dataDir }, threshold) =>
    freeMiB !== undefined && freeMiB < threshold
      ? [
          {
            subject: node,
            evidence: `${Math.floor(freeMiB)} MiB are free on the disk of ${dataDir}`,
            help: `du -xah ${shellWord(dataDir)} | sort -rh | head`,
          },
        ]
      : [],
  'certificate-expires': ({ certificates, now }, threshold) =>
    certificates
      .filter(({ expiresAt }) => expiresAt - now < threshold * dayMs)
      .map(({ file, expiresAt }) => ({
        subject: file,
        evidence: `the certificate in ${file} expires at ${formatInstant(expiresAt)}`,
        help: `openssl x509 -in ${shellWord(file)} -noout -subject -enddate`,
      })),
  'clock-wrong': ({ clock, clockStepMs, node, nodeClocks }) => {
    const off = nodeClocks.filter(({ offMs }) => Math.abs(offMs) > clockOffAlarmMs).map(clockOff);
    const others = off.filter(({ subject }) => subject !== node);
    if (clock !== undefined) return [{ subject: node, evidence: clock, help: 'clock confirm' }, ...others];
    if (Math.abs(clockStepMs) < stepMinMs) return off;
    const step = `${durationText(Math.abs(clockStepMs))} ${clockStepMs > 0 ? 'ahead' : 'back'}`;
    const evidence = `the clock of the machine was set ${step} while the gateway ran, which goes on with its own time: set it right, or restart the gateway if it is right now`;
    return [{ subject: node, evidence, help: 'date -u' }, ...others];
  },
  'node-lost': ({ lostNodes }) =>
    lostNodes.map((node) => ({
      subject: node,
      evidence: `node ${node} does not renew its lease and was not stopped`,
      help: 'node list',
    })),
  'receiver-fails': ({ failing }) =>
    failing.map(({ name, since, outcome }) => ({
      subject: name,
      evidence: `the receiver ${name} takes nothing since ${formatInstant(since)}: ${outcome}`,
      help: 'alarm receiver list',
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
  return { subject: node, evidence, help: 'date -u' };
}

/** The receivers to notify of an alarm: none if it is kept quiet, and never the receiver that the alarm is about. */
export function receiversOf(
  { kind, subject }: AlarmName,
  {
    quiet,
    receivers,
  }: {
    readonly quiet: readonly { readonly kind: AlarmKind; readonly subject: string; readonly until: Instant }[];
    readonly receivers: readonly {
      readonly receiver: string;
      readonly kind: ReceiverKind;
      readonly severity: AlarmSeverity;
    }[];
  },
  now: Instant,
): readonly string[] {
  const isQuiet = quiet.some((each) => each.kind === kind && ['', subject].includes(each.subject) && each.until > now);
  if (isQuiet) return [];
  const isCritical = alarmKindOf(kind).severity === 'critical';
  return receivers
    .filter(({ severity }) => isCritical || severity === 'warning')
    .filter((each) => each.kind !== 'heartbeat' && !(kind === 'receiver-fails' && each.receiver === subject))
    .map(({ receiver }) => receiver);
}

/** The operator's settings for a kind of alarm. A null means the declared default. */
export interface AlarmSetting {
  readonly kind: AlarmKind;
  readonly threshold: number | null;
  readonly forSeconds: number | null;
  readonly isOn: boolean;
}

/** The settings that apply to a kind of alarm: those of the operator, otherwise the declared defaults. */
export function kindWith(kind: AlarmKind, setting: AlarmSetting | undefined) {
  const { severity, threshold, forSeconds, summary } = alarmKindOf(kind);
  return {
    kind,
    severity,
    watched: (setting?.isOn ?? true) ? 'yes' : 'no',
    threshold: setting?.threshold ?? threshold?.value ?? null,
    unit: threshold?.unit ?? null,
    forSeconds: setting?.forSeconds ?? forSeconds,
    summary,
  } as const;
}

export function findingsOf(
  kind: AlarmKind,
  figures: AlarmFigures,
  setting: AlarmSetting | undefined,
): readonly Finding[] {
  const { watched, threshold } = kindWith(kind, setting);
  if (watched === 'no') return [];
  return finders[kind](figures, threshold ?? 0).map(({ help, ...found }) => ({
    kind,
    ...found,
    help: commandOf(help),
  }));
}

/** Whether a finding opens an alarm. A finding opens none if another finding or open alarm explains it. */
export function isOpening({ because = [], isEarly }: Finding, known: readonly AlarmName[]): boolean {
  return isEarly !== true && !because.some((cause) => known.some((each) => isSameAlarm(each, cause)));
}

export function isSameAlarm(one: AlarmName, other: AlarmName): boolean {
  return one.kind === other.kind && one.subject === other.subject;
}

export function holdMsOf(kind: AlarmKind, setting: AlarmSetting | undefined): number {
  return kindWith(kind, setting).forSeconds * secondMs;
}

/** Commands of the operating system get no `morsel` in front of them. */
function commandOf(help: string): string {
  return /^(?:du |openssl |date )/.test(help) ? help : `morsel ${help}`;
}

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
