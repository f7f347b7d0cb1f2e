/*
 * The kinds of alarms, and what opens an alarm of each kind. core/alarm compares the figures with these declarations.
 */

export const severities = ['critical', 'warning'] as const;
export type AlarmSeverity = (typeof severities)[number];

interface AlarmKindDeclaration {
  readonly severity: AlarmSeverity;
  /** The alarm as a sentence, without a full stop. It gets the name of the subject. */
  readonly title: (name: string) => string;
  readonly summary: string;
  /** The figure at which an alarm opens; missing if the kind counts nothing. */
  readonly threshold?: { readonly value: number; readonly min: number; readonly max: number; readonly unit: string };
  /** How long the fault must last before an alarm opens, in seconds. */
  readonly forSeconds: number;
  /** What an alarm is about, such as a carrier. Each subject has one open alarm of the kind. */
  readonly subject: string;
  readonly mending: string;
}

export const alarmKinds = {
  'carrier-down': {
    severity: 'critical',
    title: (name) => `Carrier ${name} is down`,
    summary: 'no link of an active carrier is bound',
    forSeconds: 60,
    subject: 'carrier',
    mending:
      '`carrier show NAME` has the last errors; `carrier test NAME` tests connection and bind step by step; `carrier rebind NAME` binds again now',
  },
  'link-down': {
    severity: 'warning',
    title: (name) => `A link of carrier ${name} is down`,
    summary: 'a link of an active carrier is not bound, but others are',
    forSeconds: 60,
    subject: 'carrier',
    mending: '`carrier show NAME` has the last errors; `carrier rebind NAME` binds again now',
  },
  'route-without-carrier': {
    severity: 'critical',
    title: (name) => `Routes have no active carrier: ${name}`,
    summary: 'routes have no active carrier',
    forSeconds: 30,
    subject: 'carriers of the routes, such as alpha,beta',
    mending: '`carrier resume NAME`, or `route list` to see the routes and add another carrier to them',
  },
  'queue-old': {
    severity: 'warning',
    title: (name) => `Parts wait too long for carrier ${name}`,
    summary: 'the oldest part that waits for a carrier is too old',
    threshold: { value: 300, min: 1, max: 604_800, unit: 's' },
    forSeconds: 0,
    subject: 'carrier',
    mending: '`carrier show NAME` shows the links, their pace and their last errors',
  },
  'carrier-throttles': {
    severity: 'warning',
    title: (name) => `Carrier ${name} throttles`,
    summary: 'a carrier throttles its links again and again',
    threshold: { value: 20, min: 1, max: 100, unit: '% of the last thousand answers' },
    forSeconds: 300,
    subject: 'carrier',
    mending:
      '`carrier show NAME` shows the pace; ask the carrier for its limit, and set it with `carrier set NAME --throughput`',
  },
  'carrier-refuses': {
    severity: 'critical',
    title: (name) => `Carrier ${name} refuses many parts`,
    summary: 'a carrier refuses many parts for good',
    threshold: { value: 50, min: 1, max: 100, unit: '% of the answers of 10 to 20 minutes' },
    forSeconds: 0,
    subject: 'carrier',
    mending: '`carrier pause NAME`: messages take the next carrier of their route, or wait',
  },
  'delivery-low': {
    severity: 'warning',
    title: (name) => `Carrier ${name} delivers less than usual`,
    summary: 'a carrier delivers a smaller share than in its own last week',
    threshold: { value: 20, min: 1, max: 100, unit: 'percentage points less' },
    forSeconds: 0,
    subject: 'carrier',
    mending: '`message find --carrier NAME --event undelivered` shows examples; ask the carrier',
  },
  'receipts-stopped': {
    severity: 'critical',
    title: (name) => `Carrier ${name} sends no receipts`,
    summary: 'a carrier accepts parts, but sends no more receipts',
    threshold: { value: 20, min: 1, max: 1_000_000, unit: 'accepted parts' },
    forSeconds: 0,
    subject: 'carrier',
    mending: '`carrier rebind NAME`; if receipts still do not come, ask the carrier',
  },
  'receipts-unmatched': {
    severity: 'warning',
    title: (name) => `Receipts of carrier ${name} match no message`,
    summary: 'many receipts of a carrier match no message',
    threshold: { value: 1_000, min: 1, max: 100_000, unit: 'receipts' },
    forSeconds: 60,
    subject: 'carrier',
    mending: '`carrier learned NAME` shows how ids are compared, `receipt unmatched` the receipts',
  },
  'carrier-setting': {
    severity: 'warning',
    title: (name) => `Carrier ${name} needs another setting`,
    summary: 'what a carrier sends as receipts needs another setting of the carrier',
    threshold: { value: 5, min: 1, max: 100_000, unit: 'receipts' },
    forSeconds: 0,
    subject: 'carrier',
    mending: 'the alarm has the command that sets it; `carrier learned NAME` shows what was seen',
  },
  'webhook-late': {
    severity: 'warning',
    title: (name) => `Notifications for ${name} wait too long`,
    summary: 'the oldest notification that waits for the webhooks of a host is too old',
    threshold: { value: 900, min: 1, max: 604_800, unit: 's' },
    forSeconds: 0,
    subject: 'host of the webhooks',
    mending:
      '`webhook test ID` says what the receiver answers; `webhook resume ID` tries the waiting notifications again now',
  },
  'webhook-stopped': {
    severity: 'warning',
    title: (name) => `Webhook ${name} is stopped`,
    summary: 'the gateway has stopped a webhook, after 72 hours of failures or an answer 410',
    forSeconds: 0,
    subject: 'webhook',
    mending: '`webhook test ID` says what the receiver answers; `webhook resume ID` begins again',
  },
  'inbound-unmatched': {
    severity: 'warning',
    title: () => 'Inbound messages belong to no account',
    summary: 'inbound messages belong to no account',
    threshold: { value: 10, min: 1, max: 1_000, unit: 'messages in the last hour' },
    forSeconds: 0,
    subject: 'gateway',
    mending: '`inbound list --unmatched` shows them; give the number to an account with `number add`',
  },
  'refusals-rising': {
    severity: 'warning',
    title: (name) => `More requests than usual are refused: ${name}`,
    summary: 'many more requests of an account are refused than on the day before',
    threshold: { value: 100, min: 1, max: 1_000_000, unit: 'refused requests in this hour, and three times the usual' },
    forSeconds: 0,
    subject: 'account, or a code that many accounts get',
    mending: '`refusal summary --account NAME --since TIME` counts them by code, `refusal list` shows the newest',
  },
  'rule-broken': {
    severity: 'warning',
    title: (name) => `Messages of account ${name} break its rules`,
    summary: 'messages of an account break one of its rules again and again',
    threshold: { value: 20, min: 1, max: 1_000_000, unit: 'messages in 10 to 20 minutes' },
    forSeconds: 0,
    subject: 'account',
    mending:
      'the alarm names the rules; `account rules NAME` shows the last messages, `account set NAME` changes the rules',
  },
  'cap-near': {
    severity: 'warning',
    title: (name) => `Account ${name} has nearly reached its cap`,
    summary: 'an account has spent most of its cap of the day or month',
    threshold: { value: 80, min: 1, max: 100, unit: '% of the cap' },
    forSeconds: 0,
    subject: 'account',
    mending:
      '`account show NAME` shows caps and spending; ask the client, and set another cap with `account set NAME --day-cap AMOUNT`',
  },
  'cap-reached': {
    severity: 'critical',
    title: (name) => `Account ${name} has reached its cap`,
    summary: 'messages of an account are refused, because it has reached its cap of the day or month',
    forSeconds: 0,
    subject: 'account',
    mending: 'as for `cap-near`; it opens when the whole cap is spent, or when a message was refused for it',
  },
  'low-balance': {
    severity: 'warning',
    title: (name) => `The balance of account ${name} is low`,
    summary: 'the balance of an account is below one of its thresholds',
    forSeconds: 0,
    subject: 'account',
    mending: '`account top-up NAME AMOUNT`, with the amount that is missing',
  },
  'margin-low': {
    severity: 'warning',
    title: (name) => `Account ${name} has too small a margin`,
    summary: 'parts of an account are sent with less than its least margin',
    forSeconds: 60,
    subject: 'account',
    mending:
      '`account set NAME --below-margin refuse` uses no such carrier; or change the price, or the routes; it stays for 10 to 20 minutes after the last such part',
  },
  'disk-full': {
    severity: 'critical',
    title: (name) => `The disk of ${name} was full`,
    summary: 'the disk with the data directory was full or read-only, and messages were refused',
    forSeconds: 0,
    subject: 'node',
    mending: 'free some space; `status` shows the disk; it opens when that is over, and stays for five minutes',
  },
  'database-away': {
    severity: 'warning',
    title: (name) => `The database did not answer ${name}`,
    summary: 'the database did not answer, and messages were refused',
    forSeconds: 0,
    subject: 'node',
    mending: '`status` shows whether it answers now; it opens when that is over, and stays for five minutes',
  },
  'disk-low': {
    severity: 'critical',
    title: (name) => `The disk of ${name} is nearly full`,
    summary: 'the disk with the data directory is nearly full',
    threshold: { value: 2_048, min: 1, max: 1_048_576, unit: 'MiB free' },
    forSeconds: 10,
    subject: 'node',
    mending: 'the command lists the largest files; `retention list` shows how far the removal of old data has come',
  },
  'certificate-expires': {
    severity: 'warning',
    title: (name) => `The certificate ${name} expires soon`,
    summary: 'a certificate of a listener expires soon',
    threshold: { value: 14, min: 1, max: 365, unit: 'days left' },
    forSeconds: 0,
    subject: 'file',
    mending: 'the command shows the certificate; put a new one into the file, which is used at once',
  },
  'clock-wrong': {
    severity: 'critical',
    title: (name) => `The clock of ${name} is wrong`,
    summary: 'the clock of the machine does not fit the records, or was set',
    forSeconds: 0,
    subject: 'node',
    mending:
      'set the clock with NTP, or run `clock confirm` if it is right; on PostgreSQL also a node that is more than 1 s off the database; after a step, restart the gateway if the clock is right',
  },
  'node-lost': {
    severity: 'critical',
    title: (name) => `Node ${name} is lost`,
    summary: 'a node went away without a stop',
    forSeconds: 0,
    subject: 'node',
    mending: '`node list` shows the nodes; start the node again; others have its work',
  },
  'receiver-fails': {
    severity: 'critical',
    title: (name) => `The receiver ${name} takes no alarms`,
    summary: 'a receiver of alarms takes nothing; the other receivers hear of it',
    forSeconds: 60,
    subject: 'receiver',
    mending:
      '`alarm receiver list` has what came of the last try; mend the receiver, then run `alarm receiver test NAME`',
  },
  'ledger-wrong': {
    severity: 'critical',
    title: () => 'The ledger has a fault',
    summary: 'the daily ledger check found a fault',
    forSeconds: 0,
    subject: 'all',
    mending: '`ledger check` names the entries; the gateway checks again each hour, until no fault is left',
  },
} as const satisfies { readonly [kind: string]: AlarmKindDeclaration };

export type AlarmKind = keyof typeof alarmKinds;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const alarmKindNames = Object.keys(alarmKinds) as readonly AlarmKind[];

export function alarmKindOf(kind: AlarmKind): AlarmKindDeclaration {
  return alarmKinds[kind];
}

const kinds: { readonly [kind: string]: AlarmKindDeclaration | undefined } = alarmKinds;

/** An alarm as a sentence. Another version of the gateway may have further kinds. */
export function alarmTitle(kind: string, subject: string): string {
  return kinds[kind]?.title(subject) ?? `${kind} ${subject}`;
}
