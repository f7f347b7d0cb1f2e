import { ok } from '../core/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { AdminEndpointName } from '../edge/admin/endpoints.ts';
import type { Argument, Command, Option } from './command.ts';
import { column, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

const number: Argument = { name: 'number', summary: 'an international number, or a short code of 3 to 8 digits' };
const prefix: Option = { flags: '--prefix', summary: 'every international number that begins so' };

export const numberCommands: readonly Command[] = [
  {
    words: 'number add',
    summary: 'Give what phones send to a number to an account; the longest match wins',
    arguments: [number],
    options: [{ flags: '--account <name>', summary: 'who gets it', isRequired: true }, prefix],
    examples: [
      ['number add +41791112233 --account acme', 'messages to this number are for acme'],
      ['number add +4179500 --prefix --account acme', 'and to all numbers of this range'],
      ['number add 8811 --account acme', 'and to this short code'],
    ],
    run: change('addNumber', (row) => `messages to ${numberOf(row)} are for ${word(row, 'account')}`),
  },
  {
    words: 'number list',
    summary: 'List which numbers have an account',
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
  column('ACCOUNT', 'account'),
  timeColumn('MADE', 'createdAt'),
];

/** A range is seen as one. */
function numberOf(row: Row): string {
  return `${word(row, 'number')}${word(row, 'kind') === 'prefix' ? '…' : ''}`;
}

function change(endpoint: AdminEndpointName, show: (row: Row) => string): Command['run'] {
  return async (input, shell) => {
    const kind = input.flags.has('prefix') ? 'prefix' : 'number';
    const reply = await call(shell, endpoint, { ...input.values, kind });
    return reply.ok ? ok(reportOf(reply.value, (value) => show(toRow(value)))) : reply;
  };
}
