import { unmatchedReasons, type UnmatchedWhy } from '../../values/message.ts';
import { hourMs } from '../../values/time.ts';
import { described, optional, orNone, pick } from '../../fields/compose.ts';
import { duration } from '../../fields/duration.ts';
import { instant, name, octets, oneOf, place, rowId, text } from '../../fields/fields.ts';
import { get, page, resource } from '../resource.ts';

/* Unmatched receipts: delivery receipts from carriers that match no part of a message. */

/** The longest age in a filter. The gateway deletes receipts long before this age. */
const ageMaxMs = 3_650 * 24 * hourMs;

const reasons: { readonly [why in UnmatchedWhy]: string } = {
  unknown: 'no answer of the carrier has this message id',
  unreadable: 'the state cannot be read; receipt show prints the octets',
};

const fields = {
  id: rowId({ summary: 'id of the receipt, as receipt unmatched shows it', label: 'Receipt' }),
  receivedAt: instant({ summary: 'when the gateway got the receipt' }),
  carrier: name({ summary: 'carrier that sent the receipt' }),
  carrierId: text({ summary: 'message id of the carrier in the receipt' }),
  state: orNone(text({ summary: 'state of the message that the receipt reports' })),
  errorCode: orNone(text({ summary: 'error code that the receipt reports' })),
  sender: text({ summary: 'source address of the receipt', isPersonal: 'number' }),
  receiver: text({ summary: 'destination address of the receipt', isPersonal: 'number' }),
  why: {
    ...oneOf(unmatchedReasons, { summary: 'why the receipt is unmatched', placeholder: '<reason>' }),
    cell: (why: UnmatchedWhy) => reasons[why],
  },
};

export const receipt = resource('receipt', {
  summary: 'Unmatched receipts: delivery receipts that match no message',
  operations: {
    unmatched: page('/receipts/unmatched', {
      summary: 'List unmatched receipts, newest first',
      label: 'Unmatched receipts',
      role: 'support',
      input: {
        carrier: optional(described(fields.carrier, { summary: 'only receipts from this carrier' })),
        why: optional(described(fields.why, { summary: 'only receipts that are unmatched for this reason' })),
        olderThan: optional(
          duration({ maxMs: ageMaxMs, summary: 'only receipts older than this, such as 90s, 15m, 2h or 3d' }),
        ),
        until: optional(instant({ summary: 'only receipts before this time' })),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: fields,
      command: {
        examples: {
          'receipt unmatched --carrier alpha --older-than 15m':
            'list receipts of alpha too old to be matched by a late answer',
          'receipt unmatched --why unreadable': 'list receipts whose state cannot be read',
        },
        whenEmpty: 'there are no unmatched receipts',
      },
    }),
    show: get('/receipts/unmatched/{id}', {
      summary: 'Show one unmatched receipt',
      role: 'support',
      discloses: true,
      input: pick(fields, 'id'),
      answer: { ...fields, octets: orNone(octets({ summary: 'first octets of the receipt', isPersonal: true })) },
      command: { examples: { 'receipt show 42': 'show receipt 42, with its octets if it is unreadable' } },
    }),
  },
});
