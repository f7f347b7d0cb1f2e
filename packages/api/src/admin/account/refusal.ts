import { described, optional, orNone } from '../../fields/compose.ts';
import { count, instant, place, text } from '../../fields/fields.ts';
import { page, resource } from '../resource.ts';
import { accountName } from './settings.ts';

/* Refused requests of clients, so that support can say why a request was refused. */

const fields = {
  at: instant({ summary: 'when the request was refused' }),
  account: orNone(described(accountName, { summary: 'account of the request; null if it was not authenticated' })),
  code: text({ summary: 'code of the refusal', example: 'no_route' }),
  requestId: text({
    summary: 'id of the request (X-Request-Id); over SMPP the session and the sequence number',
    example: '5f0c2a-1',
  }),
  operation: orNone(text({ summary: 'endpoint or SMPP command', example: '/sms/send' })),
  field: orNone(text({ summary: 'wrong field' })),
  rule: orNone(text({ summary: 'rule of the account that refused the request' })),
  receiver: orNone(text({ summary: 'receiver, with most digits hidden', example: '+4179*****67' })),
};

const account = optional(described(accountName, { summary: 'only requests of this account' }));

export const refusal = resource('refusal', {
  summary: 'Refused requests of clients',
  operations: {
    list: page('/refusals', {
      summary: 'List refused requests, newest first',
      label: 'Refused requests',
      role: 'support',
      input: {
        account,
        code: optional(text({ summary: 'only requests that were refused with this code', placeholder: '<code>' })),
        requestId: optional(text({ summary: 'only the request with this id', placeholder: '<id>' })),
        since: optional(instant({ summary: 'only requests from this time or day on' })),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: fields,
      command: {
        examples: {
          'refusal list --account acme': 'list the newest 50 refused requests of acme',
          'refusal list --request-id 5f0c2a-1': 'show why a request was refused, by the id in its answer',
        },
        notes: `The gateway keeps the newest 1,000 refused requests of each account. Of many with the same code, it keeps 10 in 10 seconds;
refusal summary counts all.`,
        whenEmpty: 'there are no such refused requests',
      },
    }),
    summary: page('/refusals/summary', {
      summary: 'Count refused requests by account and code',
      role: 'support',
      input: { account, since: instant({ summary: 'only requests from the hour of this time on' }) },
      limit: 100,
      after: place(/^$/, { typed: [] }),
      answer: {
        account: fields.account,
        code: fields.code,
        refusals: count({ summary: 'number of refused requests' }),
        firstAt: instant({ summary: 'hour of the first one' }),
        lastAt: instant({ summary: 'when the last one was refused' }),
        requestId: described(fields.requestId, { summary: 'id of one of them, for refusal list' }),
      },
      command: {
        examples: { 'refusal summary --since 2026-01-31': 'count the refused requests since this day' },
        whenEmpty: 'no requests were refused in this time',
      },
    }),
  },
});
