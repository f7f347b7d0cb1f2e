import { formatMicros } from '../../values/money.ts';
import { accountName } from '../account/settings.ts';
import { described, optional, orNone, rows } from '../../fields/compose.ts';
import type { About, Values } from '../../fields/field.ts';
import { amount, count, flag, instant, place, prefix, sentence, text } from '../../fields/fields.ts';
import { counted } from '../../fields/shown.ts';
import { carrierName, phoneNumber, summaryFields } from './message-fields.ts';

/* Changes of many waiting messages: their filter, the answer of a step, and what the commands say. */

/** The longest text in a search, in characters. No message_id is longer (SMPP 3.4, section 5.2.23). */
const wordMax = 64;

export const ofAccount = optional(described(accountName, { summary: 'only messages of this account' }));
export const word = (about: About) => optional(sentence({ max: wordMax, ...about }));
export const fromSender = word({ summary: 'only messages from this sender', placeholder: '<sender>', ...phoneNumber });
export const since = optional(
  instant({ summary: 'only messages accepted from this time on, such as 2027-01-31 or 2027-01-31T12:00:00Z' }),
);
export const until = optional(instant({ summary: 'only messages accepted before this time' }));

/** The filter of waiting messages. A request must give at least one of these fields, or `all`. */
export const waiting = {
  account: ofAccount,
  route: optional(
    prefix({
      summary:
        'only messages that wait on the route of this prefix, even a removed route; "" is the route for all numbers',
    }),
  ),
  carrier: optional(described(carrierName, { summary: 'only messages that wait on routes with this carrier' })),
  prefix: optional(
    prefix({
      summary: 'only messages to numbers with these first digits, country code first',
      placeholder: '<digits>',
      ...phoneNumber,
    }),
  ),
  sender: fromSender,
  since,
  until: optional(described(until, { defaultText: 'now' })),
  all: optional(flag({ summary: 'all waiting messages' }), false),
  dryRun: optional(flag({ summary: 'only count the messages and change nothing, even with --yes' }), false),
  after: optional(place(/^[qs]\//, { typed: [] })),
};

const step = {
  messages: count({ summary: 'messages that this step found' }),
  parts: count({ summary: 'waiting parts of these messages' }),
  next: orNone(text({ summary: 'value of `after` in the next step; null after the last step' })),
  until: instant({ summary: 'value of `until` in all further steps' }),
};

const refund = {
  currency: summaryFields.currency,
  amount: amount({ summary: 'amount of the refunds', addsUp: true }),
};

export const canceledFields = {
  ...step,
  canceled: count({ summary: 'messages that were canceled' }),
  refunds: rows(refund, { summary: 'sum of the refunds in each currency' }),
};

export const reroutedFields = {
  ...step,
  moved: count({ summary: 'messages that moved to another route' }),
  held: count({
    summary: 'messages that stay on their route, because a carrier may already have a part of the message',
  }),
  withoutRoute: count({
    summary: 'messages that stay on their route, because no current route leads to the receiver',
  }),
};

/** Declares that a command first counts the waiting messages, and has their number in its question. */
export function countsOf<G>(done: string, asks: (messages: string, given: G) => string | undefined) {
  return {
    found: ({ messages, parts }: { readonly messages: number; readonly parts: number }) =>
      messages === 0 ? undefined : `${counted(messages, 'waiting message')} (${counted(parts, 'part')})`,
    none: `no waiting message matches: nothing is ${done}`,
    asks,
  };
}

export function canceledText({ messages, canceled, refunds }: Values<typeof canceledFields>): string {
  const late = Math.max(0, messages - canceled);
  const money = refunds.map(({ currency, amount: sum }) => `${formatMicros(sum)} ${currency}`).join(', ');
  const done = `${counted(canceled, 'message')} ${canceled === 1 ? 'is' : 'are'} canceled, ${money || 'nothing'} refunded`;
  return late === 0 ? done : `${done}; ${late} ${late === 1 ? 'was' : 'were'} already sent to a carrier, or final`;
}

export function reroutedText({ messages, moved, held, withoutRoute }: Values<typeof reroutedFields>): string {
  const same = Math.max(0, messages - moved - held - withoutRoute);
  return [
    counted(moved, 'message now follows the current routes', 'messages now follow the current routes'),
    ...(same > 0 ? [`${same} already followed the current routes, or no longer ${same === 1 ? 'waits' : 'wait'}`] : []),
    ...(held > 0 ? [`${stay(held)}: a carrier has, or may have, a part of ${held === 1 ? 'it' : 'them'}`] : []),
    ...(withoutRoute > 0
      ? [`${stay(withoutRoute)}: no route matches ${withoutRoute === 1 ? 'its receiver' : 'their receivers'}`]
      : []),
  ].join('; ');
}

function stay(messages: number): string {
  return messages === 1 ? '1 stays on its route' : `${messages} stay on their routes`;
}
