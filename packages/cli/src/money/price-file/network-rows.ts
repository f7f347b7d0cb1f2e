import { noTime, readIsoTime, type NoTime } from '@morsel/api/values/iso-time.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readCsv, type Line, type Problem } from '../../files/csv-read.ts';
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

export interface NetworkRows {
  readonly rows: readonly NetworkRow[];
  readonly problems: readonly Problem[];
}

type Layout = 'mccmnc' | 'gatum';

/** The columns by which a layout is recognized. A file may have further columns. */
const columns: { readonly [L in Layout]: readonly string[] } = {
  mccmnc: ['mccmnc', 'pricesubmit'],
  gatum: ['mcc', 'mnc', 'rate'],
};

/** Undefined for a file without a known heading. */
export function isNetworkTable(text: string): Layout | undefined {
  // Only the beginning is parsed, because the heading is there.
  const heading = headingOf(readCsv(text.slice(0, headingMax)).lines[0]);
  if (columns.mccmnc.every((each) => heading.has(each))) return 'mccmnc';
  return columns.gatum.every((each) => heading.has(each)) ? 'gatum' : undefined;
}

const headingMax = 10_000;

function headingOf(line: Line | undefined): ReadonlyMap<string, number> {
  return new Map((line?.cells ?? []).map((cell, index) => [cell.toLowerCase(), index]));
}

/** Headings are MCCMNC, PriceSubmit, Currency, Effective; or MCC, MNC, MWX, RATE. */
export function networkRowsOfTable(text: string, layout: Layout): NetworkRows {
  const { lines, problems } = readCsv(text);
  const [first, ...rest] = lines;
  const heading = headingOf(first);
  const missing = columns[layout].filter((each) => !heading.has(each));
  if (missing.length > 0) {
    const detail = `the heading has no column ${missing.join(', ')}`;
    return { rows: [], problems: [...problems, { line: first?.line ?? 1, detail }] };
  }
  const rows: NetworkRow[] = [];
  const found = [...problems];
  for (const { line, cells } of rest) {
    const cell = (name: string) => cells[heading.get(name) ?? -1] ?? '';
    if (cells.length !== heading.size) {
      found.push({ line, detail: `the row has ${cells.length} cells, but the heading has ${heading.size}` });
      continue;
    }
    const network = layout === 'mccmnc' ? readNetwork(cell('mccmnc')) : gatumNetwork(cell);
    const effectiveAt = heading.has('effective') ? readEffective(cell('effective')) : ok(null);
    if (!network.ok) found.push({ line, detail: network.error });
    else if (!effectiveAt.ok) found.push({ line, detail: effectiveAt.error });
    else {
      const price = cell(layout === 'mccmnc' ? 'pricesubmit' : 'rate');
      const currency = heading.has('currency') ? cell('currency') : null;
      rows.push({ line, network: network.value, price, currency, effectiveAt: effectiveAt.value });
    }
  }
  return { rows, problems: found };
}

/** A column MWX, if present, must have the MCC followed by the MNC. */
function gatumNetwork(cell: (name: string) => string): Result<Network, string> {
  const network = joinNetwork(cell('mcc'), cell('mnc'), false);
  const together = cell('mwx');
  if (network.ok && together !== '' && together !== `${cell('mcc')}${cell('mnc')}`) {
    return refused(`MWX ${together} must be the MCC followed by the MNC`);
  }
  return network;
}

/** A time with a time zone. Digits after the milliseconds are ignored. */
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

/** With its exact digits. It has no leading zeros, so a network code may have lost some. */
class JsonNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** The line where an item begins, and its name in problems. */
export interface Item {
  readonly line: number;
  readonly name: string;
}

/**
 * `mcc`, `mnc` and `price`, alone or under `items`. The `line` of a row or problem is the item's number, because the
 * whole list may be one line.
 */
export function networkRowsOfJson(text: string): (NetworkRows & { readonly items: readonly Item[] }) | undefined {
  const found = itemsOf(text.replace(/^\ufeff/, ''));
  if (!found) return undefined;
  const lines = linesOfItems(text);
  const items: Item[] = [];
  const rows: NetworkRow[] = [];
  const problems: Problem[] = [];
  for (const [index, item] of found.entries()) {
    const line = index + 1;
    const fields = new Map<string, unknown>(typeof item === 'object' && item !== null ? Object.entries(item) : []);
    const mnc = fields.get('mnc');
    const price = digitsOf(fields.get('price'));
    const codes = { mcc: digitsOf(fields.get('mcc')) ?? '', mnc: digitsOf(mnc) ?? '' };
    items.push({
      line: lines[index] ?? 1,
      name: `item ${line} (mcc ${codes.mcc || 'missing'}, mnc ${codes.mnc || 'missing'})`,
    });
    const network = joinNetwork(codes.mcc, codes.mnc, mnc instanceof JsonNumber);
    if (!network.ok) problems.push({ line, detail: network.error });
    else if (price === undefined) problems.push({ line, detail: 'the item has no price' });
    else {
      const currency = fields.get('currency');
      const known = typeof currency === 'string' ? currency : null;
      rows.push({ line, network: network.value, price, currency: known, effectiveAt: null });
    }
  }
  return { rows, problems, items };
}

function itemsOf(text: string): readonly unknown[] | undefined {
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

function digitsOf(value: unknown): string | undefined {
  if (value instanceof JsonNumber) return value.digits;
  return typeof value === 'string' ? value : undefined;
}

/** JSON.parse does not report lines. */
function linesOfItems(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let isText = false;
  let listDepth = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\n') line += 1;
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (character === '[' && listDepth === 0) listDepth = depth;
      if (character === '{' && listDepth > 0 && depth === listDepth + 1) lines.push(line);
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return lines;
}
