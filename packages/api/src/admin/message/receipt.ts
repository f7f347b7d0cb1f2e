/* Unmatched receipts: delivery receipts that match no message, and the reason. */

import { unmatchedReasons } from '../../values/message.ts';
import type { UnmatchedWhy } from '../../values/message.ts';
import { hourMs } from '../../values/time.ts';
import { described, optional, orNone, pick } from '../compose.ts';
import { duration, instant, name, octets, oneOf, place, rowId, text } from '../fields.ts';
import { get, page, resource } from '../resource.ts';

/* Unmatched receipts: receipts of carriers that match no part. */

/** Receipts are deleted long before. */
const ageMaxMs = 3_650 * 24 * hourMs;

const fields = {
  id: rowId({ summary: 'id of the receipt, as receipt unmatched shows it', title: 'RECEIPT' }),
  receivedAt: instant({ summary: 'when it came' }),
  carrier: name({ summary: 'carrier that sent it' }),
  carrierId: text({ summary: "the carrier's message id in it" }),
  state: orNone(text({ summary: 'state of the message that it reports' })),
  errorCode: orNone(text({ summary: 'error code that it reports' })),
  sender: text({ summary: 'its source address', isPersonal: true }),
  receiver: text({ summary: 'its destination address', isPersonal: true }),
  why: oneOf(unmatchedReasons, { summary: 'why it is unmatched', placeholder: '<reason>' }),
};

const reasons: { readonly [why in UnmatchedWhy]: string } = {
  unknown: 'no answer has its id',
  undecided: 'its id may be that of several messages',
  unreadable: 'its state cannot be read: receipt show has its octets',
};

const columns = [
  ...(['id', 'receivedAt', 'carrier', 'carrierId', 'state', 'errorCode', 'sender', 'receiver'] as const),
  { title: 'WHY', of: ({ why }: { readonly why: UnmatchedWhy }) => reasons[why] },
];

export const receipt = resource('receipt', {
  summary: 'Delivery receipts that match no message',
  operations: {
    unmatched: page('/receipts/unmatched', {
      summary: 'List unmatched receipts, the newest first',
      input: {
        carrier: optional(described(fields.carrier, { summary: 'only from this carrier' })),
        why: optional(described(fields.why, { summary: 'only with this reason' })),
        olderThan: optional(
          duration({ maxMs: ageMaxMs, summary: 'only received at least this long ago: 90s, 15m, 2h, 3d' }),
        ),
        until: optional(instant({ summary: 'only received before then' })),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: fields,
      columns,
      command: {
        examples: [
          [
            'receipt unmatched --carrier alpha --older-than 15m',
            'receipts that no answer of alpha will match any more',
          ],
          ['receipt unmatched --why unreadable', 'receipts without a known state'],
        ],
        whenEmpty: 'there are no unmatched receipts',
      },
    }),
    show: get('/receipts/unmatched/{id}', {
      summary: 'Show one unmatched receipt',
      input: pick(fields, 'id'),
      answer: { ...fields, octets: orNone(octets({ summary: 'the first of its octets', isPersonal: true })) },
      columns,
      command: { examples: [['receipt show 42', 'with its octets, if it is unreadable']] },
    }),
  },
});
