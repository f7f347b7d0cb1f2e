import { plainCell } from './csv.ts';

/* Reads CSV files (RFC 4180). Commas, semicolons or tabs may separate cells, and comments are allowed. */

export interface FileProblem {
  readonly line: number;
  /** Undefined if the problem concerns a whole row. */
  readonly column?: number;
  readonly detail: string;
}

export interface Line {
  /** The number of the line where the row starts. A quoted cell may contain further lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

type Separator = ',' | ';' | '\t';

export interface Csv {
  readonly lines: readonly Line[];
  readonly problems: readonly FileProblem[];
  readonly separator: Separator;
}

/**
 * Reads the rows of a CSV file, without empty lines and without comments, which begin with `#`. If the first row has a
 * semicolon or a tab outside quotes, that character separates the cells of all rows; otherwise a comma does. Reading
 * stops at a wrong quote, because the ends of later cells are unknown. Callers must not use the rows of a file with a
 * problem. Line breaks inside cells become LF.
 */
export function readCsv(file: string): Csv {
  const text = file.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const separator = separatorOf(text);
  const lines: Line[] = [];
  for (let at = 0, line = 1; at < text.length;) {
    const lineEnd = endOfLine(text, at);
    const row = text.slice(at, lineEnd);
    const read = /^\s*(?:#|$)/.test(row)
      ? { cells: undefined, end: lineEnd }
      : row.includes('"')
        ? quotedRow(text, at, separator)
        : { cells: row.split(separator), end: lineEnd };
    if ('fault' in read) {
      const detail = `a quote in cell ${read.cell} ${read.fault}: this line and later lines were not read`;
      return { lines, problems: [{ line, detail }], separator };
    }
    if (read.cells) lines.push({ line, cells: read.cells.map((cell) => plainCell(cell.trim())) });
    line += read.end === lineEnd ? 1 : text.slice(at, read.end).split('\n').length;
    at = read.end + 1;
  }
  return { lines, problems: [], separator };
}

/** Reads a row that has quotes. The row may continue in further lines. */
function quotedRow(text: string, begin: number, separator: Separator) {
  const blanks = separator === '\t' ? ' *' : '[ \t]*';
  const quoted = new RegExp(`${blanks}"([^"]*(?:""[^"]*)*)"${blanks}`, 'y');
  const opening = new RegExp(`${blanks}"`, 'y');
  const bare = new RegExp(`[^"\n${separator}]*`, 'y');
  const cells: string[] = [];
  for (let at = begin; ; at += 1) {
    const isQuoted = matchAt(opening, text, at) !== null;
    const found = matchAt(isQuoted ? quoted : bare, text, at);
    if (!found) return { fault: 'is not closed', cell: cells.length + 1 };
    at += found[0].length;
    cells.push(found[1]?.replaceAll('""', '"') ?? found[0]);
    const next = text[at];
    if (next === undefined || next === '\n') return { cells, end: at };
    if (next !== separator) return { fault: 'has text before or after it', cell: cells.length };
  }
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function separatorOf(text: string): Separator {
  const firstRow = /^(?!\s*(?:#|$)).*/m.exec(text)?.[0] ?? '';
  const bare = firstRow.replaceAll(/"[^"]*"/g, '');
  if (bare.includes(';')) return ';';
  return bare.includes('\t') ? '\t' : ',';
}
