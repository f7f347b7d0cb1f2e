import { parse } from 'csv-parse/sync';
import type { CsvError } from 'csv-parse/sync';
import { isFormula } from './csv-write.ts';

/*
 * Reads CSV files in the one dialect that all commands take: RFC 4180, with commas, semicolons or tabs, and with comments.
 * Commands import it only when they run, because most need no CSV.
 */

export interface Problem {
  readonly line: number;
  readonly detail: string;
}

export interface Line {
  /** The line where it starts: a quoted cell may have more lines. */
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
 * Reads the lines of a file, without empty ones and without comments, which begin with `#`. A semicolon or a tab in the first line
 * separates the cells of all lines, else a comma does. After a wrong quote the ends of cells are unknown, so the lines behind
 * it are not read. A file with a problem must not be used. Line breaks inside cells become LF.
 */
export function readCsv(file: string): Csv {
  // The parser counts CR LF inside a cell as two lines.
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

/** The text after empty lines and comments. */
function rowIn(text: string): string {
  return text.replace(/^(?:[ \t]*(?:#.*)?\n)+/, '');
}

/** Where the next row starts, after this many lines. */
function lineAfter(text: string, linesRead: number): number {
  const rest = text.split('\n').slice(linesRead).join('\n');
  return 1 + breaksIn(text) - breaksIn(rowIn(rest));
}

function breaksIn(text: string): number {
  return text.includes('\n') ? text.split('\n').length - 1 : 0;
}

/** An unclosed quote runs until the end of the file: `openLine` is where its row starts. */
function problemOf({ code, lines, column }: CsvError, openLine: number): Problem {
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  const at = typeof column === 'number' ? ` in cell ${column + 1}` : '';
  const what = isOpen ? 'is not closed' : 'has text before or behind it';
  return { line: isOpen ? openLine : Number(lines), detail: `a quote${at} ${what}: no line from here on was read` };
}

/** Without the apostrophe that `csv-write.ts` put before a formula. */
function plainCell(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}
