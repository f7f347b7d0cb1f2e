/* The kinds of alarms, with what opens them. Every kind is declared here once; core/alarm decides with the figures. */

interface AlarmKindDeclaration {
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  /** The figure at which it opens; missing if there is nothing to count. */
  readonly threshold?: { readonly value: number; readonly min: number; readonly max: number; readonly unit: string };
  /** How long that must last before the alarm opens, in seconds. */
  readonly forSeconds: number;
  /** What the alarm is about, by which there is one open alarm. */
  readonly subject: string;
}

export const alarmKinds = {
  'link-down': {
    severity: 'critical',
    summary: 'a link of an active carrier is not bound',
    forSeconds: 60,
    subject: 'carrier and link, such as alpha/1',
  },
  'route-without-carrier': {
    severity: 'critical',
    summary: 'no carrier of a route is active and bound',
    forSeconds: 30,
    subject: 'prefix of the route',
  },
  'queue-old': {
    severity: 'warning',
    summary: 'the oldest part that waits for a carrier is too old',
    threshold: { value: 300, min: 1, max: 604_800, unit: 's' },
    forSeconds: 0,
    subject: 'carrier',
  },
  'carrier-throttles': {
    severity: 'warning',
    summary: 'a carrier throttles a link again and again',
    threshold: { value: 20, min: 1, max: 100, unit: '% of the last thousand answers' },
    forSeconds: 300,
    subject: 'carrier and link, such as alpha/1',
  },
  'receipts-unmatched': {
    severity: 'warning',
    summary: 'many receipts of a carrier match no message',
    threshold: { value: 1_000, min: 1, max: 100_000, unit: 'receipts' },
    forSeconds: 60,
    subject: 'carrier',
  },
  'webhook-late': {
    severity: 'warning',
    summary: 'the oldest notification that waits for a webhook is too old',
    threshold: { value: 900, min: 1, max: 604_800, unit: 's' },
    forSeconds: 0,
    subject: 'id of the webhook',
  },
  'low-balance': {
    severity: 'warning',
    summary: 'the balance of an account is below one of its thresholds',
    forSeconds: 0,
    subject: 'account',
  },
  'disk-low': {
    severity: 'critical',
    summary: 'the disk with the data directory is nearly full',
    threshold: { value: 2_048, min: 1, max: 1_048_576, unit: 'MiB free' },
    forSeconds: 10,
    subject: 'node',
  },
  'clock-wrong': {
    severity: 'critical',
    summary: 'the clock of the machine does not fit the newest records',
    forSeconds: 0,
    subject: 'node',
  },
  'node-lost': {
    severity: 'critical',
    summary: 'a node went away without a stop',
    forSeconds: 0,
    subject: 'node',
  },
} as const satisfies { readonly [kind: string]: AlarmKindDeclaration };

export type AlarmKind = keyof typeof alarmKinds;
export type AlarmSeverity = AlarmKindDeclaration['severity'];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const alarmKindNames = Object.keys(alarmKinds) as readonly AlarmKind[];

export function alarmKindOf(kind: AlarmKind): AlarmKindDeclaration {
  return alarmKinds[kind];
}
