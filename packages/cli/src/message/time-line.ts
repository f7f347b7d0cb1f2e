import type { Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { fromJson } from '@morsel/api/admin/field.ts';
import { nextColumn, notificationFields } from '@morsel/api/admin/notification/notification.ts';
import { card, column, numberColumn, paint, stateColumn, table, timeColumn, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/** One thing that happened to a message. */
interface Moment {
  /** ISO 8601, so that text sorts as time does. */
  readonly at: string;
  readonly what: string;
}

/** A message as a person reads it: what it is, and what happened to it, in order. */
export function showTimeLine(value: unknown, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const message = toRow(value);
  return `${about(message, hasColour)}\n\n${lines(momentsOf(message))}${notificationsOf(message, hasColour)}`;
}

function notificationsOf(message: Row, hasColour: boolean): string {
  const { notifications } = message;
  if (!Array.isArray(notifications)) return '';
  const whenEmpty = 'there are no notifications of it';
  return `\n\n${table({ columns: notificationColumns, rows: toRows(notifications), whenEmpty }, hasColour)}`;
}

/** How its account was notified; `notification show` has the failed tries of each. */
const notificationColumns = [
  column('NOTIFICATION', 'id'),
  column('EVENT', 'event'),
  { title: 'TO', of: destinationOf },
  stateColumn('STATE', 'state'),
  numberColumn('TRIES', 'tries'),
  timeColumn('MADE', 'createdAt'),
  { title: 'NEXT', of: (row: Row) => nextColumn.of(fromJson(notificationFields, row)) },
  timeColumn('ENDED', 'endedAt'),
  { title: 'LAST ANSWER', of: (row: Row) => word(row, 'outcome') || '-' },
];

/** What it waits for, or what took it in the end. */
function destinationOf(row: Row): string {
  const webhook = word(row, 'webhook');
  const sessions = word(row, 'bySession') === 'true' ? ['sessions'] : [];
  const waitsFor = [...sessions, ...(webhook === '' ? [] : [`webhook ${webhook}`])].join(' or ');
  return word(row, 'state') === 'waiting' ? waitsFor : word(row, 'triedBy') || waitsFor;
}

function about(message: Row, hasColour: boolean): string {
  const money = (member: string) => `${word(message, member)} ${word(message, 'currency')}`;
  const refund = word(message, 'refunded') === '0' ? '' : `, ${money('refunded')} refunded`;
  const error = errorOf(message);
  const isFlash = message['flash'] === true ? ', flash' : '';
  const dueAt = word(message, 'dueAt');
  const plan: [string, string][] = dueAt > word(message, 'acceptedAt') ? [['planned for', dueAt]] : [];
  return card([
    ['message', word(message, 'msgId')],
    ['event', `${paint(word(message, 'event'), hasColour)}${error === '' ? '' : ` (${error})`}`],
    ['account', word(message, 'account')],
    ['client ref', word(message, 'clientRef')],
    ['from', word(message, 'sender')],
    ['to', word(message, 'receiver')],
    ...contentOf(message),
    ...submitterOf(message),
    [
      'encoding',
      `${word(message, 'encoding')} (asked for ${word(message, 'dcs')}), ${counted(word(message, 'numParts'), 'part')}${isFlash}`,
    ],
    ['cost', `${money('totalCost')} at ${word(message, 'unitPrice')} a part${refund}`],
    ...costOf(message),
    ['price', `version ${word(message, 'priceVersion')} of price list ${word(message, 'priceList')}`],
    ['balance', `${money('balanceAfter')} after it (entry ${word(message, 'entry')})`],
    ['route', `prefix ${word(message, 'route') || '(any)'}`],
    ...plan,
    ['valid until', word(message, 'expiresAt')],
  ]);
}

/** Its text, or octets that are none; and the header that its client wrote before them. */
function contentOf(message: Row): readonly [string, string][] {
  const header = word(message, 'header');
  return [
    word(message, 'dcs') === 'BIN' ? ['data', word(message, 'data')] : ['text', `"${word(message, 'text')}"`],
    ...(header === '' ? [] : [['header', `${header}, by the client`] satisfies [string, string]]),
  ];
}

/** Who submitted it and from where; no line for a message of which that was not kept. */
function submitterOf(message: Row): readonly [string, string][] {
  const submitter = word(message, 'submitter');
  if (submitter === '') return [];
  const address = word(message, 'address');
  const session = word(message, 'session');
  const ways: { readonly [source: string]: string } = {
    http: `over HTTP with token ${submitter}`,
    smpp: `over SMPP by system_id ${submitter}${session === '' ? '' : `, session ${session}`}`,
    operator: `by the operator ${submitter}`,
  };
  return [['submitted', `${ways[word(message, 'source')] ?? submitter}${address === '' ? '' : `, from ${address}`}`]];
}

/** What carriers take for what they accepted, and what is left; no line for a message that cost nothing yet. */
function costOf(message: Row): readonly [string, string][] {
  const cost = toRow(message['cost']);
  const amount = word(cost, 'amount');
  const isAccepted = toRows(message['parts']).some((part) =>
    toRows(part['attempts']).some((attempt) => word(attempt, 'outcome') === 'accepted'),
  );
  if (amount === '') return isAccepted ? [['cost to us', 'unknown']] : [];
  const margin = word(message, 'margin');
  const left = margin === '' ? 'margin unknown: another currency' : `margin ${margin}`;
  return [['cost to us', `${amount} ${word(cost, 'currency')}, ${left}`]];
}

/** What one part takes through its carrier, where that is known. */
function costOfPart(part: Row): string {
  const cost = toRow(part['cost']);
  const amount = word(cost, 'amount');
  const margin = word(part, 'margin');
  return amount === '' ? '' : `, cost ${amount} ${word(cost, 'currency')}${margin === '' ? '' : `, margin ${margin}`}`;
}

/** Why a message is not delivered. With a delivery, too, carriers send an error code, of noughts. */
export function errorOf(message: Row): string {
  return word(message, 'event') === 'delivered' ? '' : word(message, 'errorCode');
}

function momentsOf(message: Row): readonly Moment[] {
  const parts = toRows(message['parts']);
  const name = (part: string) => (parts.length === 1 || part === '' ? '' : `part ${part}: `);
  const moments = [
    {
      at: word(message, 'acceptedAt'),
      what: `accepted by ${word(message, 'source')}, ${counted(word(message, 'numParts'), 'part')} for ${word(message, 'totalCost')} ${word(message, 'currency')}`,
    },
    ...parts.flatMap((part) =>
      toRows(part['attempts']).flatMap((attempt) => momentsOfAttempt(attempt, name(word(part, 'part')))),
    ),
    ...toRows(message['notes']).map((note) => ({
      at: word(note, 'at'),
      what: `${name(word(note, 'part'))}${word(note, 'kind').replaceAll('-', ' ')}: ${word(note, 'detail')}`,
    })),
    ...parts.map((part) => stateOf(part, name(word(part, 'part')))),
    ...lastOf(message, parts.length),
  ];
  return moments.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

function momentsOfAttempt(attempt: Row, name: string): readonly Moment[] {
  const through = `${word(attempt, 'carrier')}, link ${word(attempt, 'link')}`;
  const claimed = {
    at: word(attempt, 'claimedAt'),
    what: `${name}claimed for ${through} (attempt ${word(attempt, 'attempt')})`,
  };
  const answeredAt = word(attempt, 'answeredAt');
  if (answeredAt === '') return [claimed];
  const status = word(attempt, 'commandStatusName');
  const id = word(attempt, 'carrierId');
  const answer = status === '' ? 'no answer' : `answered ${status}`;
  const outcome = word(attempt, 'outcome').replaceAll('_', ' ');
  return [
    claimed,
    { at: answeredAt, what: `${name}${answer}: ${outcome}${id === '' ? '' : `, its id there is ${id}`}` },
  ];
}

/** How a part stands, and what the carrier said that made it so. */
function stateOf(part: Row, name: string): Moment {
  const receipt = word(part, 'carrierState');
  const error = word(part, 'errorCode');
  const because = [receipt === '' ? '' : `receipt ${receipt}`, error].filter((each) => each !== '').join(', ');
  const refund = word(part, 'refundEntry');
  const money = refund === '' ? '' : `, refunded (entry ${refund})`;
  const due = word(part, 'due');
  const wait = due === '' ? '' : `, due ${due}`;
  const state = word(part, 'state').replaceAll('_', ' ');
  return {
    at: word(part, 'changedAt'),
    what: `${name}${state}${because === '' ? '' : ` (${because})`}${money}${wait}${costOfPart(part)}`,
  };
}

/** The event of the whole; with one part it is the part's own, which is told already. */
function lastOf(message: Row, parts: number): readonly Moment[] {
  return parts === 1 ? [] : [{ at: word(message, 'eventAt'), what: `the message is ${word(message, 'event')}` }];
}

/** Each moment with its time and how long it was after the one before. */
function lines(moments: readonly Moment[]): string {
  return moments
    .map(({ at, what }, index) => {
      const before = moments[index - 1];
      const later = before ? Date.parse(at) - Date.parse(before.at) : 0;
      return `${at}  ${`+${(later / 1_000).toFixed(3)} s`.padStart(12)}  ${what}`;
    })
    .join('\n');
}
