import { asking } from '../admin-client.ts';
import type { Command } from '../command.ts';
import { column, table, timeColumn, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/* Shows what somebody should look at. */

export const alertCommands: readonly Command[] = [
  {
    words: 'alert list',
    summary:
      'List what somebody should look at: low balances, parts below their margin, webhooks that were stopped, a full disk',
    options: [
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--since <time>', summary: 'not before this time, such as 2026-01-31T12:00:00Z' },
      { flags: '--limit <count>', summary: 'at most so many, the newest first (50)' },
    ],
    examples: [
      ['alert list', 'the newest 50'],
      ['alert list --account acme --since 2026-01-31', 'those of one account since a day'],
    ],
    run: asking('alerts', (value, { hasColour }) =>
      table({ columns: alertColumns, rows: toRows(value), whenEmpty: 'there are no alerts' }, hasColour),
    ),
  },
];

const alertColumns = [
  timeColumn('AT', 'at'),
  { title: 'ACCOUNT', of: (row: Row) => word(row, 'account') || '-' },
  column('KIND', 'kind'),
  { title: 'WHAT', of: alertOf },
  { title: 'CURRENCY', of: (row: Row) => (isOfMoney(row) ? word(row, 'currency') : '-') },
];

function isOfMoney(alert: Row): boolean {
  return ['low-balance', 'below-margin'].includes(word(alert, 'kind'));
}

function alertOf(alert: Row): string {
  if (word(alert, 'detail') !== '') return word(alert, 'detail');
  if (word(alert, 'kind') === 'webhook-paused')
    return `webhook ${word(alert, 'webhook')} failed for days and is paused`;
  if (word(alert, 'kind') === 'webhook-off') return `webhook ${word(alert, 'webhook')} answered 410 and is off`;
  return word(alert, 'kind') === 'below-margin'
    ? `price ${word(alert, 'unitPrice')}, cost ${word(alert, 'unitCost')}: prefix ${word(alert, 'prefix') || '(any)'} through ${word(alert, 'carrier')}`
    : `balance ${word(alert, 'balance')}, below ${word(alert, 'threshold')}`;
}
