import { accountName } from '../account/settings.ts';
import { described, group, optional } from '../../fields/compose.ts';
import type { About } from '../../fields/field.ts';
import { flag, instant, prefix, sentence } from '../../fields/fields.ts';
import { carrierName, phoneNumber } from './message-fields.ts';

/* Fields that select messages, and the filter of bulk operations on waiting messages. */

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
export const waiting = group('Which messages', {
  account: ofAccount,
  route: optional(
    prefix({
      summary: 'only messages that wait on the route of this prefix, even a removed route',
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
  all: optional(flag({ summary: 'all waiting messages', label: 'All of them' }), false),
});
