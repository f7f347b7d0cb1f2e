import { list, optional, record } from '../compose.ts';
import { count, name, text } from '../fields.ts';
import { get, resource } from '../resource.ts';

const number = count({ summary: 'sequence number of the event: each new event of the account gets the next one' });
const body = text({ summary: 'the JSON that a webhook would get, octet for octet', isPersonal: true });

export const event = resource('event', {
  summary: 'Events: what an account is notified of, while it happens',
  operations: {
    listen: get('/accounts/{account}/listen', {
      summary:
        'Wait some seconds for the events of an account after one of them; without `after` it answers where to begin',
      input: {
        account: name({ summary: 'account whose events they are' }),
        after: optional(count({ summary: '`last` of the answer before' })),
      },
      answer: {
        events: list(record({ number, body }, { summary: 'an event' }), { summary: 'the events' }),
        last: count({ summary: 'give it as `after`' }),
        missed: count({ summary: 'events before these that were not kept' }),
      },
    }),
  },
});
