/* What a reference page is made of. */

export interface Page {
  readonly file: string;
  readonly title: string;
  /** What the index says of the page, without a full stop. */
  readonly summary: string;
  /** Paragraphs, headings and tables. */
  readonly blocks: readonly string[];
}

/** A table of Markdown. The columns are not aligned, so that a longer cell changes one line only. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => '---'), ...rows].map(lineOf).join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function codes(names: readonly string[]): string {
  return names.map(code).join(', ');
}

/** With a capital letter and a full stop. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
