import { everyNumber, priceMax, pricesMax } from '../../values/price.ts';
import { ok } from '../../values/result.ts';
import { isName } from '../../values/syntax.ts';
import { described, list, optional, orNone, pick, record } from '../compose.ts';
import type { Values } from '../field.ts';
import {
  amount,
  count,
  currency,
  flag,
  instant,
  name,
  oneOf,
  place,
  prefix,
  text,
  textThat,
  wholeNumber,
} from '../fields.ts';
import { get, page, post, remove, resource } from '../resource.ts';

/* Price lists: their versions, and the prices in them. `price-import.ts` declares imports. */

export const unitPrice = amount({ min: 0, max: priceMax, summary: 'price of a part', example: 0.0075 });

const digits = prefix({ summary: 'how numbers begin, country code first; "" or * for every number' });
export const pricePrefix = {
  ...digits,
  read: (given: unknown) => (given === everyNumber ? ok('') : digits.read(given)),
};

const listName = name({ summary: 'name of the price list', example: 'default' });

/** A list that may be new. */
export const newListName = textThat(
  { summary: 'name of the price list; a new one is made' },
  (given) => given !== 'none' && isName(given),
  {
    placeholder: '<name>',
    wants: 'must be 1 to 64 letters, digits, dots, hyphens and underscores; none means no list',
    example: 'default',
  },
);

const version = wholeNumber({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  summary: 'number of the version',
  placeholder: '<number>',
  example: 3,
});
const listCurrency = currency({ summary: 'currency of the list' });
const base = orNone(name({ summary: 'its base list, which has the prices that the list itself does not have' }));
const effectiveAt = instant({ summary: 'when the version takes effect', title: 'EFFECTIVE' });

/** What a new list needs. */
export const newCurrency = optional(described(listCurrency, { summary: 'its currency; needed for a new list' }));
export const allowFree = optional(flag({ summary: 'prices may be 0: nobody pays for these numbers' }), false);

/** What is asked of a version of a list. */
export const versionInput = {
  list: listName,
  version: optional(described(version, { summary: 'as this version had it when it took effect' })),
};
const whichInput = {
  ...versionInput,
  at: optional(instant({ summary: 'as of then; a day is its beginning in UTC', defaultText: 'now' })),
};

const listFields = {
  list: listName,
  currency: listCurrency,
  base,
  version: orNone(described(version, { summary: 'the version in effect; null before the first' })),
  effectiveAt: orNone(described(effectiveAt, { summary: 'since when', title: 'SINCE' })),
  prices: count({ summary: 'prices that the list itself has' }),
  pending: list(record({ version, effectiveAt }, { summary: 'a version' }), { summary: 'versions to come' }),
  accounts: list(name({ summary: 'an account' }), { summary: 'accounts that use it, the first of them by name' }),
  accountsCount: count({ summary: 'accounts that use it' }),
  lists: list(listName, { summary: 'lists whose base it is' }),
  carriers: list(name({ summary: 'a carrier' }), { summary: 'carriers whose costs it has' }),
};

const priceFields = {
  prefix: described(digits, { summary: 'how numbers begin' }),
  price: unitPrice,
  currency: listCurrency,
  list: described(listName, {
    summary: 'price list that the price comes from: the list that was asked for, or its base',
    title: 'OF LIST',
  }),
  version: described(version, { summary: 'its version that has the price' }),
};

export const versionFields = {
  version,
  state: oneOf(['past', 'active', 'pending'], { summary: 'whether it is in effect' }),
  effectiveAt,
  createdAt: instant({ summary: 'when it was made' }),
  changes: count({ summary: 'prefixes whose price it changes' }),
};

export const baseFields = { base, since: instant({ summary: 'since when' }) };

function pendingText({ pending }: Values<typeof listFields>): string {
  return pending.map((each) => `${each.version} at ${effectiveAt.cell(each.effectiveAt)}`).join(', ');
}

function usersText({ accounts, accountsCount, lists, carriers }: Values<typeof listFields>): string {
  const more = accountsCount - accounts.length;
  return [
    ...accounts,
    ...(more > 0 ? [`${more} more`] : []),
    ...lists.map((each) => `list ${each}`),
    ...carriers.map((each) => `costs of carrier ${each}`),
  ].join(', ');
}

export const price = resource('price', {
  summary: 'Price lists: the price of a part, by prefix',
  operations: {
    list: page('/price-lists', {
      summary: 'List the price lists, with the version in effect and who uses them',
      input: {},
      after: listName,
      answer: listFields,
      columns: [
        ...(['list', 'currency', 'base', 'version', 'effectiveAt', 'prices'] as const),
        { title: 'TO COME', of: pendingText },
        { title: 'USED BY', of: usersText },
      ],
      command: {
        examples: [['price list', 'which lists there are']],
        whenEmpty: 'there are no price lists yet: set a price with price set, or import a file with price import',
      },
    }),
    show: page('/price-lists/{list}/prices', {
      summary: 'Show the prices of a list, together with those of its base',
      input: {
        ...whichInput,
        prefix: optional(
          described(pricePrefix, {
            summary: 'only of numbers that begin so; the price of a shorter prefix, for the rest of them, comes first',
          }),
        ),
      },
      limit: 100,
      // The time of the first page, so that all pages are of the same versions, and the last prefix.
      after: place(/^\d{1,16}\/\d{0,15}$/),
      answer: priceFields,
      columns: ['prefix', 'price', 'currency', 'list', 'version'],
      command: {
        arguments: ['list'],
        examples: [
          ['price show default', 'the first prices in effect'],
          ['price show default --prefix 4179', 'what numbers of 4179 cost'],
          ['price show default --at 2026-07-01T00:00:00Z', 'the prices of then'],
          ['price show default --csv > prices.csv', 'all of them, with those of its base'],
        ],
        whenEmpty: 'there are no such prices',
      },
    }),
    versions: get('/price-lists/{list}/versions', {
      summary: 'List the versions of a price list, and its bases',
      input: pick(versionInput, 'list'),
      answer: {
        ...pick(listFields, 'list', 'currency'),
        newest: described(version, { summary: 'the version that takes effect last; 0 for none' }),
        versions: list(record(versionFields, { summary: 'a version' }), { summary: 'in the order of their effect' }),
        bases: list(record(baseFields, { summary: 'a base' }), { summary: 'the bases that it had, in order' }),
      },
      command: {
        arguments: ['list'],
        examples: [['price versions default', 'what changed when, and what is to come']],
      },
    }),
    export: get('/price-lists/{list}/export', {
      summary: 'Print the prices of a list, without those of its base, as price import reads them',
      input: {
        ...whichInput,
        after: optional(described(digits, { summary: 'where the page before ended: its `next`', typed: [] })),
      },
      answer: {
        ...pick(listFields, 'list', 'currency', 'version', 'effectiveAt'),
        prices: text({ summary: '`prefix,price` and a line feed each', example: '41,0.0075\n' }),
        next: orNone(described(digits, { summary: 'give this as `after`, with `version`, for more; null at the end' })),
      },
      command: {
        arguments: ['list'],
        examples: [
          ['price export default > prices.csv', 'what is in effect'],
          ['price export default --version 3 > prices.csv', 'what version 3 had'],
        ],
      },
    }),
    set: post('/price-lists/{list}/prices', {
      summary: 'Set prices of a list as a new version, in which all others stay',
      role: 'owner',
      input: {
        list: newListName,
        currency: newCurrency,
        allowFree,
        prices: list(record({ prefix: digits, price: unitPrice }, { summary: 'a price' }), {
          min: 1,
          max: pricesMax,
          summary: 'the prices',
          example: [{ prefix: '41', price: 0.0075 }],
        }),
      },
      answer: { list: listName, version },
    }),
    withdraw: post('/price-lists/{list}/versions/{version}/withdraw', {
      summary: 'Take back the last version of a price list before it takes effect',
      role: 'owner',
      input: { list: listName, version: described(version, { summary: 'which; price versions lists them' }) },
      answer: { list: listName, version },
      command: {
        arguments: ['list'],
        examples: [['price withdraw default --version 7', 'version 7 never takes effect']],
        says: (row) => `version ${row.version} of price list ${row.list} is withdrawn`,
      },
    }),
    base: post('/price-lists/{list}/base', {
      summary: 'Give a price list a base, which has the prices that the list itself does not have',
      role: 'owner',
      input: { list: listName, base: described(base, { summary: 'a list of the same currency, or none' }) },
      answer: { list: listName, base },
      command: {
        arguments: ['list'],
        examples: [
          ['price base acme --base default', 'a prefix that acme does not have costs what default says'],
          ['price base acme --base none', 'only the prefixes of acme have a price'],
        ],
        says: (row) => `the base of price list ${row.list} is ${row.base ?? 'none'}`,
      },
    }),
    remove: remove('/price-lists/{list}', {
      summary: 'Remove a price list that nothing uses',
      role: 'owner',
      input: pick(versionInput, 'list'),
      answer: { list: listName },
    }),
  },
});
