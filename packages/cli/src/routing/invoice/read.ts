import { isCurrency, parseMicros, toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { carrierIdKeys } from '@morsel/gateway/core/message/carrier-id.ts';
import { readCsv, type FileProblem } from '@morsel/api/admin/csv-read.ts';

/* Reads the invoice of a carrier: a CSV file with one line for each message or for each part. */

export interface Billed {
  /** The number of the first line in the file for this id. */
  readonly line: number;
  readonly id: string;
  parts: number;
  /** The amount of the line; null if the file has no prices. */
  amount: Micros | null;
  readonly currency: string | null;
}

export interface Invoice {
  readonly billed: readonly Billed[];
  readonly problems: readonly FileProblem[];
}

const columnNames = ['id', 'parts', 'unitPrice', 'amount', 'currency'] as const;
type ColumnName = (typeof columnNames)[number];

/** The usual names of the columns, in lower case without blanks, hyphens and underscores. */
const usualNames: { readonly [C in ColumnName]: readonly string[] } = {
  id: ['messageid', 'msgid', 'id', 'smscid', 'smscmessageid', 'smsid', 'messagereference'],
  parts: ['parts', 'segments', 'numparts', 'messageparts', 'quantity', 'count', 'sms'],
  unitPrice: ['unitprice', 'rate', 'pricepersms', 'priceperpart', 'unitcost'],
  amount: ['amount', 'price', 'cost', 'total', 'totalprice', 'totalcost', 'charge'],
  currency: ['currency', 'curr'],
};

/** The headings that the operator names, instead of the usual ones. */
export type Headings = { readonly [C in ColumnName]?: string | undefined };

/** Lines with the same id and currency are added up: some carriers write a line for each part under one id. */
export function readInvoice(text: string, headings: Headings): Invoice {
  const { lines, problems, separator } = readCsv(text);
  const [heading, ...rows] = lines;
  if (problems.length > 0 || !heading) return { billed: [], problems };
  const columns = columnsIn(heading.cells, headings);
  if (columns.problem !== undefined) return { billed: [], problems: [{ line: heading.line, detail: columns.problem }] };
  const billed = new Map<string, Billed>();
  const wrong: FileProblem[] = [];
  for (const { line, cells } of rows) {
    const read = readLine({ line, cells, hasCommas: separator === ';' }, columns.at);
    if (typeof read === 'string') wrong.push({ line, detail: read });
    else {
      const key = `${carrierIdKeys(read.id).join(' ')} ${read.currency}`;
      const earlier = billed.get(key);
      if (earlier === undefined) billed.set(key, read);
      else {
        earlier.parts += read.parts;
        if (earlier.amount !== null) earlier.amount = toMicros(earlier.amount + (read.amount ?? zeroMicros));
      }
    }
  }
  return { billed: [...billed.values()], problems: wrong };
}

type Places = { readonly [C in ColumnName]: number };

function columnsIn(cells: readonly string[], named: Headings): { readonly at: Places; readonly problem?: string } {
  const found = cells.map(folded);
  const at = { id: -1, parts: -1, unitPrice: -1, amount: -1, currency: -1 };
  for (const column of columnNames) {
    const wanted = named[column];
    at[column] = found.findIndex((each) =>
      wanted === undefined ? usualNames[column].includes(each) : each === folded(wanted),
    );
    if (wanted !== undefined && at[column] < 0) return { at, problem: `the file has no column ${wanted}` };
  }
  if (at.id >= 0) return { at };
  return {
    at,
    problem: `no column has the message ids of the carrier: name it with --id-column (columns: ${cells.join(', ')})`,
  };
}

function folded(heading: string): string {
  return heading.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

interface InvoiceLine {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether amounts have decimal commas, because semicolons separate the cells. */
  readonly hasCommas: boolean;
}

function readLine({ line, cells, hasCommas }: InvoiceLine, at: Places): Billed | string {
  const cell = (column: ColumnName) => cells[at[column]]?.trim() ?? '';
  const id = cell('id');
  if (id === '') return 'the line has no message id';
  const count = cell('parts') === '' ? 1 : Number(cell('parts'));
  if (!Number.isInteger(count) || count < 1 || count > 255)
    return 'the number of parts must be a whole number from 1 to 255';
  const currency = cell('currency') === '' ? null : cell('currency').toUpperCase();
  if (currency !== null && !isCurrency(currency)) return 'the currency must be a code of three letters, such as EUR';
  const isUnit = at.amount < 0 && at.unitPrice >= 0;
  const price = cell(isUnit ? 'unitPrice' : 'amount');
  if (at.amount < 0 && at.unitPrice < 0) return { line, id, parts: count, amount: null, currency };
  const read = parseMicros(hasCommas ? price.replace(',', '.') : price);
  if (!read.ok) return read.error;
  return { line, id, parts: count, amount: isUnit ? toMicros(read.value * BigInt(count)) : read.value, currency };
}
