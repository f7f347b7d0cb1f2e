import { userMax } from '../../values/credentials.ts';
import { described, list, optional, orNone, rows } from '../../fields/compose.ts';
import { ascii, count, flag, instant, name, oneOf, text, textThat } from '../../fields/fields.ts';
import { page, post, resource } from '../resource.ts';

/* SMPP sessions of clients with the gateway. */

const fields = {
  id: textThat({ summary: 'id of a session, shown by `session list`' }, (given) => /^\d{1,15}$/.test(given), {
    placeholder: '<id>',
    wants: 'must be the number of a session: `session list` shows it',
    schema: { pattern: '^[0-9]{1,15}$' },
    example: '7',
  }),
  account: name({ summary: 'account that the session sends and receives for' }),
  systemId: ascii({
    min: 1,
    max: userMax,
    summary: 'system_id of the login that the session was bound with',
    placeholder: '<name>',
  }),
  bind: text({ summary: 'type of the session: transmitter, receiver or transceiver', example: 'transceiver' }),
  version: text({ summary: 'SMPP version of the client', example: '3.4' }),
  address: text({ summary: 'IP address and port of the client', example: '192.0.2.7:50211' }),
  tls: flag({ summary: 'whether the connection uses TLS' }),
  state: oneOf(['bound', 'unbinding'], { summary: 'whether the session is bound or is being closed' }),
  since: instant({ summary: 'when the session was bound' }),
  unanswered: count({ summary: 'requests of the client that the gateway has not answered yet' }),
  inFlight: count({ summary: 'requests of the gateway that the client has not answered yet' }),
  accepted: count({ summary: 'messages of the client that the gateway accepted' }),
  refused: count({ summary: 'messages of the client that the gateway refused' }),
  surplus: count({ summary: 'requests that the gateway refused because too many were unanswered' }),
  heardAt: instant({ summary: 'when the client last sent a PDU' }),
  node: orNone(text({ summary: 'node that has the session; null if there is only one gateway', usual: '' })),
};

export const session = resource('session', {
  changes: ['login'],
  summary: 'SMPP sessions of clients',
  operations: {
    list: page('/sessions', {
      summary: 'List the bound SMPP sessions of one account or of all accounts',
      label: 'SMPP sessions',
      input: { account: optional(described(fields.account, { summary: 'only the sessions of this account' })) },
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
        'node',
      ],
      command: {
        arguments: ['account'],
        examples: { 'session list acme': 'show the bound sessions of acme' },
        whenEmpty: 'no client session is bound',
      },
    }),
    close: post('/sessions/close', {
      repeat: 'same',
      summary: 'Unbind sessions once their open requests are answered; clients may bind again',
      warning: 'The session ends once its open requests are answered. The client may bind again.',
      input: {
        id: optional(fields.id),
        account: optional(described(fields.account, { summary: 'close all sessions of this account' })),
        systemId: optional(described(fields.systemId, { summary: 'close all sessions of this login' })),
      },
      answer: {
        closed: rows(fields, {
          summary: 'sessions that are being closed',
          whenEmpty: 'none: no such session is bound',
        }),
        waiting: list(name({ summary: 'a node' }), {
          summary: 'nodes that have not answered yet: they close their sessions once they answer, or end by themselves',
        }),
      },
      command: {
        arguments: ['id'],
        examples: {
          'session close 7': 'close session 7',
          'session close --account acme': 'close all sessions of acme; account suspend also stops new ones',
        },
      },
    }),
  },
});
