import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Option, Report, Shell } from '../command.ts';
import { card, column, table, timeColumn, toRow, toRows, toWords, word } from '../table.ts';
import type { Row } from '../table.ts';

const account: Option = { flags: '--account <name>', summary: 'whose list', isRequired: true };
const receiver: Option = { flags: '--receiver <number>', summary: 'the phone', isRequired: true };
const sender: Option = { flags: '--sender <sender>', summary: 'for this sender alone; otherwise for every one' };
const reason: Option = { flags: '--reason <words>', summary: 'why, for the record', isRequired: true };
export const optOutActor: Option = {
  flags: '--actor <name>',
  summary: 'who does it, as the history will say (operator)',
};
const ofAccount: Option = { flags: '--account <name>', summary: 'of this account' };
const ofReceiver: Option = { flags: '--receiver <number>', summary: 'of this phone' };
const limit: Option = { flags: '--limit <count>', summary: 'at most so many, up to 1000 (50)' };

export const optOutCommands: readonly Command[] = [
  {
    words: 'optout list',
    summary: 'List who wants no more messages, of whom, and since when',
    options: [ofAccount, ofReceiver, limit, { flags: '--after <place>', summary: 'go on there: the next page' }],
    examples: [
      ['optout list --account acme', 'who wants nothing more of acme'],
      ['optout list --receiver +41791234567', 'what this phone wants no more of'],
    ],
    run: asking('optOuts', (value, { hasColour }) =>
      showPage(
        toRow(value),
        { columns, member: 'optOuts', whenEmpty: 'nobody has opted out', next: 'after' },
        hasColour,
      ),
    ),
  },
  {
    words: 'optout history',
    summary: 'List who opted out and in again, when and why, the newest first',
    options: [ofAccount, ofReceiver, limit, { flags: '--before <id>', summary: 'older than this one: the next page' }],
    examples: [['optout history --receiver +41791234567', 'what this phone wished, and what was done for it']],
    run: asking('optOutEvents', (value, { hasColour }) =>
      showPage(
        toRow(value),
        { columns: eventColumns, member: 'events', whenEmpty: 'nothing has changed yet', next: 'before' },
        hasColour,
      ),
    ),
  },
  {
    words: 'optout add',
    summary: 'Put a phone on the list of an account: nothing is sent to it any more',
    options: [account, receiver, sender, reason, optOutActor],
    examples: [
      [
        'optout add --account acme --receiver +41791234567 --reason "letter of 3 May"',
        'no sender of acme may write to it',
      ],
      ['optout add --account acme --receiver +41791234567 --sender ACME --reason "by phone"', 'ACME may not'],
    ],
    run: asking('addOptOut', (value) => {
      const row = toRow(value);
      const what = `${word(row, 'receiver')} gets nothing more ${fromWhom(row)}`;
      return word(row, 'added') === 'true' ? what : `${what}, as before: it was on the list`;
    }),
  },
  {
    words: 'optout remove',
    summary: 'Take a phone from the list of an account; the history keeps that and why',
    options: [
      account,
      receiver,
      { ...sender, summary: 'its entry for this sender alone; otherwise all' },
      reason,
      optOutActor,
    ],
    examples: [
      ['optout remove --account acme --receiver +41791234567 --reason "asked for it"', 'it gets messages again'],
    ],
    run: asking('removeOptOut', (value) => `${word(toRow(value), 'receiver')} is off the list`),
  },
  {
    words: 'optout words',
    summary: 'Show which words of phones opt them out, and in again',
    options: [{ flags: '--account <name>', summary: 'with its own words, and how it is handled' }],
    examples: [
      ['optout words', 'the usual words of all languages'],
      ['optout words --account acme', 'what holds for acme'],
    ],
    run: asking('optOutWords', (value, shell) => showWords(toRow(value), shell)),
  },
  {
    words: 'optout word',
    summary: 'Give an account a word of its own, or take one of the usual away',
    arguments: [{ name: 'word', summary: 'a word or a phrase; case, accents and punctuation do not count' }],
    options: [
      account,
      {
        flags: '--means <meaning>',
        summary: 'for this account: stop, start, nothing, or usual as everywhere',
        isRequired: true,
      },
    ],
    examples: [
      ['optout word "STOP ACME" --account acme --means stop', 'one more way to opt out'],
      ['optout word CANCEL --account acme --means nothing', 'it cancels appointments here'],
      ['optout word CANCEL --account acme --means usual', 'and now as everywhere'],
    ],
    run: asking('setOptOutWord', (value, shell) => showWords(toRow(value), shell)),
  },
  {
    words: 'optout set',
    summary: 'Say whether words of phones change the list of an account, and for which senders',
    options: [
      account,
      { flags: '--words <on-or-off>', summary: 'whether STOP and START are heeded (on)', choices: ['on', 'off'] },
      {
        flags: '--scope <scope>',
        summary: 'what a STOP is for: every sender of the account, or the number it was sent to (account)',
        choices: ['account', 'sender'],
      },
    ],
    examples: [
      ['optout set --account acme --scope sender', 'its numbers belong to different companies'],
      ['optout set --account acme --words off', 'its own system keeps the list'],
    ],
    run: set,
  },
];

async function set({ values }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  if (values['words'] === undefined && values['scope'] === undefined) {
    return refused(
      usage('nothing was asked to be changed: give --words, --scope or both (see morsel optout set --help)'),
    );
  }
  const reply = await call(shell, 'setOptOutHandling', values);
  if (!reply.ok) return reply;
  warn(toRow(reply.value.value), shell);
  return ok(reportOf(reply.value, (value) => handlingOf(toRow(value))));
}

/** Words that will not do what people mean by them. */
function warn(answer: Row, shell: Shell): void {
  if (!shell.isJson) for (const warning of toWords(answer['warnings'])) shell.warn(warning);
}

const common = [
  column('ACCOUNT', 'account'),
  column('RECEIVER', 'receiver'),
  { title: 'SENDER', of: (row: Row) => word(row, 'sender') || '(all)' },
];
const columns = [...common, timeColumn('SINCE', 'since'), { title: 'WHY', of: whyOf }];
const eventColumns = [
  column('ID', 'id'),
  timeColumn('AT', 'at'),
  { title: 'OPTED', of: (row: Row) => word(row, 'wish') },
  ...common,
  { title: 'WHY', of: whyOf },
];

function whyOf(row: Row): string {
  return word(row, 'by') === 'inbound'
    ? `wrote ${word(row, 'word')} (inbound ${word(row, 'inbound')})`
    : `${word(row, 'actor')}: ${word(row, 'reason')}`;
}

interface Page {
  readonly columns: Parameters<typeof table>[0]['columns'];
  readonly member: string;
  readonly whenEmpty: string;
  /** The option that takes the place where the next page begins. */
  readonly next: string;
}

function showPage(page: Row, { columns: wanted, member, whenEmpty, next }: Page, hasColour: boolean): string {
  const lines = table({ columns: wanted, rows: toRows(page[member]), whenEmpty }, hasColour);
  const place = word(page, 'next');
  return place === '' ? lines : `${lines}\nfor more: --${next} ${place}`;
}

function fromWhom(row: Row): string {
  return `from ${word(row, 'sender') || `any sender of ${word(row, 'account')}`}`;
}

function handlingOf(row: Row): string {
  const name = word(row, 'account');
  if (word(row, 'words') !== 'on') return `words of phones do not change the list of ${name}; what is on it holds`;
  const scope = word(row, 'scope') === 'account' ? `every sender of ${name}` : 'the number it was sent to';
  const [stop, start] = [word(row, 'stopWord') || 'no word', word(row, 'startWord') || 'no word'];
  return `${stop} opts a phone out of ${scope}, and ${start} in again`;
}

function showWords(answer: Row, shell: Shell): string {
  warn(answer, shell);
  const usual = card(
    toRows(answer['usual']).flatMap((row) => [
      [word(row, 'language'), listOf(row, 'stop')] as const,
      ['', `again: ${listOf(row, 'start') || '-'}`] as const,
    ]),
  );
  if (word(answer, 'account') === '') return usual;
  const own = table(
    {
      columns: [column('OWN WORD', 'word'), column('MEANS', 'means')],
      rows: toRows(answer['accountWords']),
      whenEmpty: 'it has no words of its own',
    },
    shell.hasColour,
  );
  return [handlingOf(answer), own, `the usual ones:\n${usual}`].join('\n\n');
}

function listOf(row: Row, member: string): string {
  const words: unknown = row[member];
  return Array.isArray(words) ? words.join(', ') : '';
}
