import { ok } from '@morsel/api/values/result.ts';
import { call, reportOf } from './admin-client.ts';
import type { Argument, Command } from './command.ts';
import { change, number, numberOf, prefix } from './number.ts';
import { column, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

const keyword: Argument = { name: 'word', summary: 'one word; case, accents and marks around it do not count' };

export const keywordCommands: readonly Command[] = [
  {
    words: 'keyword add',
    summary: 'Give what phones send to a number with this first word to an account',
    arguments: [number, keyword],
    options: [{ flags: '--account <name>', summary: 'who gets it', isRequired: true }, prefix],
    examples: [
      ['keyword add 8822 TAXI --account acme', 'who writes "taxi, please" to 8822 writes to acme'],
      ['keyword add +4179500 INFO --prefix --account beta', 'on every number of this range'],
    ],
    notes: () => keywordsHelp,
    run: change('addKeyword', (row) => `"${word(row, 'word')}" to ${numberOf(row)} is for ${word(row, 'account')}`),
  },
  {
    words: 'keyword list',
    summary: 'List keywords, and whose they are',
    options: [
      { flags: '--number <number>', summary: 'on this number or short code' },
      { ...prefix, summary: 'the number is how a range begins' },
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--after <place>', summary: 'go on there: the next page' },
      { flags: '--limit <count>', summary: 'at most so many, up to 1000 (1000)' },
    ],
    examples: [
      ['keyword list --number 8822', 'who has which word on 8822'],
      ['keyword list --account acme', 'the words of acme, on all numbers'],
    ],
    run: async (input, shell) => {
      const kind = input.flags.has('prefix') ? { kind: 'prefix' } : {};
      const reply = await call(shell, 'keywords', { ...input.values, ...kind });
      return reply.ok ? ok(reportOf(reply.value, (value) => showPage(toRow(value), shell.hasColour))) : reply;
    },
  },
  {
    words: 'keyword remove',
    summary: 'Take a keyword from its number; what has come stays with its account',
    arguments: [number, keyword],
    options: [prefix],
    examples: [['keyword remove 8822 TAXI', 'messages with it are for who has the number itself']],
    run: change('removeKeyword', (row) => `${numberOf(row)} has no keyword "${word(row, 'word')}" any more`),
  },
];

const keywordsHelp = `The first word of a message counts: letters and digits of any script, whatever marks stand around it (#Taxi!). Cases are
the same, and so are Latin and Greek letters with and without accents. Where a script has no spaces (Chinese, Japanese,
Thai), it is the longest keyword that the text begins with. A phone that writes STOP opts out of all accounts on the
number, with "STOP TAXI" or "TAXI STOP" of the one that has the word; so no such word can be a keyword.`;

const columns = [
  { title: 'NUMBER', of: numberOf },
  column('KEYWORD', 'word'),
  column('ACCOUNT', 'account'),
  timeColumn('MADE', 'createdAt'),
];

function showPage(page: Row, hasColour: boolean): string {
  const rows = toRows(page['keywords']);
  const lines = table({ columns, rows, whenEmpty: 'there are no such keywords: use keyword add' }, hasColour);
  const next = word(page, 'next');
  return next === '' ? lines : `${lines}\nfor more: --after ${next}`;
}
