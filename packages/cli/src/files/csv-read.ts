import { parse, type CsvError } from 'csv-parse/sync';
import { plainCell } from '@morsel/api/admin/csv.ts';

/*
 * Reads CSV (RFC 4180), with commas, semicolons or tabs, and comments. Commands import this file only when they run,
 * because most need no CSV.
 */

export interface Problem {
  readonly line: number;
  /** Undefined for a problem of a row. */
  readonly column?: number;
  readonly detail: string;
}

export interface Line {
  /** Where the row starts. A quoted cell may contain further lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

type Separator = ',' | ';' | '\t';

export interface Csv {
  readonly lines: readonly Line[];
  readonly problems: readonly Problem[];
  readonly separator: Separator;
}

/**
 * Without empty lines and comments (`#`). A semicolon or tab in the first row, outside quotes, separates all cells;
 * otherwise a comma. Reading stops at a wrong quote. Do not use rows of a file with a problem. Line breaks inside cells
 * become LF.
 */
export function readCsv(file: string): Csv {
  // All line breaks become LF first, because the parser counts a CR LF inside a cell as two lines.
  const text = file.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const separator = separatorOf(text);
  const problems: Problem[] = [];
  const lines: Line[] = [];
  let linesRead = 0;
  parse(text, {
    delimiter: separator,
    record_delimiter: '\n',
    comment: '#',
    comment_no_infix: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip: (fault) => {
      if (fault && problems.length === 0) problems.push(problemOf(fault, lineAfter(text, linesRead)));
    },
    on_record: (cells, context) => {
      if (problems.length > 0) return null;
      linesRead = context.lines;
      const within = cells.reduce((count, cell) => count + breaksIn(cell), 0);
      lines.push({ line: linesRead - within, cells: cells.map((cell) => plainCell(cell.trim())) });
      return null;
    },
  });
  return { lines, problems, separator };
}

function separatorOf(text: string): Separator {
  const bare = (/^.*/.exec(rowIn(text))?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  if (bare.includes(';')) return ';';
  return bare.includes('\t') ? '\t' : ',';
}

function rowIn(text: string): string {
  return text.replace(/^(?:[ \t]*(?:#.*)?\n)+/, '');
}

function lineAfter(text: string, linesRead: number): number {
  const rest = text.split('\n').slice(linesRead).join('\n');
  return 1 + breaksIn(text) - breaksIn(rowIn(rest));
}

function breaksIn(text: string): number {
  return text.includes('\n') ? text.split('\n').length - 1 : 0;
}

/** An unclosed quote reaches to the end of the file, so its problem names the line where its row starts: `openLine`. */
function problemOf({ code, lines, column }: CsvError, openLine: number): Problem {
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  const at = typeof column === 'number' ? ` in cell ${column + 1}` : '';
  const what = isOpen ? 'is not closed' : 'has text before or after it';
  return {
    line: isOpen ? openLine : Number(lines),
    detail: `a quote${at} ${what}: this line and later lines were not read`,
  };
}
