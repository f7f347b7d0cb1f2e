/* Lines of a file whose cells are separated, as spreadsheets write it (RFC 4180), with the number of each line. */

export interface Problem {
  readonly line: number;
  readonly detail: string;
}

export interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

type Separator = ',' | ';' | '\t';

export interface Csv {
  readonly lines: readonly Line[];
  readonly problems: readonly Problem[];
  readonly separator: Separator;
}

const comment = '#';

/**
 * Reads the lines that say something: empty ones and those that begin with `#` do not. A semicolon or a tab in the first
 * of them separates the cells of all, else a comma does. A quote that is not closed ends with its line: a file is not
 * swallowed by one.
 */
export function readCsv(text: string): Csv {
  const told = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((content, index) => ({ line: index + 1, content }))
    .filter(({ content }) => content.trim() !== '' && !content.trimStart().startsWith(comment));
  const separator = separatorOf(told[0]?.content ?? '');
  const lines: Line[] = [];
  const problems: Problem[] = [];
  for (const { line, content } of told) {
    const cells = content.includes('"') ? quotedCells(content, separator) : content.split(separator);
    if (cells) lines.push({ line, cells: cells.map((cell) => cell.trim()) });
    else problems.push({ line, detail: 'a quote is not closed, or has something behind it' });
  }
  return { lines, problems, separator };
}

function separatorOf(first: string): Separator {
  const bare = first.replaceAll(/"[^"]*"/g, '');
  if (bare.includes(';')) return ';';
  return bare.includes('\t') ? '\t' : ',';
}

/** The cells of a line with quotes in it; undefined if they are not as RFC 4180 has them. */
function quotedCells(content: string, separator: Separator): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    while (content[at] === ' ') at++;
    if (content[at] !== '"') {
      const end = endOf(content, separator, at);
      const cell = content.slice(at, end);
      if (cell.includes('"')) return undefined;
      cells.push(cell);
      at = end;
    } else {
      const quoted = /^"((?:[^"]|"")*)" */.exec(content.slice(at));
      if (!quoted) return undefined;
      cells.push((quoted[1] ?? '').replaceAll('""', '"'));
      at += quoted[0].length;
    }
    if (at >= content.length) return cells;
    if (content[at] !== separator) return undefined;
  }
}

function endOf(content: string, separator: Separator, from: number): number {
  const end = content.indexOf(separator, from);
  return end === -1 ? content.length : end;
}
