import { ok } from '../core/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { Command } from './command.ts';
import { prefixOf } from './route.ts';
import { column, numberColumn, table, toRow, toRows, word } from './table.ts';

export const priceCommands: readonly Command[] = [
  {
    words: 'price set',
    summary: 'Set the price a part of a prefix; the longest prefix of the list wins',
    options: [
      { flags: '--list <name>', summary: 'which price list (default)' },
      { flags: '--currency <code>', summary: 'its currency; needed the first time only' },
      {
        flags: '--prefix <digits>',
        summary: 'how numbers begin, country code first; "" for every number',
        isRequired: true,
      },
      { flags: '--price <amount>', summary: 'for each part, to the millionth', isRequired: true },
    ],
    examples: [
      ['price set --list default --currency EUR --prefix 41 --price 0.0075', 'Switzerland for 0.75 cents a part'],
      ['price set --prefix 4179 --price 0.008', 'one of its networks for more'],
    ],
    run: async (input, shell) => {
      const { prefix = '', price = '', ...list } = input.values;
      const reply = await call(shell, 'setPrices', { ...list, prices: [{ prefix, price }] });
      if (!reply.ok) return reply;
      return ok(
        reportOf(reply.value, (value) => {
          const set = toRow(value);
          return `${prefixOf({ prefix })} costs ${price} a part in version ${word(set, 'version')} of price list ${word(set, 'list')}`;
        }),
      );
    },
  },
  {
    words: 'price list',
    summary: 'List the prices that are valid now',
    options: [{ flags: '--list <name>', summary: 'of this price list only' }],
    examples: [['price list', 'every prefix that has a price']],
    run: asking('prices', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'there are no prices yet: set one with price set' }, hasColour),
    ),
  },
];

const columns = [
  column('LIST', 'list'),
  { title: 'PREFIX', of: prefixOf },
  numberColumn('PRICE', 'price'),
  column('CURRENCY', 'currency'),
];
