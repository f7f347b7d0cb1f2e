import { everyNumber, priceMax } from '../../values/price.ts';
import { toMicros } from '../../values/money.ts';
import { ok } from '../../values/result.ts';
import { isName } from '../../values/syntax.ts';
import { described, group, list, optional, orNone, record, rows } from '../../fields/compose.ts';
import {
  amount,
  count,
  currency,
  flag,
  instant,
  name,
  oneOf,
  prefix,
  text,
  textThat,
  wholeNumber,
} from '../../fields/fields.ts';

/* The fields of price lists, and of price files. `price.ts` has the operations. */

export const unitPrice = amount({ min: 0, max: priceMax, summary: 'price of one part', example: 0.0075 });

export const digits = prefix({ summary: 'first digits of receivers, country code first' });
export const pricePrefix = {
  ...described(digits, { special: { '': 'every number', '*': 'every number' } }),
  read: (given: unknown) => (given === everyNumber ? ok('') : digits.read(given)),
};

export const listName = name({ summary: 'name of the price list', example: 'default' });

/** The name of a price list that need not exist yet. */
export const newListName = textThat(
  { summary: 'name of the price list; the list is created if it does not exist' },
  (given) => given !== 'none' && isName(given),
  {
    placeholder: '<name>',
    wants: 'must be 1 to 64 letters, digits, dots, hyphens and underscores, and must not be none',
    example: 'default',
  },
);

export const version = wholeNumber({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  summary: 'number of the version of the price list',
  placeholder: '<number>',
  example: 3,
});
export const listCurrency = currency({ summary: 'currency of the price list' });
export const base = orNone(
  name({ summary: 'base list, which gives the prices that the price list itself does not have' }),
);
export const effectiveAt = instant({ summary: 'when the version takes effect', label: 'Effective' });

export const newCurrency = optional(
  described(listCurrency, { summary: 'currency of the price list; required for a new list' }),
);
export const allowFree = optional(flag({ summary: 'allow prices of 0, which make messages free' }), false);

export const startsAt = optional(
  instant({
    summary: 'when the prices take effect; a day alone means its beginning in UTC',
    defaultText: 'at once',
    option: 'effective',
  }),
);

/** A percentage in millionths of a per cent. The default is 50 per cent. */
export function percent(summary: string, label: string) {
  const half = toMicros(50n * 1_000_000n);
  return optional(amount({ min: 0, summary, label, placeholder: '<percent>', unit: 'per cent' }), half);
}

export const versionInput = {
  list: listName,
  version: optional(described(version, { summary: 'show the prices as they were when this version took effect' })),
};
export const whichInput = {
  ...versionInput,
  at: optional(
    instant({
      summary: 'show the prices in effect at this time; a day alone means its beginning in UTC',
      defaultText: 'now',
    }),
  ),
};

/** The formats of price files: our own, and those of publishers with prices by network. */
export const priceFormats = ['csv', 'mccmnc', 'gatum', 'carrierx'] as const;

/** The most octets of an upload: a million prices have about 20 MB. */
export const uploadMax = 32 * 1024 * 1024;

/** The text of a file. On the command line, the operator gives the name of the file. */
function fileText(summary: string, placeholder: string) {
  return text({ summary, placeholder, isWholeFile: true, example: 'prefix,price\n41,0.0075\n' });
}

export const importInput = {
  ...group('The file', {
    file: fileText('price file to read; - for standard input', '<file>'),
    format: optional(
      oneOf(priceFormats, {
        summary: 'format of the file',
        defaultText: 'recognized by the content',
        placeholder: '<format>',
      }),
    ),
    mapping: optional(fileText('file with prefixes and their MCC-MNC, for price files by network', '<file>')),
  }),
  ...group('The list', {
    list: newListName,
    currency: newCurrency,
    base: optional(name({ summary: 'base of the list, if the list is new' })),
    replace: optional(flag({ summary: 'remove the prices of prefixes that are not in the file' }), false),
    effectiveAt: startsAt,
    from: optional(
      described(version, {
        label: 'Present version',
        summary: 'version that a preview named; if another one is in effect, nothing is changed',
      }),
    ),
  }),
  ...group('Safety', {
    threshold: percent('list price changes of more than this separately', 'Large changes above'),
    maxRemoved: percent('if prices are replaced, refuse to remove more of them than this', 'Remove at most'),
    allowFree: described(allowFree, { summary: 'allow prices of 0' }),
    allowEmpty: optional(flag({ summary: 'allow a file without prices' }), false),
  }),
  dryRun: optional(flag({ label: 'Only preview', summary: 'change nothing, even with --yes' }), false),
};

/**
 * A prefix whose price differs. `before` or `after` is null if the earlier or later version has no price for the
 * prefix.
 */
export const differenceFields = {
  prefix: described(digits, { summary: 'first digits of the receivers' }),
  before: orNone(described(unitPrice, { summary: 'price before' })),
  after: orNone(described(unitPrice, { summary: 'price after' })),
};

/** The most differences in an answer. */
export const differencesMax = 1_000;
const difference = record(differenceFields, { summary: 'a price that differs' });

export const importAnswer = {
  list: listName,
  isNew: flag({ label: 'New list', summary: 'whether the list is new' }),
  format: oneOf(priceFormats, { summary: 'format of the file' }),
  currency: listCurrency,
  from: described(version, { summary: 'version that the file is compared with; 0 for none' }),
  prices: count({ summary: 'number of prices in the file' }),
  new: count({ summary: 'number of prefixes that get a price' }),
  up: count({ summary: 'number of prices that rise' }),
  down: count({ summary: 'number of prices that fall' }),
  removed: count({ summary: 'number of prefixes that lose their price' }),
  unchanged: count({ summary: 'number of prices that stay' }),
  threshold: importInput.threshold,
  over: count({ summary: 'number of prices that change by more than the threshold' }),
  overThreshold: list(difference, { summary: 'first prices (by prefix) that change by more than the threshold' }),
  differences: list(difference, { summary: 'first differences (by prefix)' }),
  leftOut: rows(
    {
      why: text({ summary: 'reason' }),
      rows: count({ summary: 'number of rows' }),
      first: text({ summary: 'place of the first of these rows' }),
    },
    { summary: 'rows of the file that are not used' },
  ),
  heldBack: orNone(text({ summary: 'why the file is refused if it is not previewed only' })),
  applied: orNone(record({ version, effectiveAt }, { summary: 'version that the prices have become' })),
};

export const importNotes = `In the format csv, each line has a prefix and a price. A first line with the heading prefix,price is optional. The prefix *
means every number. Lines that begin with # are skipped. Commas, semicolons or tabs separate the cells. Three formats
have prices by network: mccmnc (MCCMNC, PriceSubmit, Currency, Effective), gatum (MCC, MNC, MWX, RATE) and carrierx
(JSON with mcc, mnc, price). For these formats, the file of --mapping has a prefix and an MCC-MNC on each line, such as
41791,22801.`;
