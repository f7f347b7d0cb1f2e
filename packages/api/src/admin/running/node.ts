import { count, flag, instant, oneOf, text, textThat } from '../fields.ts';
import { page, post, resource } from '../resource.ts';

/* The nodes of one PostgreSQL: gateways that share accounts, messages and carriers. */

const fields = {
  name: textThat({ summary: 'name of a node, shown by `node list`' }, (given) => /^[\w.-]{1,63}$/.test(given), {
    placeholder: '<name>',
    wants: 'must be the name of a node: `node list` shows it',
    schema: { pattern: '^[A-Za-z0-9_.-]{1,63}$' },
    example: 'gateway-1',
  }),
  number: count({ summary: 'number of the node, which is part of the ids that it makes' }),
  state: oneOf(['running', 'draining', 'silent', 'stopped', 'replaced'], {
    summary:
      '`draining`: it gives its work to the others; `silent`: it does not renew its lease; `replaced`: others have taken over its work',
  }),
  renewedAt: instant({ summary: 'when the node renewed its lease last' }),
  newestSettings: flag({ summary: 'whether the node uses the newest settings of the operator' }),
  duties: count({ summary: 'what the node does for all: links, webhooks, sessions of accounts, and upkeep' }),
  release: text({ summary: 'version of the program', example: '0.1.0' }),
};

const drainInput = { name: fields.name };
const drainAnswer = { name: fields.name };

export const node = resource('node', {
  summary: 'Nodes: gateways that work together on one PostgreSQL',
  operations: {
    list: page('/nodes', {
      summary: 'List the nodes of the database, and what each does',
      input: {},
      after: fields.name,
      answer: fields,
      columns: ['name', 'number', 'state', 'renewedAt', 'newestSettings', 'duties', 'release'],
      command: {
        examples: [['node list', 'show which nodes run']],
        whenEmpty: 'the data is in SQLite: this gateway is the only node',
      },
    }),
    drain: post('/nodes/drain', {
      summary: 'Ask a node to give its links, webhooks and other duties to the other nodes, before it is stopped',
      input: drainInput,
      answer: drainAnswer,
      command: { arguments: ['name'], examples: [['node drain gateway-1', 'empty gateway-1 before an upgrade']] },
    }),
    resume: post('/nodes/resume', {
      summary: 'Let a drained node take duties again',
      input: drainInput,
      answer: drainAnswer,
      command: { arguments: ['name'], examples: [['node resume gateway-1', 'use gateway-1 again']] },
    }),
  },
});
