import { systemIdMax } from '../../values/credentials.ts';
import { described, list, optional, record } from '../compose.ts';
import { ascii, count, flag, instant, name, oneOf, text, textThat } from '../fields.ts';
import { page, post, resource } from '../resource.ts';

/* Sessions that clients have bound over SMPP. */

const fields = {
  id: textThat({ summary: 'id of a session, as session list shows it' }, (given) => /^\d{1,15}$/.test(given), {
    placeholder: '<id>',
    wants: 'must be a number, as session list shows it',
    schema: { pattern: '^[0-9]{1,15}$' },
    example: '7',
  }),
  account: name({ summary: 'account that it sends and receives for' }),
  systemId: ascii({ min: 1, max: systemIdMax, summary: 'login that it was bound with', placeholder: '<name>' }),
  bind: text({ summary: 'transmitter, receiver or transceiver', example: 'transceiver' }),
  version: text({ summary: 'version of SMPP that its client speaks', example: '3.4' }),
  address: text({ summary: 'address and port of its client', example: '192.0.2.7:50211' }),
  tls: flag({ summary: 'whether it is encrypted' }),
  state: oneOf(['bound', 'unbinding'], { summary: 'whether it is being closed' }),
  since: instant({ summary: 'when it was bound' }),
  unanswered: count({ summary: 'requests of the client that wait for our answer' }),
  inFlight: count({ summary: 'our requests that wait for an answer of the client' }),
  accepted: count({ summary: 'messages that were accepted' }),
  refused: count({ summary: 'messages that were refused' }),
  surplus: count({ summary: 'requests that were refused because they were beyond the window' }),
  heardAt: instant({ summary: 'when the client sent something last' }),
};

export const session = resource('session', {
  summary: 'Sessions: what clients have bound over SMPP',
  operations: {
    list: page('/sessions', {
      summary: 'List the sessions that clients have bound to the gateway over SMPP, of an account or all',
      input: { account: optional(described(fields.account, { summary: 'only its sessions' })) },
      after: fields.id,
      answer: fields,
      columns: [
        'id',
        'account',
        'systemId',
        'bind',
        'version',
        'address',
        'tls',
        'state',
        'since',
        'unanswered',
        'inFlight',
        'accepted',
        'refused',
        'heardAt',
      ],
      command: {
        arguments: ['account'],
        examples: [['session list acme', 'how each is bound, since when, and what it does']],
        whenEmpty: 'no session is bound',
      },
    }),
    close: post('/sessions/close', {
      summary: 'Unbind sessions after what is in flight; their clients may bind again',
      input: {
        id: optional(fields.id),
        account: optional(described(fields.account, { summary: 'all sessions of an account' })),
        systemId: optional(described(fields.systemId, { summary: 'all sessions of a login' })),
      },
      answer: { closed: list(record(fields, { summary: 'a session' }), { summary: 'the sessions that were closed' }) },
      command: {
        arguments: ['id'],
        examples: [
          ['session close 7', 'one session'],
          ['session close --account acme', 'all of them: to keep them away, account suspend acme or smpp-login remove'],
        ],
      },
    }),
  },
});
