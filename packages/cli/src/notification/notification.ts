import { notificationKinds, notificationStates } from '@morsel/api/values/notification.ts';
import { asking } from '../admin-client.ts';
import type { Command } from '../command.ts';
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
} from '../table.ts';
import type { Row } from '../table.ts';

export const notificationCommands: readonly Command[] = [
  {
    words: 'notification list',
    summary: 'List what accounts are told, the newest first',
    options: [
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--webhook <id>', summary: 'for this webhook' },
      {
        flags: '--state <state>',
        summary: 'that wait, were delivered, are dead letters, or were withdrawn for another',
        choices: notificationStates,
      },
      { flags: '--kind <kind>', summary: 'of this kind', choices: notificationKinds },
      { flags: '--before <id>', summary: 'older than this one: the next page' },
      { flags: '--limit <count>', summary: 'at most so many, up to 1000 (50)' },
    ],
    examples: [
      ['notification list --state dead', 'what nobody could be told'],
      ['notification list --account acme --state waiting', 'what acme is still to be told'],
    ],
    run: asking('notifications', (value, { hasColour }) => showPage(toRow(value), hasColour)),
  },
  {
    words: 'notification show',
    summary: 'Show one notification with its failed tries; what it says is shown by inbound show and message show',
    arguments: [{ name: 'notification', summary: 'its id' }],
    examples: [['notification show 4711', 'when it was tried, where, and what came of it']],
    run: asking('notification', (value, { hasColour }) => showNotification(toRow(value), hasColour)),
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
  const rows = toRows(page['notifications']);
  const lines = table({ columns, rows, whenEmpty: 'there are no such notifications' }, hasColour);
  const next = word(page, 'next');
  return next === '' ? lines : `${lines}\nfor older ones: --before ${next}`;
}

const failureColumns = [
  numberColumn('TRY', 'try'),
  timeColumn('AT', 'at'),
  column('BY', 'by'),
  column('WHAT', 'outcome'),
];

function showNotification(notification: Row, hasColour: boolean): string {
  const failures = toRows(notification['failures']);
  const lines = card([
    ['notification', word(notification, 'id')],
    ['made', toTheSecond(word(notification, 'createdAt'))],
    ['account', word(notification, 'account')],
    ['kind', `${word(notification, 'kind')} ${word(notification, 'event')}`.trimEnd()],
    ['message', word(notification, 'msgId') || '-'],
    ['state', word(notification, 'state')],
    ['webhook', word(notification, 'webhook') || '-'],
    ['tries', word(notification, 'tries')],
    ['next', nextOf(notification)],
    ['ended', toTheSecond(word(notification, 'endedAt')) || '-'],
    ['last', `${word(notification, 'outcome') || '-'} ${word(notification, 'triedBy')}`.trimEnd()],
    ['replayed', toTheSecond(word(notification, 'replayedAt')) || '-'],
  ]);
  if (failures.length === 0) return lines;
  return `${lines}\n\n${table({ columns: failureColumns, rows: failures, whenEmpty: '' }, hasColour)}`;
}
