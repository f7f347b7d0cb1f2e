import { formatMicros } from '../../values/money.ts';
import { list, optional, orNone, record, rows } from '../../fields/compose.ts';
import { anyLength, durationIn } from '../../fields/duration.ts';
import { amount, count, currency, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { get, page, resource } from '../resource.ts';

/* How many messages and receipts the gateway passes: figures of the moment, and the history of hours and days. */

const charge = record(
  {
    currency: currency({ summary: 'currency of the accounts' }),
    amount: amount({ summary: 'sum of their charges' }),
  },
  { summary: 'a currency' },
);

const charged = list(
  { ...charge, cell: (sum) => `${formatMicros(sum.amount)} ${sum.currency}` },
  { summary: 'what accounts were charged, by currency' },
);

const sums = {
  messages: count({ summary: 'messages that were accepted' }),
  parts: count({ summary: 'parts of these messages' }),
  refused: count({ summary: 'messages that were refused' }),
  sent: count({ summary: 'parts that carriers accepted' }),
  bounced: count({ summary: 'parts that carriers refused' }),
  delivered: count({ summary: 'parts that were delivered, by their receipts' }),
  failed: count({ summary: 'parts that were not delivered, by their receipts' }),
  inbound: count({ summary: 'parts of inbound messages' }),
};

/** What may hold up messages. */
const bottlenecks = ['none', 'store', 'carriers', 'links', 'pace', 'window', 'held'] as const;

export const nowFields = {
  at: instant({ summary: 'time of these figures' }),
  node: text({ summary: 'node that counted them; empty if there is only one' }),
  ...sums,
  p99Ms: orNone(
    durationIn('ms', {
      ...anyLength,
      summary: 'time within which 99 % of the requests of the last minute were answered',
      label: '99 % answered within',
    }),
  ),
  commands: count({ summary: 'commands that wait for the next commit' }),
  queued: count({ summary: 'parts that wait for a carrier, counted to 100,000' }),
  oldestQueuedAt: orNone(instant({ summary: 'since when the oldest of them has been due; null if none is' })),
  inDoubt: count({ summary: 'parts in doubt, counted to 10,000' }),
  unmatchedReceipts: count({ summary: 'unmatched receipts, counted to 10,000' }),
  deadLetters: count({ summary: 'notifications that were given up, counted to 10,000' }),
  openAlarms: count({ summary: 'open alarms' }),
  criticalAlarms: count({ summary: 'of these, critical alarms' }),
  links: count({ summary: 'links of active carriers' }),
  linksBound: count({ summary: 'of these, links that are bound' }),
  linksThrottled: count({ summary: 'of these, links that pause because their carrier throttles' }),
  windowUsed: count({ label: 'In the window', summary: 'unanswered requests on all links' }),
  windowMax: count({ label: 'Window', summary: 'most unanswered requests on all links' }),
  charged,
  bottleneck: oneOf(bottlenecks, { summary: 'what holds messages up now' }),
  advice: text({ summary: 'the same as a sentence' }),
};

const slotFields = { at: instant({ summary: 'beginning of the slot' }), ...sums, charged };

const carrierSlotFields = {
  at: instant({ summary: 'beginning of the ten minutes' }),
  accepted: count({ summary: 'parts that the carrier accepted' }),
  refused: count({ summary: 'parts that the carrier refused' }),
  delivered: count({ summary: 'parts that were delivered, by their receipts' }),
  failed: count({ summary: 'parts that were not delivered, by their receipts' }),
};

export type Bottleneck = (typeof bottlenecks)[number];

const says: { readonly [B in Bottleneck]: string } = {
  none: 'nothing holds messages up',
  store: 'the database: commands wait for their commit',
  carriers: 'carriers: none is active for the waiting parts',
  links: 'links: no link of an active carrier is bound',
  pace: 'carriers: they throttle, or their pace is reached',
  window: 'carriers: the windows of their links are full',
  held: 'the gateway is held: see morsel status',
};

export function bottleneckText(bottleneck: Bottleneck): string {
  return says[bottleneck];
}

export const outcomeFields = {
  outcome: text({ summary: 'outcome of attempts to send a part', example: 'accepted' }),
  attempts: count({ summary: 'number of attempts with this outcome' }),
};

export const receiptTimeFields = {
  percent: count({ summary: 'share of the receipts', unit: '%' }),
  seconds: orNone(
    durationIn('s', {
      ...anyLength,
      label: 'Came within',
      summary: 'time within which they came; null if some took longer than three days',
    }),
  ),
};

export const traffic = resource('traffic', {
  summary: 'What goes through the gateway, now and in the last days',
  operations: {
    now: get('/traffic/now', {
      summary: 'Show the figures of this moment: sums since the start of this node, queues, links, and the bottleneck',
      input: {},
      answer: nowFields,
      command: {
        examples: { 'traffic now': 'show what the gateway does, and what holds messages up' },
      },
    }),
    history: page('/traffic', {
      summary: 'List the sums of minutes or hours with traffic, of all nodes together, newest first',
      input: { span: optional(oneOf(['minute', 'hour'], { summary: 'length of the slots' }), 'minute') },
      limit: 60,
      after: place(/^\d{1,15}$/),
      answer: slotFields,
      command: {
        examples: {
          'traffic history': 'show the minutes of the last hour',
          'traffic history --span hour --limit 168': 'show the hours of the last seven days',
        },
        whenEmpty: 'there was no traffic yet',
      },
    }),
    answers: get('/carriers/{carrier}/answers', {
      summary: 'Show how a carrier answered this node since its start, and how long its receipts took',
      label: 'Answers and receipts',
      input: { carrier: name({ summary: 'name of the carrier' }) },
      answer: {
        outcomes: rows(outcomeFields, {
          summary: 'outcomes, the most frequent first',
          whenEmpty: 'the carrier has not answered since this gateway started',
        }),
        receipts: count({ summary: 'receipts that changed the state of a part' }),
        receiptTimes: rows(receiptTimeFields, {
          summary: 'time from sending a part to its receipt; none without receipts',
        }),
      },
      command: {
        words: 'carrier answers',
        arguments: ['carrier'],
        examples: { 'carrier answers alpha': 'show what alpha refuses, and how fast its receipts come' },
      },
    }),
    ofCarrier: page('/carriers/{carrier}/traffic', {
      summary: 'List what a carrier did in each ten minutes of the last eight days, newest first',
      label: 'History',
      input: { carrier: name({ summary: 'name of the carrier' }) },
      limit: 144,
      after: place(/^\d{1,15}$/),
      answer: carrierSlotFields,
      command: {
        words: 'carrier history',
        arguments: ['carrier'],
        examples: { 'carrier history alpha': 'show what alpha accepted, refused and delivered' },
        whenEmpty: 'the carrier had no traffic in the last eight days',
      },
    }),
  },
});
