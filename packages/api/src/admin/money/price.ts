import { pricesMax } from '../../values/price.ts';
import { described, list, optional, orNone, pick, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { count, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { get, page, post, remove, resource } from '../resource.ts';
import {
  allowFree,
  base,
  digits,
  effectiveAt,
  importAnswer,
  importInput,
  importNotes,
  listCurrency,
  listName,
  newCurrency,
  newListName,
  pricePrefix,
  startsAt,
  unitPrice,
  uploadMax,
  version,
  versionInput,
  whichInput,
} from './price-fields.ts';

/* Price lists, with their versions and prices. */

const listFields = {
  list: listName,
  currency: listCurrency,
  base,
  version: orNone(described(version, { summary: 'version in effect; null before the first version takes effect' })),
  effectiveAt: orNone(described(effectiveAt, { summary: 'since when the version has been in effect', label: 'Since' })),
  prices: count({ summary: 'number of prices in the list itself, without its base list' }),
  pending: rows({ version, effectiveAt }, { summary: 'versions that will take effect later' }),
  accounts: list(name({ summary: 'an account' }), { summary: 'first accounts (by name) that use the price list' }),
  accountsCount: count({ summary: 'number of accounts that use the price list' }),
  lists: list(listName, { summary: 'price lists whose base is this list' }),
  carriers: list(name({ summary: 'a carrier' }), { summary: 'carriers whose costs are in this list' }),
};

const priceFields = {
  prefix: described(digits, { summary: 'first digits of the receivers that the price is for' }),
  price: unitPrice,
  currency: listCurrency,
  list: described(listName, {
    summary: 'price list that the price comes from: the requested list or its base',
    label: 'Of list',
  }),
  version: described(version, { summary: 'version of that list in which the price was set' }),
};

export const versionFields = {
  version,
  state: oneOf(['past', 'active', 'pending'], {
    summary: 'whether the version is past, in effect (active) or pending',
  }),
  effectiveAt,
  createdAt: instant({ summary: 'when the version was created' }),
  changes: count({ summary: 'number of prices that the version changes' }),
};

export const baseFields = { base, since: instant({ summary: 'since when the list has had this base' }) };

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
  changes: ['carrier', 'account', 'route'],
  summary: 'Price lists, which set the price of one part by the receiver’s prefix',
  operations: {
    list: page('/price-lists', {
      summary: 'List the price lists, their versions in effect, and their users',
      role: 'finance',
      input: {},
      after: listName,
      answer: listFields,
      columns: [
        ...(['list', 'currency', 'base', 'version', 'effectiveAt', 'prices'] as const),
        { title: 'TO COME', of: pendingText },
        { title: 'USED BY', of: usersText },
      ],
      command: {
        examples: { 'price list': 'show all price lists' },
        whenEmpty: 'there are no price lists yet; set a price with price set, or import a file with price import',
      },
    }),
    show: page('/price-lists/{list}/prices', {
      summary: 'Show the prices of a price list, including the prices from its base list',
      label: 'Prices',
      role: 'finance',
      input: {
        ...whichInput,
        prefix: optional(
          described(pricePrefix, {
            summary:
              'only prices for numbers with these first digits; the price of the longest shorter prefix comes first',
          }),
        ),
      },
      limit: 100,
      // The time of the first page, so that all pages show the same versions, and the last prefix of the previous page.
      after: place(/^\d{1,16}\/\d{0,15}$/),
      answer: priceFields,
      columns: ['prefix', 'price', 'currency', 'list', 'version'],
      command: {
        arguments: ['list'],
        examples: {
          'price show default': 'show the prices in effect, first page',
          'price show default --prefix 4179': 'show the prices for numbers that begin with 4179',
          'price show default --at 2026-07-01T00:00:00Z': 'show the prices in effect at this time',
          'price show default --csv > prices.csv': 'write all prices to a file, including those of the base list',
        },
        whenEmpty: 'there are no matching prices',
      },
    }),
    versions: get('/price-lists/{list}/versions', {
      summary: 'List the versions and the bases of a price list',
      role: 'finance',
      input: pick(versionInput, 'list'),
      answer: {
        ...pick(listFields, 'list', 'currency'),
        newest: described(version, { summary: 'version that takes effect last; 0 if there is no version' }),
        versions: rows(versionFields, {
          summary: 'versions in the order in which they take effect',
          whenEmpty: 'the price list has no version yet',
        }),
        bases: rows(baseFields, { summary: 'present and earlier bases of the list, oldest first' }),
      },
      command: {
        arguments: ['list'],
        examples: { 'price versions default': 'show past and future changes of the prices' },
      },
    }),
    export: get('/price-lists/{list}/export', {
      summary: 'Print the own prices of a price list in the format of price import',
      role: 'finance',
      input: {
        ...whichInput,
        after: optional(described(digits, { summary: '`next` of the previous page', typed: [] })),
      },
      answer: {
        ...pick(listFields, 'list', 'currency', 'version', 'effectiveAt'),
        prices: text({ summary: 'prices: each line is `prefix,price` and a line feed', example: '41,0.0075\n' }),
        next: orNone(
          described(digits, {
            summary: 'value of `after` in the next request, with the same `version`; null on the last page',
          }),
        ),
      },
      command: {
        arguments: ['list'],
        examples: {
          'price export default > prices.csv': 'write the prices in effect to a file',
          'price export default --version 3 > prices.csv': 'write the prices of version 3 to a file',
        },
      },
    }),
    import: post('/price-lists/{list}/import', {
      repeat: 'key',
      summary: 'Read prices from a file, show the changes, and make them as one version of a price list',
      label: 'Import prices',
      role: 'finance',
      bodyMax: uploadMax,
      input: importInput,
      answer: importAnswer,
      command: {
        arguments: ['file'],
        examples: {
          'price import prices.csv --list default': 'shows what the file would change',
          'price import prices.csv --list default --replace --yes': 'replaces the whole list by the file',
          'price import deck.csv --list eur --mapping networks.csv --effective 2030-07-01T00:00:00Z --yes':
            'imports a price file by network',
        },
        notes: importNotes,
      },
    }),
    set: post('/price-lists/{list}/prices', {
      repeat: 'key',
      summary: 'Set or remove prices in a new version of a price list; its other prices stay',
      role: 'finance',
      input: {
        list: newListName,
        currency: newCurrency,
        allowFree,
        effectiveAt: startsAt,
        from: optional(
          described(version, { summary: 'version that the change was made for; another one in effect refuses it' }),
        ),
        prices: rows(
          { prefix: digits, price: orNone(unitPrice) },
          { min: 1, max: pricesMax, summary: 'prices to set', example: [{ prefix: '41', price: 0.0075 }] },
        ),
      },
      answer: { list: listName, version, effectiveAt },
    }),
    withdraw: post('/price-lists/{list}/versions/{version}/withdraw', {
      repeat: 'same',
      summary: 'Withdraw the last version of a price list; if it is in effect, the version before is published again',
      warning: 'The version will not take effect. If it is in effect, the version before is published again.',
      role: 'finance',
      input: {
        list: listName,
        version: described(version, { summary: 'number of the version, as price versions shows it' }),
      },
      answer: {
        list: listName,
        version,
        published: orNone(
          described(version, { summary: 'new version with the prices of the version before, if one is needed' }),
        ),
      },
      command: {
        arguments: ['list'],
        examples: {
          'price withdraw default --version 7':
            'withdraw version 7, which is the last one, whether it is in effect or not',
        },
        says: ({ list: of, version: gone, published }) =>
          `version ${gone} of price list ${of} is withdrawn${published === null ? '' : `: version ${published} has the prices of the version before it`}`,
      },
    }),
    base: post('/price-lists/{list}/base', {
      repeat: 'same',
      summary: 'Set the base of a price list, which gives the prices that the list itself does not have',
      label: 'Set the base',
      role: 'finance',
      input: {
        list: listName,
        base: described(base, { summary: 'base list, which must have the same currency, or none' }),
      },
      answer: { list: listName, base },
      command: {
        arguments: ['list'],
        examples: {
          'price base acme --base default': 'use the prices of default where acme has no price',
          'price base acme --base none': 'use only the prices of acme itself',
        },
        says: (row) => `price list ${row.list} has ${row.base === null ? 'no base' : `the base ${row.base}`}`,
      },
    }),
    remove: remove('/price-lists/{list}', {
      summary: 'Remove a price list that no account, list or carrier uses',
      warning: 'The list must not be used by any account, list or carrier.',
      role: 'finance',
      input: pick(versionInput, 'list'),
      answer: { list: listName },
    }),
  },
});
