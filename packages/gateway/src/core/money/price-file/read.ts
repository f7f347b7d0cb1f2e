import { readCsv, type FileProblem } from '@morsel/api/admin/csv-read.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readPrefix } from '@morsel/api/admin/money/price-cells.ts';
import { Gathered, type GatheredPrices, type PriceFormat } from './gathered.ts';
import { pricesOfNetworks } from './network-prices.ts';
import { layoutOf, networkRows } from './network-rows.ts';
import type { NetworkMap } from './network.ts';

/*
 * Reads price files: the format of Morsel with a prefix and a price on each line, and price lists by network of other
 * publishers.
 */

export interface FileWanted {
  readonly text: string;
  /** If undefined, the format is recognized by the content. */
  readonly format?: PriceFormat | undefined;
  /** The prefixes of networks, which price lists by network need. */
  readonly map: NetworkMap | undefined;
  /** The currency of the price list. Rows in another currency are left out. */
  readonly currency: string;
  /** The time for which prices are wanted. Rows that take effect later are left out. */
  readonly at: Instant;
  readonly mayBeFree: boolean;
}

export interface FilePrices extends GatheredPrices {
  readonly format: PriceFormat;
  /** Whether numbers of rows count lines, or the items of a JSON list, which may be one long line. */
  readonly place: 'line' | 'item';
}

export function readPriceFile(wanted: FileWanted): FilePrices {
  const { text, map, mayBeFree } = wanted;
  const format = wanted.format ?? formatOf(text);
  const place = format === 'carrierx' ? 'item' : 'line';
  const gathered = new Gathered({ mayBeFree, place });
  if (format === 'csv') gatherOwn(gathered, text);
  else if (map) {
    const { rows, problems } = networkRows(text, format);
    for (const problem of problems) gathered.problems.push(problem);
    pricesOfNetworks(gathered, rows, { ...wanted, map });
  } else gathered.problems.push(noMapping);
  return { format, place, ...gathered.end() };
}

const noMapping: FileProblem = {
  line: 1,
  detail: 'the file has prices by network: add --mapping with a file of prefixes and MCC-MNC',
};

function formatOf(text: string): PriceFormat {
  if (/^\ufeff?\s*[[{]/.test(text)) return 'carrierx';
  return layoutOf(text) ?? 'csv';
}

function gatherOwn(gathered: Gathered, text: string): void {
  const { lines, problems, separator } = readCsv(text);
  for (const problem of problems) gathered.problems.push(problem);
  for (const [index, { line, cells }] of lines.entries()) {
    const [prefixCell = '', priceCell = ''] = cells;
    if (index === 0 && /^prefix$/i.test(prefixCell) && /^price$/i.test(priceCell)) continue;
    if (cells.length !== 2) {
      const hint = separator === ',' && cells.length === 3 ? '; with decimal commas, separate the cells by ;' : '';
      const detail = `the row has ${cells.length} cells, but must have 2: a prefix and a price${hint}`;
      gathered.problems.push({ line, detail });
      continue;
    }
    const prefix = readPrefix(prefixCell);
    if (!prefix.ok) gathered.problems.push({ line, detail: prefix.error });
    const unitPrice = gathered.price(priceCell, line);
    if (prefix.ok && unitPrice !== undefined) gathered.add(prefix.value, unitPrice, line);
  }
}
