import { asking } from './admin-client.ts';
import type { Command } from './command.ts';
import { table, timeColumn, column, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

const prefix = {
  flags: '--prefix <digits>',
  summary: 'how numbers begin, country code first; "" for every number',
  isRequired: true,
};

export const routeCommands: readonly Command[] = [
  {
    words: 'route add',
    summary: 'Send the numbers of a prefix through a carrier; the longest prefix wins',
    options: [prefix, { flags: '--carrier <name>', summary: 'who takes them', isRequired: true }],
    examples: [
      ['route add --prefix 41 --carrier alpha', 'Switzerland through alpha'],
      ['route add --prefix "" --carrier beta', 'all other numbers through beta'],
    ],
    run: asking('addRoute', (value) => {
      const route = toRow(value);
      return `${prefixOf(route)} goes through ${word(route, 'carrier')}`;
    }),
  },
  {
    words: 'route list',
    summary: 'List all routes',
    examples: [['route list', 'which prefix goes through whom']],
    run: asking('routes', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'there are no routes yet: make one with route add' }, hasColour),
    ),
  },
  {
    words: 'route remove',
    summary: 'Remove the route of a prefix; what waits on it goes on',
    options: [prefix],
    examples: [['route remove --prefix 41', 'Switzerland by a shorter prefix, or not at all']],
    run: asking('removeRoute', (value) => `${prefixOf(toRow(value))} has no route of its own any more`),
  },
];

const columns = [{ title: 'PREFIX', of: prefixOf }, column('CARRIER', 'carrier'), timeColumn('MADE', 'createdAt')];

/** The empty prefix has to be seen. */
export function prefixOf(row: Row): string {
  return word(row, 'prefix') || '(any)';
}
