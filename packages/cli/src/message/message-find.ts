import { instantOf, parseMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { column, numberColumn, stateColumn, table, timeColumn, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';
import { errorOf } from './time-line.ts';

/** Messages that one listing shows at most; one question of the gateway is answered with at most a page of them. */
const foundMax = 100_000;
const foundDefault = '50';
const pageMax = 1_000;
/** Questions that are not answered with a full page: each has looked at 50,000 messages, so that a search ends within seconds. */
const looksMax = 10;
const lookedMax = looksMax * 50_000;

export const messageFind: Command = {
  words: 'message find',
  summary: 'Find messages, the newest first',
  options: [
    { flags: '--account <name>', summary: 'of this account' },
    { flags: '--sender <sender>', summary: 'from this sender' },
    { flags: '--receiver <number>', summary: 'to this number' },
    { flags: '--client-ref <text>', summary: 'with this reference of the client' },
    { flags: '--event <event>', summary: 'whose event is this now, such as delivered' },
    { flags: '--carrier <name>', summary: 'of which a part was given to this carrier' },
    { flags: '--carrier-message-id <id>', summary: 'of which a part has this id at its carrier (found at once)' },
    { flags: '--since <time>', summary: 'accepted then or later: 2026-01-31 or 2026-01-31T12:00:00Z' },
    { flags: '--until <time>', summary: 'accepted before then' },
    { flags: '--after <id>', summary: 'older than this message: the next page' },
    { flags: '--limit <count>', summary: `at most so many, up to ${foundMax} (default: ${foundDefault})` },
  ],
  examples: [
    ['message find --receiver +41791112233', 'the newest messages to a number'],
    ['message find --carrier-message-id 7fa3c0', 'the message that a carrier asks about'],
    ['message find --account acme --event undelivered --since 2026-01-31', 'what went wrong since that day'],
  ],
  notes: () =>
    `A search reads messages from the newest back. Without --since it stops after ${lookedMax} messages, and says up to which
time it looked and with which --after it goes on. A carrier's message id is found at once, however old it is.`,
  run: find,
};

async function find(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { limit = foundDefault, ...wanted } = input.values;
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > foundMax) {
    return refused(usage(`--limit takes a whole number from 1 to ${foundMax}`));
  }
  const looks = 'since' in wanted ? Infinity : looksMax;
  const collected = await collect({ limit: Number(limit), looks }, (next, count) =>
    call(shell, 'messages', { ...wanted, ...(next !== '' && { after: next }), limit: count }),
  );
  if (!collected.ok) return collected;
  const { rows, texts, next, isStopped } = collected.value;
  if (isStopped) shell.warn(`looked back to ${timeOf(next)} and stopped there; to look further: --after ${next}`);
  else if (next !== '' && !shell.isJson) shell.warn(`for older ones: --after ${next}`);
  return ok({
    json: `[${texts.filter((text) => text !== '').join(',')}]`,
    text: table(
      { columns, rows, whenEmpty: isStopped ? 'none found so far' : 'there are no such messages' },
      shell.hasColour,
    ),
  });
}

interface Collected {
  readonly rows: readonly Row[];
  /** The members of each page as they stand in its answer, so that amounts keep their digits. */
  readonly texts: readonly string[];
  /** Where to go on; empty when everything was looked at. */
  readonly next: string;
  /** It stopped before there were enough, as it has looked for too long. */
  readonly isStopped: boolean;
}

interface Page {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Asks page after page, since one question looks at a bounded stretch of time, until there are enough or no more, or so many
 * questions had no full page.
 */
export async function collect(
  { limit, looks }: { readonly limit: number; readonly looks: number },
  ask: (next: string, count: number) => Promise<Result<Page, Failure>>,
): Promise<Result<Collected, Failure>> {
  const rows: Row[] = [];
  const texts: string[] = [];
  let next = '';
  for (let looked = 0; looked < looks;) {
    const count = Math.min(pageMax, limit - rows.length);
    const page = await ask(next, count);
    if (!page.ok) return page;
    const answer = toRow(page.value.value);
    const found = toRows(answer['messages']);
    rows.push(...found);
    texts.push(messagesIn(page.value.text));
    next = word(answer, 'next');
    if (next === '' || rows.length >= limit) return ok({ rows, texts, next, isStopped: false });
    if (found.length < count) looked += 1;
  }
  return ok({ rows, texts, next, isStopped: true });
}

function messagesIn(page: string): string {
  return /^\{"messages":\[(.*)\],"next":(?:null|"\d+")\}$/s.exec(page)?.[1] ?? '';
}

function timeOf(id: string): string {
  const parsed = parseMessageId(id);
  return parsed === undefined ? '' : formatInstant(instantOf(parsed));
}

const columns = [
  column('ID', 'msgId'),
  timeColumn('ACCEPTED', 'acceptedAt'),
  column('ACCOUNT', 'account'),
  column('SENDER', 'sender'),
  column('RECEIVER', 'receiver'),
  numberColumn('PARTS', 'numParts'),
  { title: 'COST', of: (row: Row) => `${word(row, 'totalCost')} ${word(row, 'currency')}`, isNumber: true },
  stateColumn('EVENT', 'event'),
  timeColumn('SINCE', 'eventAt'),
  { title: 'ERROR', of: errorOf },
  column('CLIENT REF', 'clientRef'),
];
