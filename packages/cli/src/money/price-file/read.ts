import type { Instant } from '@morsel/api/values/time.ts';
import { readPrefix } from '@morsel/api/admin/money/price-cells.ts';
import { readCsv, type Line } from '../../files/csv-read.ts';
import { Gathered, type GatheredPrices, type PriceFormat } from './gathered.ts';
import { isNetworkTable, networkRowsOfJson, networkRowsOfTable, type NetworkRows } from './network-rows.ts';
import { noMapping, pricesOfNetworks } from './network-prices.ts';
import type { NetworkMap } from './network.ts';

/* Reads price files: the format of Morsel with a prefix and a price on each line, and price lists by network. */

export interface FileWanted {
  readonly text: string;
  /** If undefined, the content tells the format. */
  readonly format?: PriceFormat | undefined;
  /** Prefixes of networks, for price lists by network. */
  readonly map: NetworkMap | undefined;
  /** Rows in another currency are left out. */
  readonly currency: string;
  /** Rows that take effect later are left out. */
  readonly at: Instant;
  readonly mayBeFree: boolean;
}

export interface FilePrices extends GatheredPrices {
  readonly format: PriceFormat;
}

export function readPriceFile(wanted: FileWanted): FilePrices {
  const format = wanted.format ?? formatOf(wanted.text);
  if (format === 'carrierx') return { format, ...readItems(wanted) };
  const gathered = new Gathered({ mayBeFree: wanted.mayBeFree, place: 'line' });
  if (format === 'csv') gatherOwn(gathered, wanted.text);
  else gatherNetworks(gathered, networkRowsOfTable(wanted.text, format), wanted);
  return { format, ...gathered.end() };
}

function gatherNetworks(gathered: Gathered, { rows, problems }: NetworkRows, wanted: FileWanted): void {
  for (const problem of problems) gathered.problems.push(problem);
  pricesOfNetworks(gathered, rows, wanted);
}

/** Problems name the item and the network. */
function readItems(wanted: FileWanted): GatheredPrices {
  const read = networkRowsOfJson(wanted.text);
  const gathered = new Gathered({ mayBeFree: wanted.mayBeFree, place: 'item' });
  if (!read)
    gathered.problems.push({ line: 1, detail: 'the file is not a JSON list of items with mcc, mnc and price' });
  else if (!wanted.map) gathered.problems.push(noMapping);
  else gatherNetworks(gathered, read, wanted);
  const { prices, leftOut, problems } = gathered.end();
  if (!read || !wanted.map) return { prices, leftOut, problems };
  const lineOf = (item: number) => read.items[item - 1]?.line ?? 1;
  return {
    prices,
    leftOut: leftOut.map((each) => ({ ...each, firstLine: lineOf(each.firstLine), firstItem: each.firstLine })),
    problems: problems.map(({ line, detail }) => ({
      line: lineOf(line),
      detail: `${read.items[line - 1]?.name ?? 'the list'}: ${detail}`,
    })),
  };
}

function formatOf(text: string): PriceFormat {
  if (/^\ufeff?\s*[[{]/.test(text)) return 'carrierx';
  return isNetworkTable(text) ?? 'csv';
}

function gatherOwn(gathered: Gathered, text: string): void {
  const { lines, problems, separator } = readCsv(text);
  for (const problem of problems) gathered.problems.push(problem);
  for (const [index, each] of lines.entries()) {
    if (index === 0 && isHeading(each)) continue;
    const { line, cells } = each;
    if (cells.length !== 2) {
      const hint = separator === ',' && cells.length === 3 ? '; with decimal commas, separate the cells by ;' : '';
      gathered.problems.push({
        line,
        detail: `the row has ${cells.length} cells, but must have 2: a prefix and a price${hint}`,
      });
      continue;
    }
    const prefix = readPrefix(cells[0] ?? '');
    if (!prefix.ok) gathered.problems.push({ line, detail: prefix.error });
    const unitPrice = gathered.price(cells[1] ?? '', line);
    if (prefix.ok && unitPrice !== undefined) gathered.add(prefix.value, unitPrice, line);
  }
}

function isHeading({ cells }: Line): boolean {
  return /^prefix$/i.test(cells[0] ?? '') && /^price$/i.test(cells[1] ?? '');
}
