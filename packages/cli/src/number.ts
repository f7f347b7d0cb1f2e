import { ok } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { AdminEndpointName } from '@morsel/gateway/edge/admin/endpoints.ts';
import type { Argument, Command, Option } from './command.ts';
import { column, numberColumn, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

export const number: Argument = {
  name: 'number',
  summary: 'an international number, or a short code of 3 to 8 digits',
};
export const prefix: Option = { flags: '--prefix', summary: 'every international number that begins so' };

const ownerOptions: readonly Option[] = [
  { flags: '--account <name>', summary: 'who gets it; where it has keywords, what has none of them' },
  { flags: '--shared', summary: "nobody's own: only keywords lead from it to accounts (keyword add)" },
  prefix,
];

export const numberCommands: readonly Command[] = [
  {
    words: 'number add',
    summary: 'Give what phones send to a number to an account; the longest match wins',
    arguments: [number],
    options: ownerOptions,
    examples: [
      ['number add +41791112233 --account acme', 'messages to this number are for acme'],
      ['number add +4179500 --prefix --account acme', 'and to all numbers of this range'],
      ['number add 8811 --account acme', 'and to this short code'],
      ['number add 8822 --shared', 'messages to this one go by their keyword'],
    ],
    run: change('addNumber', ownerOf),
  },
  {
    words: 'number set',
    summary: 'Give a number that is there to another account; its keywords stay, and what has come stays where it is',
    arguments: [number],
    options: ownerOptions,
    examples: [
      ['number set 8822 --account beta', 'what has no keyword of 8822 is for beta from now on'],
      ['number set 8822 --shared', 'or for nobody'],
    ],
    run: change('setNumber', ownerOf),
  },
  {
    words: 'number list',
    summary: 'List which numbers phones may write to, and whose they are',
    options: [{ flags: '--account <name>', summary: 'of this account only' }],
    examples: [['number list', 'every number, and whose it is']],
    run: asking('numbers', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'no account has a number yet: use number add' }, hasColour),
    ),
  },
  {
    words: 'number remove',
    summary: 'Take a number from its account; what has come stays there',
    arguments: [number],
    options: [prefix],
    examples: [['number remove +41791112233', 'messages to it are for nobody, or for who has the range']],
    run: change('removeNumber', (row) => `${numberOf(row)} has no account of its own any more`),
  },
];

const columns = [
  { title: 'NUMBER', of: numberOf },
  column('KIND', 'kind'),
  { title: 'ACCOUNT', of: (row: Row) => word(row, 'account') || '(shared)' },
  numberColumn('KEYWORDS', 'keywords'),
  timeColumn('MADE', 'createdAt'),
];

function ownerOf(row: Row): string {
  return word(row, 'account') === ''
    ? `messages to ${numberOf(row)} go by their keyword: add some with keyword add`
    : `messages to ${numberOf(row)} are for ${word(row, 'account')}`;
}

/** A range is seen as one. */
export function numberOf(row: Row): string {
  return `${word(row, 'number')}${word(row, 'kind') === 'prefix' ? '…' : ''}`;
}

export function change(endpoint: AdminEndpointName, show: (row: Row) => string): Command['run'] {
  return async (input, shell) => {
    const kind = input.flags.has('prefix') ? 'prefix' : 'number';
    const shared = input.flags.has('shared') ? { shared: 'true' } : {};
    const reply = await call(shell, endpoint, { ...input.values, ...shared, kind });
    return reply.ok ? ok(reportOf(reply.value, (value) => show(toRow(value)))) : reply;
  };
}
