import { accountName } from '../account/settings.ts';
import { described, optional, orNone } from '../compose.ts';
import type { Values } from '../field.ts';
import { amount, currency, instant, name, place, text } from '../fields.ts';
import { page, resource } from '../resource.ts';

/* Alerts: events that need the operator's attention. */

export const alertFields = {
  at: instant({ summary: 'when the alert was raised' }),
  account: orNone(described(accountName, { summary: 'account of the alert; null for an alert about the gateway' })),
  kind: text({ summary: 'kind of the alert', example: 'low-balance' }),
  threshold: orNone(amount({ summary: 'low-balance threshold that the balance fell below' })),
  balance: orNone(amount({ summary: 'balance below the threshold' })),
  prefix: orNone(text({ summary: 'prefix of the price whose margin is too small', example: '41' })),
  carrier: orNone(name({ summary: 'carrier whose cost leaves too small a margin', example: 'alpha' })),
  unitPrice: orNone(amount({ summary: 'price of one part' })),
  unitCost: orNone(amount({ summary: 'carrier’s cost of one part' })),
  webhook: orNone(text({ summary: 'webhook that the gateway stopped', example: '1' })),
  currency: orNone(currency({ summary: 'currency of the account' })),
  detail: orNone(text({ summary: 'description of the gateway’s problem', example: 'the disk is full' })),
};

type Row = Values<typeof alertFields>;

export const alert = resource('alert', {
  summary: 'Alerts about events that need the operator’s attention',
  operations: {
    list: page('/alerts', {
      summary: 'List alerts: low balances, small margins, stopped webhooks, a full disk and a wrong clock',
      input: {
        account: optional(described(accountName, { summary: 'only alerts of this account' })),
        since: optional(instant({ summary: 'only alerts from this time or day on, such as 2026-01-31T12:00:00Z' })),
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
          ['alert list', 'list the newest 50 alerts'],
          ['alert list --account acme --since 2026-01-31', 'list the alerts of acme since this day'],
        ],
        whenEmpty: 'there are no alerts yet',
      },
    }),
  },
});

function whatText({ kind, detail, webhook, ...row }: Row): string {
  const { threshold, balance, unitPrice, unitCost } = alertFields;
  if (detail !== null) return detail;
  if (kind === 'webhook-paused') return `webhook ${webhook} is paused after days of failed deliveries`;
  if (kind === 'webhook-off') return `webhook ${webhook} is off because its receiver answered 410`;
  if (kind !== 'below-margin') return `balance ${balance.cell(row.balance)}, below ${threshold.cell(row.threshold)}`;
  const margin = `price ${unitPrice.cell(row.unitPrice)}, cost ${unitCost.cell(row.unitCost)}`;
  return `${margin}: prefix ${row.prefix === '' ? '(any)' : row.prefix} through ${row.carrier}`;
}
