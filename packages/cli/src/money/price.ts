import { asking } from '../admin-client.ts';
import type { Command, Option } from '../command.ts';
import { thresholdDefault } from './price-import.ts';
import { priceRemove } from './price-remove.ts';
import { setPrice } from './price-set.ts';
import { prefixOf } from '../routing/route.ts';
import { column, numberColumn, stateColumn, table, timeColumn, toRow, toRows, toTheSecond, word } from '../table.ts';
import type { Row } from '../table.ts';

const list = { name: 'list', summary: 'the name of the price list' };

/** Which version is meant. */
export const versionOptions: readonly Option[] = [
  { flags: '--at <time>', summary: 'as it held then, or will; a day is its beginning in UTC (now)' },
  { flags: '--version <number>', summary: 'as this version had it when it took effect' },
];

export const priceCommands: readonly Command[] = [
  {
    words: 'price set',
    summary: 'Set the price a part of a prefix; the longest prefix of the list wins',
    options: [
      { flags: '--list <name>', summary: 'which price list (default)' },
      { flags: '--currency <code>', summary: 'its currency; needed the first time only' },
      {
        flags: '--prefix <digits>',
        summary: 'how numbers begin, country code first; "" or * for every number',
        isRequired: true,
      },
      { flags: '--price <amount>', summary: 'for each part, to the millionth', isRequired: true },
      { flags: '--effective <time>', summary: 'from when on; a day is its beginning in UTC (at once)' },
      { flags: '--allow-free', summary: 'the price may be 0: nobody pays for these numbers' },
      {
        flags: '--threshold <percent>',
        summary: `ask before what these numbers cost changes by more (default: ${thresholdDefault})`,
      },
      { flags: '--yes', summary: 'do not ask; without a terminal a larger change is refused without it' },
    ],
    examples: [
      ['price set --list default --currency EUR --prefix 41 --price 0.0075', 'Switzerland for 0.75 cents a part'],
      ['price set --prefix 4179 --price 0.008', 'one of its networks for more'],
    ],
    run: setPrice,
  },
  priceRemove,
  {
    words: 'price list',
    summary: 'List the price lists, with the version that holds and who uses them',
    examples: [['price list', 'which lists there are']],
    run: asking('priceLists', (value, { hasColour }) =>
      table({ columns: listColumns, rows: toRows(value), whenEmpty: noLists }, hasColour),
    ),
  },
  {
    words: 'price show',
    summary: 'Show what holds for a price list, with what it stands on',
    arguments: [list],
    options: [
      ...versionOptions,
      { flags: '--prefix <digits>', summary: 'only of numbers that begin so' },
      { flags: '--after <prefix>', summary: 'go on behind this prefix' },
      { flags: '--limit <number>', summary: 'so many of a page (100)' },
    ],
    examples: [
      ['price show default', 'the first page of what holds now'],
      ['price show default --prefix 4179', 'what numbers of 4179 cost'],
      ['price show default --at 2026-07-01T00:00:00Z', 'what will hold then'],
    ],
    run: asking('prices', (value, { hasColour }) => shownPage(toRow(value), hasColour)),
  },
  {
    words: 'price versions',
    summary: 'List the versions of a price list, and what it stood on',
    arguments: [list],
    examples: [['price versions default', 'what changed when, and what is to come']],
    run: asking('priceVersions', (value, { hasColour }) => {
      const { versions, bases } = toRow(value);
      const told = table(
        { columns: versionColumns, rows: toRows(versions), whenEmpty: 'it has no version yet' },
        hasColour,
      );
      const below = toRows(bases);
      return below.length === 0
        ? told
        : `${told}\n\n${table({ columns: baseColumns, rows: below, whenEmpty: '' }, hasColour)}`;
    }),
  },
  {
    words: 'price withdraw',
    summary: 'Take back the last version of a price list to come, before it takes effect',
    arguments: [list],
    options: [{ flags: '--version <number>', summary: 'which; price versions lists them', isRequired: true }],
    examples: [['price withdraw default --version 7', 'version 7 never comes']],
    run: asking('withdrawPrices', (value) => {
      const row = toRow(value);
      return `version ${word(row, 'version')} of price list ${word(row, 'list')} is withdrawn`;
    }),
  },
  {
    words: 'price base',
    summary: 'Have a price list stand on another: where it says nothing, the other holds',
    arguments: [list],
    options: [{ flags: '--base <name>', summary: 'a list of the same currency, or none', isRequired: true }],
    examples: [
      ['price base acme --base default', 'what acme does not name costs what default says'],
      ['price base acme --base none', 'only what acme names has a price'],
    ],
    run: asking('setPriceBase', (value) => {
      const row = toRow(value);
      const base = word(row, 'base');
      return `price list ${word(row, 'list')} stands on ${base === '' ? 'no other' : base}`;
    }),
  },
];

const noLists = 'there are no price lists yet: set a price with price set, or import a file with price import';

const listColumns = [
  column('LIST', 'list'),
  column('CURRENCY', 'currency'),
  column('BASE', 'base'),
  numberColumn('VERSION', 'version'),
  timeColumn('SINCE', 'effectiveAt'),
  numberColumn('PRICES', 'prices'),
  { title: 'TO COME', of: (row: Row) => toRows(row['pending']).map(shownPending).join(', ') },
  { title: 'USED BY', of: shownUsers },
];

function shownPending(version: Row): string {
  return `${word(version, 'version')} at ${toTheSecond(word(version, 'effectiveAt'))}`;
}

function shownUsers(row: Row): string {
  const accounts = namesOf(row['accounts']);
  const more = Number(word(row, 'accountsCount')) - accounts.length;
  const lists = [
    ...namesOf(row['lists']).map((name) => `list ${name}`),
    ...namesOf(row['carriers']).map((name) => `costs of carrier ${name}`),
  ];
  return [...accounts, ...(more > 0 ? [`${more} more`] : []), ...lists].join(', ');
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

const versionColumns = [
  numberColumn('VERSION', 'version'),
  stateColumn('STATE', 'state'),
  timeColumn('EFFECTIVE', 'effectiveAt'),
  timeColumn('MADE', 'createdAt'),
  numberColumn('CHANGES', 'changes'),
];

const baseColumns = [
  { title: 'STANDS ON', of: (row: Row) => word(row, 'base') || '(no other)' },
  timeColumn('SINCE', 'since'),
];

const priceColumns = [
  { title: 'PREFIX', of: prefixOf },
  numberColumn('PRICE', 'price'),
  column('OF LIST', 'list'),
  numberColumn('VERSION', 'version'),
];

function shownPage(page: Row, hasColour: boolean): string {
  const name = word(page, 'list');
  const version = word(page, 'version');
  const since = toTheSecond(word(page, 'effectiveAt'));
  const holds = version === '' ? 'without a version that holds' : `version ${version}, since ${since}`;
  const rows = toRows(page['prices']);
  const otherwise = toRow(page['otherwise']);
  const next = word(page, 'next');
  return [
    `${name}, ${holds}, prices in ${word(page, 'currency')}`,
    table({ columns: priceColumns, rows, whenEmpty: 'no longer prefix has a price of its own' }, hasColour),
    ...(word(otherwise, 'price') === ''
      ? []
      : [`otherwise ${word(otherwise, 'price')}, by ${prefixOf(otherwise)} of list ${word(otherwise, 'list')}`]),
    ...(typeof page['next'] === 'string' ? [`more: price show ${name} --after ${next === '' ? '""' : next}`] : []),
  ].join('\n');
}
