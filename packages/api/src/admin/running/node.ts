import { count, flag, instant, oneOf, text, textThat } from '../../fields/fields.ts';
import { described, record } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
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
  links: count({ summary: 'links of carriers that are bound there' }),
  sessions: count({ summary: 'SMPP sessions of clients that are bound there' }),
  duties: count({ summary: 'what the node does for all: links, webhooks, sessions of accounts, and upkeep' }),
  release: text({ summary: 'version of the program', example: '0.1.0' }),
};

export const nodeRow = record(fields, { summary: 'a node' });

const drainInput = { name: fields.name };
const drainAnswer = {
  name: fields.name,
  duties: described(fields.duties, { summary: 'duties that the node still has' }),
  sessions: described(fields.sessions, { summary: 'SMPP sessions of clients that are still bound there' }),
  others: count({ summary: 'running nodes that can take them' }),
};

function drainText({ name, duties, sessions, others }: Values<typeof drainAnswer>): string {
  if (duties + sessions === 0) return `${name} has no duties and no sessions any more: stop it when you like`;
  const rest = `${name} still has duties (${duties}) and sessions (${sessions})`;
  return others === 0
    ? `${rest}: no other node can take them; node resume ${name} ends the drain`
    : `${rest}: links wait for answers of carriers; repeat the command to see the rest`;
}

export const node = resource('node', {
  changes: ['gateway', 'carrier'],
  summary: 'Nodes: gateways that work together on one PostgreSQL',
  operations: {
    list: page('/nodes', {
      summary: 'List the nodes of the database, and what each does',
      input: {},
      after: fields.name,
      answer: fields,
      columns: ['name', 'number', 'state', 'renewedAt', 'newestSettings', 'links', 'sessions', 'duties', 'release'],
      command: {
        examples: { 'node list': 'show which nodes run' },
        whenEmpty: 'the data is in SQLite: this gateway is the only node',
      },
    }),
    drain: post('/nodes/drain', {
      repeat: 'same',
      summary:
        'Give the links, webhooks and other duties of a node to the others, and unbind its clients, before it is stopped; waits up to 30 seconds',
      when: ({ state }) => state !== 'draining',
      warning: 'The node gives its links and sessions away and takes no more requests.',
      input: drainInput,
      answer: drainAnswer,
      command: {
        arguments: ['name'],
        examples: { 'node drain gateway-1': 'empty gateway-1 before an upgrade' },
        says: drainText,
        fails: (rest) => (rest.duties + rest.sessions > 0 ? drainText(rest) : undefined),
      },
    }),
    resume: post('/nodes/resume', {
      repeat: 'same',
      summary: 'Let a drained node take duties again',
      when: ({ state }) => state === 'draining',
      input: drainInput,
      answer: { name: fields.name },
      command: { arguments: ['name'], examples: { 'node resume gateway-1': 'use gateway-1 again' } },
    }),
  },
});
