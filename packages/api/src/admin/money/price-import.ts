import { priceLinesMax, readPriceLines, writePriceLines } from '../../values/price.ts';
import type { PriceChange } from '../../values/price.ts';
import { refused } from '../../values/result.ts';
import { optional, pick } from '../compose.ts';
import { count, fieldOf, flag, instant, name, text, typed, wholeNumber } from '../fields.ts';
import { post, remove, resource } from '../resource.ts';
import { allowFree, newCurrency, newListName } from './price.ts';

/* Imports of prices: begun, given some thousand prices at a time, and then published as one version, or dropped. */

const prices = fieldOf<readonly PriceChange[]>(
  { summary: 'the prices, in the order of their prefixes over all requests', example: '41,0.0075\n42,\n' },
  {
    placeholder: '<lines>',
    schema: { type: 'string', description: '`prefix,price` and a line feed each, without a price to remove it.' },
    read: typed((given) => {
      const read = readPriceLines(given);
      const isGood = !read.ok || (read.value.length > 0 && read.value.length <= priceLinesMax);
      return isGood ? read : refused(`must have 1 to ${priceLinesMax} prices`);
    }),
    json: writePriceLines,
    fromJson: (json) => {
      const read = readPriceLines(String(json));
      return read.ok ? read.value : [];
    },
  },
);

const version = wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, summary: 'number of the version', example: 3 });

/** When a change takes effect. */
export const effectiveAt = optional(
  instant({
    summary: 'when it takes effect; a day is its beginning in UTC',
    defaultText: 'at once',
    option: 'effective',
  }),
);

const fields = { list: newListName, import: text({ summary: 'id of the import' }), effectiveAt };
const one = pick(fields, 'list', 'import');

export const priceImport = resource('priceImport', {
  summary: 'Imports of prices, which publish many prices as one version',
  operations: {
    begin: post('/price-lists/{list}/imports', {
      summary: 'Begin an import; until it ends, nothing else changes the prices of the list',
      role: 'owner',
      input: {
        list: fields.list,
        currency: newCurrency,
        base: optional(name({ summary: 'base of a new list' })),
        from: { ...version, about: { ...version.about, summary: 'the version that it changes; 0 for none' } },
        effectiveAt,
        allowFree,
        replace: optional(flag({ summary: 'the list has these prices alone, whatever changes before then' }), false),
      },
      answer: { import: fields.import, version },
    }),
    stage: post('/price-lists/{list}/imports/{import}/prices', {
      summary: 'Store some prices of an import; they are not in effect yet',
      role: 'owner',
      input: { ...one, prices },
      answer: { changes: count({ summary: 'prices of the import so far' }) },
    }),
    publish: post('/price-lists/{list}/imports/{import}/publish', {
      summary: 'Publish all prices of an import as one version',
      role: 'owner',
      input: fields,
      answer: { list: fields.list, version, effectiveAt: instant({ summary: 'when it takes effect' }) },
    }),
    drop: remove('/price-lists/{list}/imports/{import}', {
      summary: 'Give an import up: none of its prices takes effect',
      role: 'owner',
      input: one,
      answer: pick(fields, 'list'),
    }),
  },
});
