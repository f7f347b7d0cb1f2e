import { rankOrders, routeEncodings } from '@morsel/gateway/core/routing/route.ts';
import { asking } from '../admin-client.ts';
import type { Command, Option, Shell } from '../command.ts';
import { card, column, numberColumn, table, timeColumn, toRow, toRows, word } from '../table.ts';
import type { Column, Row } from '../table.ts';

const match: readonly Option[] = [
  {
    flags: '--prefix <digits>',
    summary: 'how numbers begin, country code first; "" for every number',
    isRequired: true,
  },
  { flags: '--sender <sender>', summary: 'only from this sender, or from those that begin so: "ACME*"' },
  { flags: '--account <name>', summary: 'only of this account' },
  { flags: '--encoding <encoding>', summary: 'only in this encoding', choices: routeEncodings },
];

export const routeCommands: readonly Command[] = [
  {
    words: 'route add',
    summary:
      'Send the numbers of a prefix through a carrier; the longest prefix wins, and another carrier joins the first',
    options: [
      ...match,
      { flags: '--carrier <name>', summary: 'who takes them', isRequired: true },
      {
        flags: '--rank <number>',
        summary: 'which comes first; the next when it is not there, or will not have one (1)',
      },
      { flags: '--weight <number>', summary: 'its share among the carriers of its rank (1)' },
      {
        flags: '--cost <amount>',
        summary: 'what it takes a part, whatever its cost list says, in the currency of the account',
      },
      {
        flags: '--after <seconds>',
        summary: 'after so long of waiting for its rank the next may have a message (never)',
      },
      {
        flags: '--by <order>',
        summary: 'what orders one rank: weight, or least cost for the receiver first (weight)',
        choices: rankOrders,
      },
    ],
    examples: [
      ['route add --prefix 41 --carrier alpha', 'Switzerland through alpha'],
      ['route add --prefix "" --carrier beta', 'all other numbers through beta'],
      ['route add --prefix 41 --carrier beta --rank 2', 'and Switzerland through beta while alpha is not there'],
      ['route add --prefix 41 --sender "ACME*" --carrier gamma', 'but what ACME sends there through gamma'],
    ],
    run: asking('addRoute', (value) => {
      const route = toRow(value);
      const by = word(route, 'by');
      const order = by === 'cost' ? 'by least cost' : 'by weight';
      const ofAll = by === '' ? '' : `; in each rank, all carriers of this route are chosen ${order} from now on`;
      return `${prefixOf(route)} goes through ${word(route, 'carrier')}${ofAll}`;
    }),
  },
  {
    words: 'route set',
    summary: 'Change a route in place: its carriers, their ranks and costs, or its match; what waits on it follows',
    options: [
      ...match,
      { flags: '--carrier <name>', summary: 'whose settings change (default: the only carrier of the route)' },
      { flags: '--new-carrier <name>', summary: 'carrier that takes its place, rank, weight and wait' },
      { flags: '--rank <number>', summary: 'which comes first, from 1' },
      { flags: '--weight <number>', summary: 'its share among the carriers of its rank' },
      { flags: '--cost <amount>', summary: 'what it takes a part; none for what its cost list says' },
      {
        flags: '--after <seconds>',
        summary: 'after so long of waiting for its rank the next may have a message; none for never',
      },
      { flags: '--by <order>', summary: 'what orders one rank, of all its carriers', choices: rankOrders },
      { flags: '--new-prefix <digits>', summary: 'prefix that the route has from now on' },
      { flags: '--new-sender <sender>', summary: 'sender, or beginning of one, that it is for; any for every sender' },
      { flags: '--new-account <name>', summary: 'account that it is for; any for every account' },
      { flags: '--new-encoding <encoding>', summary: 'encoding that it is for', choices: [...routeEncodings, 'any'] },
    ],
    examples: [
      ['route set --prefix 41 --new-carrier beta', 'Switzerland through beta instead, what waits among it'],
      ['route set --prefix 41 --carrier alpha --rank 2', 'alpha behind the others'],
      ['route set --prefix 414 --new-prefix 41', 'a slip in the prefix'],
    ],
    notes: () => setHelp,
    run: asking('setRoute', (value, { hasColour }) => {
      const { before, after, moved } = toRow(value);
      const rows = [
        ...toRows(before).map((row) => ({ ...row, when: 'before' })),
        ...toRows(after).map((row) => ({ ...row, when: 'now' })),
      ];
      const columns = [column('WHEN', 'when'), ...columnsFor(rows)];
      const followed = word({ moved }, 'moved');
      const line = followed === '0' ? '' : `\n\n${followed} waiting message(s) changed place with it`;
      return `${table({ columns, rows, whenEmpty: '' }, hasColour)}${line}`;
    }),
  },
  {
    words: 'route list',
    summary: 'List all routes',
    examples: [['route list', 'which prefix goes through whom']],
    run: asking('routes', (value, { hasColour }) => {
      const rows = toRows(value);
      return table(
        {
          columns: [...columnsFor(rows), timeColumn('MADE', 'createdAt')],
          rows,
          whenEmpty: 'there are no routes yet: make one with route add',
        },
        hasColour,
      );
    }),
  },
  {
    words: 'route remove',
    summary: 'Remove a route, or one carrier of it; what waits on it goes on',
    options: [...match, { flags: '--carrier <name>', summary: 'only this carrier of it' }],
    examples: [
      ['route remove --prefix 41', 'Switzerland by a shorter prefix, or not at all'],
      ['route remove --prefix 41 --carrier beta', 'only without beta'],
    ],
    run: asking('removeRoute', (value) => {
      const route = toRow(value);
      const carrier = word(route, 'carrier');
      return carrier === ''
        ? `${prefixOf(route)} has no route of its own any more`
        : `${prefixOf(route)} goes through ${carrier} no more`;
    }),
  },
  {
    words: 'route explain',
    summary: 'Show where a message would go now, and why not elsewhere',
    options: [
      { flags: '--account <name>', summary: 'who sends it', isRequired: true },
      { flags: '--receiver <number>', summary: 'to whom', isRequired: true },
      { flags: '--sender <sender>', summary: 'as which sender' },
      { flags: '--text <text>', summary: 'what it says: its encoding and parts follow' },
      { flags: '--encoding <encoding>', summary: 'or in which encoding (gsm7)', choices: routeEncodings },
    ],
    examples: [
      ['route explain --account shop --receiver +41791234567', 'which route, which carrier, and why'],
      ['route explain --account shop --receiver +41791234567 --sender ACME', 'of a sender that may have its own route'],
    ],
    run: asking('explainRoute', explanation),
  },
];

const setHelp = `What waits goes by the carriers of the route at once. What a carrier has a part of, or may have, stays with it, and prices stay as they
were when messages were accepted. After a new match, what waits keeps the route; message reroute has it look for its route anew.`;

/** The empty prefix has to be seen. */
export function prefixOf(row: Row): string {
  return word(row, 'prefix') || '(any)';
}

function orAny(title: string, member: string): Column {
  return { title, of: (row) => word(row, member) || '(any)' };
}

function secondsColumn(title: string, member: string): Column {
  return { title, of: (row) => (word(row, member) === '' ? '' : `${word(row, member)} s`), isNumber: true };
}

const prefixColumn: Column = { title: 'PREFIX', of: prefixOf };
const carrierColumn = column('CARRIER', 'carrier');
const narrowColumns: readonly Column[] = [
  orAny('SENDER', 'sender'),
  orAny('ACCOUNT', 'account'),
  orAny('ENCODING', 'encoding'),
];
const choiceColumns: readonly Column[] = [
  numberColumn('RANK', 'rank'),
  numberColumn('WEIGHT', 'weight'),
  numberColumn('COST', 'cost'),
  secondsColumn('NEXT AFTER', 'after'),
];

/** Columns that say the same in every line are left out: one carrier a prefix is a table of three. */
function columnsFor(rows: readonly Row[]): readonly Column[] {
  const isNarrow = rows.some((row) => ['sender', 'account', 'encoding'].some((member) => word(row, member) !== ''));
  const hasChoice = rows.some(
    (row) =>
      word(row, 'rank') !== '1' || word(row, 'weight') !== '1' || word(row, 'cost') !== '' || word(row, 'after') !== '',
  );
  const isByCost = rows.some((row) => word(row, 'by') === 'cost');
  return [
    prefixColumn,
    ...(isNarrow ? narrowColumns : []),
    carrierColumn,
    ...(hasChoice || isByCost ? choiceColumns : []),
    ...(isByCost ? [column('BY', 'by')] : []),
  ];
}

const consideredColumns: readonly Column[] = [prefixColumn, ...narrowColumns, column('VERDICT', 'verdict')];
const explainedColumns: readonly Column[] = [
  carrierColumn,
  ...choiceColumns.filter(({ title }) => title !== 'COST'),
  { title: 'COST', of: costOf, isNumber: true },
  { title: 'MARGIN', of: marginOf, isNumber: true },
  column('VERDICT', 'why'),
];

function costOf(carrier: Row): string {
  const cost = word(carrier, 'cost');
  return cost === '' ? 'unknown' : `${cost} ${word(carrier, 'costCurrency')}`;
}

/** Of a cost in another money than the price nothing can be said: there are no exchange rates. */
function marginOf(carrier: Row): string {
  return word(carrier, 'margin') || (word(carrier, 'cost') === '' ? 'unknown' : 'other currency');
}

function explanation(value: unknown, { hasColour }: Shell): string {
  const explained = toRow(value);
  const refusal = word(toRow(explained['refusal']), 'detail');
  const chosen = word(explained, 'chosen');
  const summary = card([
    ['account', word(explained, 'account')],
    ['receiver', word(explained, 'receiver')],
    ['sender', word(explained, 'sender') || '(not given)'],
    ['encoding', `${word(explained, 'encoding')}, ${word(explained, 'numParts')} part(s)`],
    ...(refusal === ''
      ? ([['price', `${word(explained, 'unitPrice')} ${word(explained, 'currency')} a part`]] as const)
      : ([['refused', refusal]] as const)),
    ...(refusal === ''
      ? ([['goes through', chosen === '' ? 'waits for the first carrier that can take it' : chosen]] as const)
      : []),
  ]);
  const routes = table(
    { columns: consideredColumns, rows: toRows(explained['routes']), whenEmpty: 'no route begins like this number' },
    hasColour,
  );
  const carriers = toRows(explained['carriers']);
  return carriers.length === 0
    ? `${summary}\n\n${routes}`
    : `${summary}\n\n${routes}\n\n${table({ columns: explainedColumns, rows: carriers, whenEmpty: '' }, hasColour)}`;
}
