import { accountName } from '../account/settings.ts';
import { described, optional, orNone } from '../compose.ts';
import type { Values } from '../field.ts';
import { amount, currency, instant, name, place, text } from '../fields.ts';
import { page, resource } from '../resource.ts';

/* Alerts: events that need the operator's attention. */

export const alertFields = {
  at: instant({ summary: 'when it was raised' }),
  account: orNone(described(accountName, { summary: 'its account; null for an alert about the gateway' })),
  kind: text({ summary: 'what happened', example: 'low-balance' }),
  threshold: orNone(amount({ summary: 'threshold that a balance fell below' })),
  balance: orNone(amount({ summary: 'the balance below it' })),
  prefix: orNone(text({ summary: 'prefix of a price below its margin', example: '41' })),
  carrier: orNone(name({ summary: 'carrier that costs too much for it', example: 'alpha' })),
  unitPrice: orNone(amount({ summary: 'price of a part' })),
  unitCost: orNone(amount({ summary: 'cost of a part' })),
  webhook: orNone(text({ summary: 'webhook that was stopped', example: '1' })),
  currency: orNone(currency({ summary: 'currency of its account' })),
  detail: orNone(text({ summary: 'the gateway’s trouble, as a sentence', example: 'the disk is full' })),
};

type Row = Values<typeof alertFields>;

export const alert = resource('alert', {
  summary: 'Alerts: what an operator should look at',
  operations: {
    list: page('/alerts', {
      summary: 'List low balances, parts below their margin, stopped webhooks, a full disk and a wrong clock',
      input: {
        account: optional(described(accountName, { summary: 'only its alerts' })),
        since: optional(instant({ summary: 'only alerts from this time on, such as 2026-01-31T12:00:00Z, or a day' })),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: alertFields,
      columns: [
        'at',
        { title: 'ACCOUNT', of: ({ account }) => account ?? '-' },
        'kind',
        { title: 'WHAT', of: whatText },
        {
          title: 'CURRENCY',
          of: (row) => (row.balance === null && row.unitCost === null ? '-' : (row.currency ?? '')),
        },
      ],
      command: {
        examples: [
          ['alert list', 'the newest 50'],
          ['alert list --account acme --since 2026-01-31', 'alerts of one account since a day'],
        ],
        whenEmpty: 'there are no alerts',
      },
    }),
  },
});

function whatText({ kind, detail, webhook, ...row }: Row): string {
  const { threshold, balance, unitPrice, unitCost } = alertFields;
  if (detail !== null) return detail;
  if (kind === 'webhook-paused') return `webhook ${webhook} failed for days and is paused`;
  if (kind === 'webhook-off') return `webhook ${webhook} answered 410 and is off`;
  if (kind !== 'below-margin') return `balance ${balance.cell(row.balance)}, below ${threshold.cell(row.threshold)}`;
  const margin = `price ${unitPrice.cell(row.unitPrice)}, cost ${unitCost.cell(row.unitCost)}`;
  return `${margin}: prefix ${row.prefix === '' ? '(any)' : row.prefix} through ${row.carrier}`;
}
