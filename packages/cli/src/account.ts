import { refundPolicies, smppDataCodings0, smppLongs } from '@morsel/api/values/account.ts';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { marginModes } from '@morsel/api/values/margin.ts';
import { refused } from '@morsel/api/values/result.ts';
import { asking } from './admin-client.ts';
import { actorOption, postingCommands, withActor } from './posting.ts';
import { counted } from './counted.ts';
import { usage } from './command.ts';
import type { Argument, Command, Option, Shell } from './command.ts';
import { ruleLines, ruleOptions } from './rules.ts';
import {
  card,
  column,
  numberColumn,
  paint,
  stateColumn,
  table,
  timeColumn,
  toRow,
  toRows,
  toTheSecond,
  toWords,
  word,
} from './table.ts';
import type { Row } from './table.ts';

const name: Argument = { name: 'account', summary: 'the name of the account' };

/** What `account add` and `account set` take. In brackets stands what holds for a new account that is not told. */
const settings: readonly Option[] = [
  { flags: '--price-list <name>', summary: 'the prices it pays (default)' },
  { flags: '--credit-limit <amount>', summary: 'how far below 0 its balance may go (0)' },
  { flags: '--parts-max <count>', summary: 'parts that a message may have, to 255 (10)' },
  {
    flags: '--receipt-wait-seconds <seconds>',
    summary: 'how long a receipt is waited for, from the end of its message’s validity (259200, 72 hours)',
  },
  {
    flags: '--refund-policy <policy>',
    summary:
      'which parts are refunded: none (never), those that reached no carrier (unsent), those that no carrier accepted (refused), or all that were not delivered (undelivered); never one in doubt (default: refused)',
    choices: refundPolicies,
  },
  { flags: '--time-zone <name>', summary: 'where its days and months begin, such as Europe/Zurich (UTC)' },
  { flags: '--low-balance <amounts>', summary: 'balances below which an alert is raised: 50,10 or none (none)' },
  { flags: '--day-cap <amount>', summary: 'what it may spend in a day, or none (none)' },
  { flags: '--month-cap <amount>', summary: 'what it may spend in a month, or none (none)' },
  ...ruleOptions,
  {
    flags: '--margin-min <amount>',
    summary: 'what has to be left of a part’s price when its carrier is paid: 0.002, 15% of the price, or none (none)',
  },
  {
    flags: '--below-margin <mode>',
    summary: 'what becomes of what is below: refuse takes such carriers out of its routes (allow)',
    choices: marginModes,
  },
  { flags: '--smpp-binds <count>', summary: 'sessions that it may have bound to us, to 500 (4)' },
  { flags: '--smpp-window <count>', summary: 'requests of a session that may wait for an answer, to 1000 (10)' },
  {
    flags: '--smpp-data-coding-0 <coding>',
    summary: 'what data_coding 0 means in what it submits over SMPP (gsm7)',
    choices: smppDataCodings0,
  },
  {
    flags: '--smpp-long <how>',
    summary: 'how its sessions get long messages from phones: in message_payload, or in parts with headers (payload)',
    choices: smppLongs,
  },
];

const newAccount: readonly Option[] = [
  { flags: '--currency <code>', summary: 'what it pays in, such as EUR', isRequired: true },
  { flags: '--balance <amount>', summary: 'what it begins with (0)' },
  ...settings,
];

export const accountCommands: readonly Command[] = [
  {
    words: 'account add',
    summary: 'Make an account, with a balance to begin with',
    arguments: [{ name: 'name', summary: 'what it is called: letters, digits, dots, hyphens and underscores' }],
    options: [...newAccount, actorOption],
    examples: [
      ['account add acme --currency EUR --balance 100', 'an account with 100 euros'],
      ['account add post --currency EUR --credit-limit 500', 'one that may owe 500 euros'],
    ],
    run: async (input, shell) => asking('addAccount', showAccount)({ ...input, values: withActor(input) }, shell),
  },
  {
    words: 'account list',
    summary: 'List all accounts',
    examples: [['account list', 'every account with its balance']],
    run: asking('accounts', (value, { hasColour }) =>
      table(
        { columns, rows: toRows(value), whenEmpty: 'there are no accounts yet: make one with account add' },
        hasColour,
      ),
    ),
  },
  {
    words: 'account show',
    summary: 'Show one account',
    arguments: [name],
    examples: [['account show acme', 'its balance and settings']],
    run: asking('account', showAccount),
  },
  {
    words: 'account set',
    summary: 'Change some of its settings; the next message goes by them',
    arguments: [name],
    options: settings,
    examples: [
      ['account set acme --credit-limit 500', 'from now on it may owe 500'],
      ['account set acme --low-balance 50,10', 'an alert when its balance falls below 50, and one below 10'],
      ['account set acme --allow-countries CH,DE,+4366 --premium refuse', 'there alone, and to no premium number'],
      ['account set acme --rate 50/s --burst 200', 'at most 50 parts a second, 200 at once after a pause'],
      ['account set acme --day-cap 200 --time-zone Europe/Zurich', 'at most 200 from midnight to midnight in Zurich'],
    ],
    run: async (input, shell) => {
      const done = await asking('setAccount', showAccount)(input, shell);
      const { account = '', ...given } = input.values;
      if (done.ok || done.error.kind !== 'usage' || Object.keys(given).length > 0) return done;
      const options = settings.map(({ flags }) => flags.split(' ')[0]).join(', ');
      return refused(usage(`say what to change of ${account}: ${options}`));
    },
  },
  ...postingCommands,
  {
    words: 'account suspend',
    summary: 'Take no more messages from an account',
    arguments: [name],
    examples: [['account suspend acme', 'its requests are refused from now on']],
    run: asking('suspendAccount', showStatus),
  },
  {
    words: 'account resume',
    summary: 'Take its messages again',
    arguments: [name],
    examples: [['account resume acme', 'its requests are taken from now on']],
    run: asking('resumeAccount', showStatus),
  },
  {
    words: 'account remove',
    summary: 'Remove an account that was never charged and has nothing any more; suspend stops any other',
    arguments: [name],
    examples: [['account remove acmee', 'a slip in the name; tokens, logins, numbers and webhooks have to end before']],
    run: asking('removeAccount', (value) => `account ${word(toRow(value), 'account')} is removed`),
  },
];

const columns = [
  column('NAME', 'name'),
  stateColumn('STATUS', 'status'),
  numberColumn('BALANCE', 'balance'),
  column('CURRENCY', 'currency'),
  numberColumn('CREDIT LIMIT', 'creditLimit'),
  column('PRICE LIST', 'priceList'),
  timeColumn('MADE', 'createdAt'),
];

function showAccount(value: unknown, { hasColour }: Shell): string {
  const account = toRow(value);
  const money = (member: string) => `${word(account, member)} ${word(account, 'currency')}`;
  const spent = (member: string, cap: string) =>
    word(account, cap) === '' ? money(member) : `${word(account, member)} of ${money(cap)}`;
  const alerts = toWords(account['lowBalance']).join(', ');
  return card([
    ['name', word(account, 'name')],
    ['status', paint(word(account, 'status'), hasColour)],
    ['balance', money('balance')],
    ['credit limit', money('creditLimit')],
    ['price list', word(account, 'priceList')],
    ['parts a message', `at most ${word(account, 'partsMax')}`],
    ['receipts', `waited for ${word(account, 'receiptWaitSeconds')} s after the end of the validity`],
    ['refunds', refundsOf(word(account, 'refundPolicy'))],
    ['days begin', `at midnight in ${word(account, 'timeZone')}`],
    ['spent today', spent('spentDay', 'dayCap')],
    ['spent this month', spent('spentMonth', 'monthCap')],
    ['alerts', alerts === '' ? 'none' : `below ${alerts} ${word(account, 'currency')}`],
    ...ruleLines(account),
    ['margin', marginOf(account)],
    ['SMPP', smppOf(account)],
    ['made', toTheSecond(word(account, 'createdAt'))],
  ]);
}

const refundedParts: { readonly [policy: string]: string } = {
  never: 'no part is refunded',
  unsent: 'parts that reached no carrier',
  refused: 'parts that no carrier accepted',
  undelivered: 'parts that were not delivered',
} satisfies Record<RefundPolicy, string>;

function refundsOf(policy: string): string {
  const parts = refundedParts[policy];
  return parts === undefined ? policy : `${policy}: ${parts}`;
}

function marginOf(account: Row): string {
  const min = word(account, 'marginMin');
  const money = min.endsWith('%') ? 'of the price' : word(account, 'currency');
  return min === '' ? 'any' : `at least ${min} ${money} a part, or ${word(account, 'belowMargin')}`;
}

function smppOf(account: Row): string {
  const sessions = `at most ${counted(word(account, 'smppBinds'), 'session')} with a window of ${word(account, 'smppWindow')}`;
  return `${sessions}, data_coding 0 is ${word(account, 'smppDataCoding0')}, long ones by ${word(account, 'smppLong')}`;
}

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

function showStatus(value: unknown): string {
  const account: Row = toRow(value);
  return `account ${word(account, 'name')} is ${word(account, 'status')}`;
}
