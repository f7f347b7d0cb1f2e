import { styleText } from 'node:util';
import { toneOf } from '@morsel/api/fields/shown.ts';

/* The layout of answers in aligned columns. Control characters are spelt out, so that a terminal does not obey them. */

export type Row = { readonly [member: string]: unknown };

export interface Column {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** Whether the cells are numbers, which are aligned at the right. */
  readonly isNumber?: boolean;
  /** The usual cell. The column is left out if every row has this cell. */
  readonly usual?: string | undefined;
  /** Whether the cells are states, which are printed in colours. */
  readonly isState?: boolean;
  readonly isAmount?: boolean | undefined;
}

interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly whenEmpty: string;
}

const gap = '  ';

export function table({ columns, rows, whenEmpty }: Table, hasColour: boolean): string {
  if (rows.length === 0) return whenEmpty;
  const cells = rows.map((row) => columns.map((each) => each.of(row)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const heading = columns
    .map((each, at) => pad(each.title, widths[at] ?? 0, each))
    .join(gap)
    .trimEnd();
  const lines = cells.map((line) =>
    columns
      .map((each, at) => paint(pad(line[at] ?? '', widths[at] ?? 0, each), each.isState === true && hasColour))
      .join(gap)
      .trimEnd(),
  );
  return [hasColour ? styleText('bold', heading, { validateStream: false }) : heading, ...lines].join('\n');
}

const colours = { good: 'green', warn: 'yellow', bad: 'red' } as const;

/** Words for states get a colour, such as green for `bound`. Other words have none. */
export function paint(text: string, hasColour: boolean): string {
  const tone = toneOf(text.trim());
  return hasColour && tone !== undefined ? styleText(colours[tone], text, { validateStream: false }) : text;
}

export function card(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}${gap}${value}`.trimEnd()).join('\n');
}

/** Octets in one line of a hex dump, as most tools print it. */
const lineOctets = 16;

/** Each line has an offset, sixteen octets, and the same octets as printable ASCII. */
export function dump(octets: Uint8Array): string {
  const starts = Array.from({ length: Math.ceil(octets.length / lineOctets) }, (_, line) => line * lineOctets);
  const lines = starts.map((at) => {
    const line = Buffer.from(octets.subarray(at, at + lineOctets));
    const digits = Array.from(line, (octet) => octet.toString(16).padStart(2, '0')).join(' ');
    const letters = line.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
    return `${at.toString(16).padStart(4, '0')}  ${digits.padEnd(3 * lineOctets)} ${letters}`;
  });
  return lines.join('\n');
}

function pad(cell: string, width: number, { isNumber }: Column): string {
  return isNumber === true ? cell.padStart(width) : cell.padEnd(width);
}
