import { priceLinesMax, readPriceLines, writePriceLines, type PriceChange } from '../../values/price.ts';
import { refused } from '../../values/result.ts';
import { optional, pick } from '../compose.ts';
import { count, fieldOf, flag, instant, name, text, typed, wholeNumber } from '../fields.ts';
import { post, remove, resource } from '../resource.ts';
import { allowFree, newCurrency, newListName } from './price.ts';

/* Imports of prices. A caller begins an import, stores its prices in several requests, and publishes or drops it. */

const prices = fieldOf<readonly PriceChange[]>(
  { summary: 'prices of the import, sorted by prefix over all requests', example: '41,0.0075\n42,\n' },
  {
    placeholder: '<lines>',
    schema: {
      type: 'string',
      description:
        'Each line is `prefix,price` and a line feed; a line without a price removes the price of the prefix.',
    },
    read: typed((given) => {
      const read = readPriceLines(given);
      const isGood = !read.ok || (read.value.length > 0 && read.value.length <= priceLinesMax);
      return isGood ? read : refused(`must have from 1 to ${priceLinesMax} prices`);
    }),
    json: writePriceLines,
    fromJson: (json) => {
      const read = readPriceLines(String(json));
      return read.ok ? read.value : [];
    },
  },
);

const version = wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, summary: 'number of the version', example: 3 });

export const effectiveAt = optional(
  instant({
    summary: 'when the prices take effect; a day alone means its beginning in UTC',
    defaultText: 'at once',
    option: 'effective',
  }),
);

const fields = { list: newListName, import: text({ summary: 'id of the import' }), effectiveAt };
const one = pick(fields, 'list', 'import');

export const priceImport = resource('priceImport', {
  summary: 'Imports of prices, which change many prices in one version of a price list',
  operations: {
    begin: post('/price-lists/{list}/imports', {
      summary: 'Begin an import; other changes of the price list are refused until the import ends',
      role: 'finance',
      input: {
        list: fields.list,
        currency: newCurrency,
        base: optional(name({ summary: 'base list of a new price list' })),
        from: {
          ...version,
          about: {
            ...version.about,
            summary: 'newest version of the price list, on which the import is based; 0 for a new list',
          },
        },
        effectiveAt,
        allowFree,
        replace: optional(flag({ summary: 'the new version has only the prices of the import' }), false),
      },
      answer: { import: fields.import, version },
    }),
    stage: post('/price-lists/{list}/imports/{import}/prices', {
      summary: 'Store prices of an import; they take effect only after it is published',
      role: 'finance',
      input: { ...one, prices },
      answer: { changes: count({ summary: 'number of prices in the import so far' }) },
    }),
    publish: post('/price-lists/{list}/imports/{import}/publish', {
      summary: 'Publish all prices of an import as one new version of the price list',
      role: 'finance',
      input: fields,
      answer: { list: fields.list, version, effectiveAt: instant({ summary: 'when the version takes effect' }) },
    }),
    drop: remove('/price-lists/{list}/imports/{import}', {
      summary: 'Drop an import; none of its prices takes effect',
      role: 'finance',
      input: one,
      answer: pick(fields, 'list'),
    }),
  },
});
