import { stringify } from 'csv-stringify/sync';

/*
 * Writes CSV (RFC 4180, with commas and LF) that `csv-read.ts` can read. Commands import this file only when they print
 * CSV.
 */

/** The rows as CSV text, without a line break at the end. An apostrophe makes spreadsheets read a formula as text. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (isFormula(cell) ? `'${cell}` : cell)));
  // Also quotes cells that begin with `#`, that begin or end with a blank, or that contain a carriage return.
  return stringify(cells, { quoted_match: /^[#\s]|\s$|\r/ }).replace(/\n$/, '');
}

/**
 * Whether a spreadsheet would run the cell as a formula. Phone numbers and amounts with a sign are harmless, and
 * programs need them unchanged.
 */
export function isFormula(cell: string): boolean {
  return /^'*(?:[=@\t\r]|[+-](?![\d.]+$))/.test(cell);
}
