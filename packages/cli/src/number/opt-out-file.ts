import { optOutReasonMax } from '@morsel/api/admin/number/opt-out.ts';
import { ok } from '@morsel/api/values/result.ts';
import { parseReceiver, parseSender } from '@morsel/gateway/core/number/address.ts';
import { everySender } from '@morsel/gateway/core/number/opt-out.ts';
import { readCsv, type FileProblem } from '@morsel/api/admin/csv-read.ts';

/* Reads opt-out lists from CSV files, which Morsel or another system wrote. */

interface ListedOptOut {
  readonly receiver: string;
  /** Empty if the opt-out is for every sender of the account. */
  readonly sender: string;
  /** Empty if the line has no reason. */
  readonly reason: string;
}

export interface ReadList {
  readonly list: readonly ListedOptOut[];
  /** If there is a problem, callers must not use any entry. */
  readonly problems: readonly FileProblem[];
}

/**
 * A heading may name the columns `receiver`, `sender` and `reason`; others are ignored. Without a heading, the first
 * column has the receivers. Repeated entries count once.
 */
export function readOptOutList(text: string): ReadList {
  const { lines, problems: wrong } = readCsv(text);
  const problems = [...wrong];
  const [first] = lines;
  const titles = first?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const hasHeading = titles.includes('receiver');
  if (!hasHeading && titles.length > 1 && !titles.some((title) => /\d/.test(title))) {
    return { list: [], problems: [{ line: first?.line ?? 1, detail: 'the heading has no column receiver' }] };
  }
  const at = (title: string) => (hasHeading ? titles.indexOf(title) : title === 'receiver' ? 0 : -1);
  const [receiverAt, senderAt, reasonAt] = [at('receiver'), at('sender'), at('reason')];
  const found = new Map<string, ListedOptOut>();
  for (const { cells, line } of hasHeading ? lines.slice(1) : lines) {
    const [receiver = '', sender = '', reason = ''] = [receiverAt, senderAt, reasonAt].map((place) => cells[place]);
    const entry = readEntry({ receiver, sender, reason });
    if (typeof entry === 'string') problems.push({ line, detail: entry });
    else found.set(`${entry.receiver} ${entry.sender.toLowerCase()}`, entry);
  }
  if (found.size + problems.length === 0) problems.push({ line: 1, detail: 'the file has no receivers' });
  return { list: [...found.values()], problems };
}

function readEntry({ receiver, sender, reason }: ListedOptOut): ListedOptOut | string {
  const to = parseReceiver(receiver);
  if (!to.ok) return `receiver: ${'detail' in to.error ? to.error.detail : 'must be given'}`;
  const from = sender === '' ? ok(everySender) : parseSender(sender);
  if (!from.ok) return `sender: ${'detail' in from.error ? from.error.detail : 'must be a sender'}`;
  if (reason.length > optOutReasonMax) return `reason must have at most ${optOutReasonMax} characters`;
  return { receiver: to.value, sender: from.value, reason };
}
