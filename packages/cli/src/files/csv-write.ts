import { stringify } from 'csv-stringify/sync';

/* Writes CSV (RFC 4180, with commas and LF), which `csv-read.ts` reads again. Commands import it only when they print CSV. */

/** Rows as lines of CSV, without a line break at the end. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (isFormula(cell) ? `'${cell}` : cell)));
  // Also quotes a cell that a reader would take for a comment, and one with an outer blank or a carriage return.
  return stringify(cells, { quoted_match: /^[#\s]|\s$|\r/ }).replace(/\n$/, '');
}

/**
 * Whether a spreadsheet would run the cell. An apostrophe before it makes it text. Phone numbers and amounts with a sign
 * are harmless, and stay as they are for programs.
 */
export function isFormula(cell: string): boolean {
  return /^'*(?:[=@\t\r]|[+-](?![\d.]+$))/.test(cell);
}
