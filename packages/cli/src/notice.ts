import { noticeKinds, noticeStates } from '@morsel/gateway/core/notification/notification.ts';
import { asking } from './admin-client.ts';
import type { Command } from './command.ts';
import {
  card,
  column,
  numberColumn,
  stateColumn,
  table,
  timeColumn,
  toRow,
  toRows,
  toTheSecond,
  word,
} from './table.ts';
import type { Row } from './table.ts';

export const noticeCommands: readonly Command[] = [
  {
    words: 'notice list',
    summary: 'List what accounts are told, the newest first',
    options: [
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--webhook <id>', summary: 'for this webhook' },
      {
        flags: '--state <state>',
        summary: 'that wait, were delivered, are dead letters, or were withdrawn for another',
        choices: noticeStates,
      },
      { flags: '--kind <kind>', summary: 'of this kind', choices: noticeKinds },
      { flags: '--before <id>', summary: 'older than this one: the next page' },
      { flags: '--limit <count>', summary: 'at most so many, up to 1000 (50)' },
    ],
    examples: [
      ['notice list --state dead', 'what nobody could be told'],
      ['notice list --account acme --state waiting', 'what acme is still to be told'],
    ],
    run: asking('notices', (value, { hasColour }) => showPage(toRow(value), hasColour)),
  },
  {
    words: 'notice show',
    summary: 'Show one notice with its failed tries; what it says is shown by inbound show and message show',
    arguments: [{ name: 'notice', summary: 'its id' }],
    examples: [['notice show 4711', 'when it was tried, where, and what came of it']],
    run: asking('notice', (value, { hasColour }) => showNotice(toRow(value), hasColour)),
  },
];

const columns = [
  column('ID', 'id'),
  timeColumn('MADE', 'createdAt'),
  column('ACCOUNT', 'account'),
  column('KIND', 'kind'),
  column('MESSAGE', 'msgId'),
  stateColumn('STATE', 'state'),
  { title: 'WEBHOOK', of: (row: Row) => word(row, 'webhook') || '-' },
  numberColumn('TRIES', 'tries'),
  { title: 'NEXT', of: nextOf },
  { title: 'LAST', of: (row: Row) => word(row, 'outcome') || '-' },
];

/** When it is tried next, or what has to happen before it is. */
export function nextOf(row: Row): string {
  const held = word(row, 'heldBy');
  if (held !== '') return held === 'session' ? 'when a session is bound' : `webhook is ${held}`;
  return toTheSecond(word(row, 'due')) || '-';
}

function showPage(page: Row, hasColour: boolean): string {
  const rows = toRows(page['notices']);
  const lines = table({ columns, rows, whenEmpty: 'there are no such notices' }, hasColour);
  const next = word(page, 'next');
  return next === '' ? lines : `${lines}\nfor older ones: --before ${next}`;
}

const failureColumns = [
  numberColumn('TRY', 'try'),
  timeColumn('AT', 'at'),
  column('BY', 'by'),
  column('WHAT', 'outcome'),
];

function showNotice(notice: Row, hasColour: boolean): string {
  const failures = toRows(notice['failures']);
  const lines = card([
    ['notice', word(notice, 'id')],
    ['made', toTheSecond(word(notice, 'createdAt'))],
    ['account', word(notice, 'account')],
    ['kind', `${word(notice, 'kind')} ${word(notice, 'event')}`.trimEnd()],
    ['message', word(notice, 'msgId') || '-'],
    ['state', word(notice, 'state')],
    ['webhook', word(notice, 'webhook') || '-'],
    ['tries', word(notice, 'tries')],
    ['next', nextOf(notice)],
    ['ended', toTheSecond(word(notice, 'endedAt')) || '-'],
    ['last', `${word(notice, 'outcome') || '-'} ${word(notice, 'triedBy')}`.trimEnd()],
    ['replayed', toTheSecond(word(notice, 'replayedAt')) || '-'],
  ]);
  if (failures.length === 0) return lines;
  return `${lines}\n\n${table({ columns: failureColumns, rows: failures, whenEmpty: '' }, hasColour)}`;
}
