import { counted, printable } from '@morsel/api/fields/shown.ts';
import type { Shown } from '@morsel/api/fields/field.ts';
import { errorOf } from '@morsel/api/admin/message/message-fields.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { nextColumn, notificationFields } from '@morsel/api/admin/notification/notification.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { echoNames } from '@morsel/api/values/message.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { optionOf, type Shell } from '../command.ts';
import { tableOf } from '../show.ts';
import { card, paint } from '../table.ts';

/* Formats a message for `message show`: its fields, its events in order of time, and its notifications. */

type Message = AnswerOf<typeof message.operations.show>;
type Part = Message['parts'][number];
type Attempt = Part['attempts'][number];
type Notification = Message['notifications'][number];

interface Moment {
  readonly at: Instant;
  readonly what: string;
}

export function showTimeLine(shown: Message, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const whenEmpty = 'there are no notifications about this message';
  const notifications = tableOf(notificationTable, shown.notifications, { hasColour, whenEmpty });
  return `${about(shown, hasColour)}\n\n${lines(momentsOf(shown))}\n\n${notifications}`;
}

/** `notification show` prints the failed tries of a notification. */
const notificationTable: Shown<typeof notificationFields> = {
  answer: notificationFields,
  columns: [
    { title: 'NOTIFICATION', of: ({ id }) => String(id) },
    'event',
    { title: 'TO', of: destinationOf },
    'state',
    'tries',
    'createdAt',
    nextColumn,
    'endedAt',
    { title: 'LAST ANSWER', of: ({ outcome }) => outcome ?? '-' },
  ],
};

/** The destinations of a waiting notification; of any other, the destination that was tried last. */
function destinationOf({ webhook, isCallback, bySession, state, triedBy }: Notification): string {
  if (isCallback) return 'callback';
  const sessions = bySession ? ['sessions'] : [];
  const waitsFor = [...sessions, ...(webhook === null ? [] : [`webhook ${webhook}`])].join(' or ');
  return state === 'waiting' ? waitsFor : triedBy || waitsFor;
}

type Line = readonly [name: string, value: string];

function about(shown: Message, hasColour: boolean): string {
  const { account, sender, receiver, encoding, currency, dueAt, acceptedAt } = shown;
  const money = (amount: Message['refunded']) => `${formatMicros(amount)} ${currency}`;
  const refund = shown.refunded === 0n ? '' : `, ${money(shown.refunded)} refunded`;
  const error = errorOf(shown);
  const before: readonly Line[] = [
    ['account', account],
    ...echoOf(shown),
    ['from', sender],
    ['to', receiver],
    ...contentOf(shown),
    ...submitterOf(shown),
    ...(shown.callback ? [['callback', `${shown.callback.host}: ${shown.callback.events.join(', ')}`] as const] : []),
    [
      'encoding',
      `${encoding} (asked for ${shown.dcs}), ${counted(shown.numParts, 'part')}${shown.flash ? ', flash' : ''}`,
    ],
    ['cost', `${money(shown.totalCost)} at ${formatMicros(shown.unitPrice)} a part${refund}`],
    ...costOf(shown),
    ['price', `version ${shown.priceVersion} of price list ${shown.priceList}`],
    ['balance', `${money(shown.balanceAfter)} after this message, by ledger entry ${shown.entry}`],
    ['route', `prefix ${shown.route || '(any)'}`],
    ...(dueAt > acceptedAt ? [['planned for', isoOf(dueAt)] as const] : []),
    ['valid until', isoOf(shown.expiresAt)],
  ];
  return card([
    ['message', String(shown.msgId)],
    ['event', `${paint(shown.event, hasColour)}${error === '' ? '' : ` (${printable(error)})`}`],
    ...before.map(([name, value]) => [name, printable(value)] as const),
  ]);
}

/** The lines for what the client gave with the message. A member that it did not give has no line. */
function echoOf(shown: Message): readonly Line[] {
  const given = echoNames.map((name) => [optionOf(name).replaceAll('-', ' '), [shown[name] ?? []].flat()] as const);
  return given.flatMap(([name, values]) => (values.length === 0 ? [] : [[name, values.join(', ')]]));
}

/** The lines for the text or octets, with the user data header if the client gave one. */
function contentOf(shown: Message): readonly Line[] {
  const { data, header } = message.operations.show.answer;
  if (shown.erased) return [['text', shown.storeText ? 'erased' : 'not kept, because storeText was false']];
  return [
    shown.dcs === 'BIN' ? ['data', data.cell(shown.data)] : ['text', `"${shown.text ?? ''}"`],
    ...(shown.header === null ? [] : [['header', `${header.cell(shown.header)}, given by the client`] as const]),
  ];
}

/** The lines for the submitter. Messages of old versions have no submitter, and so no such line. */
function submitterOf({ source, submitter, address, session }: Message): readonly Line[] {
  if (submitter === null) return [];
  const ways: { readonly [source: string]: string } = {
    http: `over HTTP with token ${submitter}`,
    smpp: `over SMPP by system_id ${submitter}${session === null ? '' : `, session ${session}`}`,
    operator: `by the operator ${submitter}`,
  };
  return [['submitted', `${ways[source] ?? submitter}${address === null ? '' : `, from ${address}`}`]];
}

/** The line for the cost. A message without a cost has no such line. */
function costOf({ cost, margin, parts }: Message): readonly Line[] {
  if (cost === null) {
    const isAccepted = parts.some(({ attempts }) => attempts.some(({ outcome }) => outcome === 'accepted'));
    return isAccepted ? [['cost to us', 'unknown']] : [];
  }
  const left =
    margin === null ? 'margin unknown, because the price has another currency' : `margin ${formatMicros(margin)}`;
  return [['cost to us', `${formatMicros(cost.amount)} ${cost.currency}, ${left}`]];
}

function costOfPart({ cost, margin }: Part): string {
  if (cost === null) return '';
  const left = margin === null ? '' : `, margin ${formatMicros(margin)}`;
  return `, cost ${formatMicros(cost.amount)} ${cost.currency}${left}`;
}

function momentsOf(shown: Message): readonly Moment[] {
  const { parts, notes, source, numParts, totalCost, currency } = shown;
  const nameOf = (part: number | null) => (parts.length === 1 || part === null ? '' : `part ${part}: `);
  const cost = `${counted(numParts, 'part')} for ${formatMicros(totalCost)} ${currency}`;
  const moments: readonly Moment[] = [
    { at: shown.acceptedAt, what: `accepted by ${source}, ${cost}` },
    ...parts.flatMap(({ part, attempts }) => attempts.flatMap((attempt) => momentsOfAttempt(attempt, nameOf(part)))),
    ...notes.map(({ at, part, kind, detail }) => ({
      at,
      what: `${nameOf(part)}${kind.replaceAll('-', ' ')}: ${detail}`,
    })),
    ...parts.map((part) => ({ at: part.changedAt, what: `${nameOf(part.part)}${stateOf(part)}` })),
    // With one part, the event of the message would only repeat the state of the part.
    ...(parts.length === 1 ? [] : [{ at: shown.eventAt, what: `the message is ${shown.event}` }]),
  ];
  return moments.toSorted((a, b) => a.at - b.at);
}

function momentsOfAttempt(each: Attempt, name: string): readonly Moment[] {
  const { carrier, link, attempt, claimedAt, answeredAt, commandStatusName, carrierId, outcome } = each;
  const claimed = { at: claimedAt, what: `${name}reserved for carrier ${carrier}, link ${link} (attempt ${attempt})` };
  if (answeredAt === null) return [claimed];
  const answer = commandStatusName === null ? 'no answer' : `answered ${commandStatusName}`;
  const itsId = carrierId === null ? '' : `, the carrier's id is ${carrierId}`;
  return [claimed, { at: answeredAt, what: `${name}${answer}: ${(outcome ?? '').replaceAll('_', ' ')}${itsId}` }];
}

/** The state of a part, with the carrier's reason. */
function stateOf(part: Part): string {
  const { state, carrierState, errorCode, refundEntry, due } = part;
  const because = [
    ...(carrierState === null ? [] : [`receipt ${carrierState}`]),
    ...(errorCode === null ? [] : [errorCode]),
  ];
  const money = refundEntry === null ? '' : `, refunded (entry ${refundEntry})`;
  const wait = due === null ? '' : `, due ${isoOf(due)}`;
  const reason = because.length === 0 ? '' : ` (${because.join(', ')})`;
  return `${state.replaceAll('_', ' ')}${reason}${money}${wait}${costOfPart(part)}`;
}

/** Events with the seconds since the event before. */
function lines(moments: readonly Moment[]): string {
  return moments
    .map(({ at, what }, index) => {
      const later = at - (moments[index - 1]?.at ?? at);
      return `${isoOf(at)}  ${`+${(later / 1_000).toFixed(3)} s`.padStart(12)}  ${printable(what)}`;
    })
    .join('\n');
}

/** A time to the millisecond. */
function isoOf(at: Instant): string {
  return new Date(at).toISOString();
}
