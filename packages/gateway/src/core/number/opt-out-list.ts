import { parseReceiver, parseSender } from './address.ts';
import { everySender } from './opt-out.ts';

/* Opt-out lists as CSV (RFC 4180): reading lists of other systems, and writing ours. */

/** A line of a list. */
export interface ListedOptOut {
  readonly receiver: string;
  /** Empty for every sender. */
  readonly sender: string;
  /** Empty if the line has none. */
  readonly reason: string;
}

export interface ReadList {
  readonly list: readonly ListedOptOut[];
  /** Problems, each with its line; if there is any, nothing of the file may be used. */
  readonly problems: readonly string[];
}

/** Most problems that are reported: a file with more is of another kind. */
const problemsMax = 20;

/** Most characters of a reason. */
export const reasonMax = 200;

export const listColumns = ['receiver', 'sender', 'since', 'by', 'word', 'reason'] as const;

/**
 * Reads a list. A heading names its columns (`receiver`, optional `sender` and `reason`; others are ignored). Without a
 * heading, receivers are in the first column. Repeated entries count once.
 */
export function readOptOutList(text: string): ReadList {
  const lines = readCsv(text.replace(/^\ufeff/, ''));
  const problems: string[] = [];
  const [first] = lines;
  const titles = first?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const hasHeading = titles.includes('receiver');
  if (!hasHeading && titles.length > 1 && !titles.some((title) => /\d/.test(title))) {
    return { list: [], problems: [`line ${first?.number ?? 1}: the heading has no column receiver`] };
  }
  const at = (title: string) => (hasHeading ? titles.indexOf(title) : title === 'receiver' ? 0 : -1);
  const [receiverAt, senderAt, reasonAt] = [at('receiver'), at('sender'), at('reason')];
  const found = new Map<string, ListedOptOut>();
  for (const { cells, number } of hasHeading ? lines.slice(1) : lines) {
    const [receiver = '', sender = '', reason = ''] = [receiverAt, senderAt, reasonAt].map((place) =>
      cells[place]?.trim(),
    );
    const entry = readEntry({ receiver, sender, reason });
    if (typeof entry === 'string') problems.push(`line ${number}: ${entry}`);
    else if (reason.length > reasonMax)
      problems.push(`line ${number}: reason: it has more than ${reasonMax} characters`);
    else found.set(`${entry.receiver} ${entry.sender.toLowerCase()}`, entry);
  }
  if (found.size + problems.length === 0) problems.push('there is no receiver in it');
  return { list: [...found.values()], problems: shorten(problems) };
}

/** Writes one line, which `readOptOutList` can read. */
export function writeCsvLine(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

function readEntry({ receiver, sender, reason }: ListedOptOut): ListedOptOut | string {
  const to = parseReceiver(receiver);
  if (!to.ok) return 'detail' in to.error ? `receiver: ${to.error.detail}` : 'receiver: it is missing';
  if (sender === '') return { receiver: to.value, sender: everySender, reason };
  const from = parseSender(sender);
  if (from.ok) return { receiver: to.value, sender: from.value, reason };
  return 'detail' in from.error ? `sender: ${from.error.detail}` : 'sender: it has a bad form';
}

function shorten(problems: readonly string[]): readonly string[] {
  if (problems.length <= problemsMax) return problems;
  return [...problems.slice(0, problemsMax), `and ${problems.length - problemsMax} more`];
}

interface CsvLine {
  readonly number: number;
  readonly cells: readonly string[];
}

/** Lines that are not empty, with their numbers; cells are apart by a comma, or by semicolons where the first line has them. */
function readCsv(text: string): readonly CsvLine[] {
  const lines: CsvLine[] = [];
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const separator = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',';
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let number = 1;
  let start = 1;
  const end = () => {
    if (cells.length > 0 || cell.trim() !== '') lines.push({ number: start, cells: [...cells, cell] });
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\n') number += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else isQuoted = false;
    } else if (character === '"' && cell.trim() === '') {
      isQuoted = true;
      cell = '';
    } else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      end();
      start = number;
    } else if (character !== '\r') cell += character;
  }
  end();
  return lines;
}
