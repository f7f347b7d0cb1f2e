import { readCsv, type FileProblem } from '@morsel/api/admin/csv-read.ts';
import { noTime, readIsoTime, type NoTime } from '@morsel/api/values/iso-time.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { joinNetwork, readNetwork, type Network } from './network.ts';

/* Reads the rows of price lists by network, in the layouts of well-known publishers. */

export interface NetworkRow {
  readonly line: number;
  readonly network: Network;
  readonly price: string;
  /** Null if the file does not name a currency. */
  readonly currency: string | null;
  readonly effectiveAt: Instant | null;
}

export type Layout = 'mccmnc' | 'gatum' | 'carrierx';

/**
 * The required columns of each layout, or the required members of its JSON items. A table is recognized by these
 * columns. The columns `currency`, `effective` and `mwx` of a table are optional.
 */
const layouts: { readonly [L in Layout]: { readonly network: readonly string[]; readonly price: string } } = {
  mccmnc: { network: ['mccmnc'], price: 'pricesubmit' },
  gatum: { network: ['mcc', 'mnc'], price: 'rate' },
  carrierx: { network: ['mcc', 'mnc'], price: 'price' },
};

/** A row of a file: its cells by the names of their columns. */
interface FileRow {
  /** The number of the row's line, or of its item in a JSON list. */
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  /** Whether the network code was a JSON number, which has no leading zeros. */
  readonly isNumber: boolean;
}

interface FileRows {
  readonly rows: readonly FileRow[];
  readonly problems: readonly FileProblem[];
}

/** The layout of a table, recognized by its heading. Undefined for a file without a known heading. */
export function layoutOf(text: string): 'mccmnc' | 'gatum' | undefined {
  // Only the beginning is parsed, because the heading is there.
  const heading = headingOf(readCsv(text.slice(0, headingMax)).lines[0]?.cells);
  return (['mccmnc', 'gatum'] as const).find((layout) => missingIn(heading, layout).length === 0);
}

const headingMax = 10_000;

function headingOf(cells: readonly string[] = []): readonly string[] {
  return cells.map((cell) => cell.toLowerCase());
}

function missingIn(heading: readonly string[], layout: Layout): readonly string[] {
  const { network, price } = layouts[layout];
  return [...network, price].filter((each) => !heading.includes(each));
}

/** Reads the rows of a table, or the items of a JSON list. */
export function networkRows(
  text: string,
  layout: Layout,
): { readonly rows: readonly NetworkRow[]; readonly problems: readonly FileProblem[] } {
  const file = layout === 'carrierx' ? itemsIn(text) : tableIn(text, layout);
  const problems = [...file.problems];
  const rows: NetworkRow[] = [];
  for (const { line, cells, isNumber } of file.rows) {
    const network = networkIn(cells, isNumber);
    const effectiveAt = readEffective(cells.get('effective') ?? '');
    if (!network.ok) problems.push({ line, detail: network.error });
    else if (!effectiveAt.ok) problems.push({ line, detail: effectiveAt.error });
    else {
      const price = cells.get(layouts[layout].price) ?? '';
      const currency = cells.get('currency') ?? null;
      rows.push({ line, network: network.value, price, currency, effectiveAt: effectiveAt.value });
    }
  }
  return { rows, problems };
}

function tableIn(text: string, layout: Layout): FileRows {
  const { lines, problems } = readCsv(text);
  const [first, ...rest] = lines;
  const heading = headingOf(first?.cells);
  const missing = missingIn(heading, layout);
  if (missing.length > 0) {
    const detail = `the heading has no column ${missing.join(', ')}`;
    return { rows: [], problems: [...problems, { line: first?.line ?? 1, detail }] };
  }
  const width = heading.length;
  const wrong = rest.flatMap(({ line, cells: { length } }) =>
    length === width ? [] : [{ line, detail: `the row has ${length} cells, but the heading has ${width}` }],
  );
  const rows = rest
    .filter(({ cells }) => cells.length === width)
    .map(({ line, cells }) => ({
      line,
      cells: new Map(heading.map((name, at) => [name, cells[at] ?? ''])),
      isNumber: false,
    }));
  return { rows, problems: [...problems, ...wrong] };
}

/** Reads the network from one column, or from MCC and MNC. A column MWX must have the MCC followed by the MNC. */
function networkIn(cells: FileRow['cells'], isNumber: boolean): Result<Network, string> {
  const whole = cells.get('mccmnc');
  if (whole !== undefined) return readNetwork(whole);
  const [mcc, mnc, together] = ['mcc', 'mnc', 'mwx'].map((name) => cells.get(name) ?? '');
  const network = joinNetwork(mcc ?? '', mnc ?? '', isNumber);
  if (network.ok && together && together !== `${mcc}${mnc}`) {
    return refused(`MWX ${together} must be the MCC followed by the MNC`);
  }
  return network;
}

/** Reads a time, which must have a time zone. Digits after the milliseconds are ignored. */
function readEffective(cell: string): Result<Instant | null, string> {
  if (cell === '') return ok(null);
  const text = cell
    .replace(/^([\d-]+) /, '$1T')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
    .replace(/(\.\d{3})\d+/, '$1');
  const read = text.includes('T') ? readIsoTime(text) : refused<NoTime>('form');
  const form = 'the time must have a date, a time and a zone, such as 2026-01-31T00:00:00+00:00';
  return read.ok ? read : refused(read.error === 'form' ? form : `the time: ${noTime(read.error, form)}`);
}

/** A JSON number with its exact digits. */
class JsonNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** Reads a JSON list of `mcc`, `mnc` and `price`, alone or under `items`. */
function itemsIn(text: string): FileRows {
  const list = listIn(text.replace(/^\ufeff/, ''));
  if (!list) {
    return {
      rows: [],
      problems: [{ line: 1, detail: 'the file is not a JSON list of items with mcc, mnc and price' }],
    };
  }
  const rows = list.map((item, index) => {
    const members = new Map<string, unknown>(typeof item === 'object' && item !== null ? Object.entries(item) : []);
    const cells = new Map<string, string>();
    for (const name of ['mcc', 'mnc', 'price', 'currency']) {
      const value = members.get(name);
      if (value instanceof JsonNumber) cells.set(name, value.digits);
      else if (typeof value === 'string') cells.set(name, value);
    }
    return { line: index + 1, cells, isNumber: members.get('mnc') instanceof JsonNumber };
  });
  return { rows, problems: [] };
}

function listIn(text: string): readonly unknown[] | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text, (_member: string, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' ? new JsonNumber(context?.source ?? '') : value,
    );
  } catch {
    return undefined;
  }
  const list: unknown = typeof content === 'object' && content !== null && 'items' in content ? content.items : content;
  return Array.isArray(list) ? list : undefined;
}
