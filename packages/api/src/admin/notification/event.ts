import { optional, rows } from '../../fields/compose.ts';
import { count, name, text } from '../../fields/fields.ts';
import { get, resource } from '../resource.ts';

const number = count({ summary: 'sequence number of the event in its account' });
const body = text({ summary: 'exact JSON text that a webhook would get for the event', isPersonal: true });

export const event = resource('event', {
  summary: 'Live events of an account: inbound messages, receipts and alerts as they happen',
  operations: {
    listen: get('/accounts/{account}/listen', {
      summary: 'Wait some seconds for events of an account; without `after` the answer only says where to begin',
      role: 'operator',
      input: {
        account: name({ summary: 'account of the events' }),
        after: optional(count({ summary: '`last` of the previous answer' })),
      },
      answer: {
        events: rows({ number, body }, { summary: 'new events of the account' }),
        last: count({ summary: 'value of `after` in the next request' }),
        missed: count({ summary: 'number of earlier events that the gateway no longer has' }),
      },
    }),
  },
});
