import { newAccountSettings } from '../../values/account.ts';
import { zeroMicros } from '../../values/money.ts';
import { accountName, accountSettings, ruleSettings } from './settings.ts';
import { changes, described, group, optional, optionals, pick, withDefaults } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { amount, amountMax, count, currency, flag, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/* Accounts of clients. An account pays for messages and has a balance, limits and rules. */

const fields = {
  name: described(accountName, { summary: 'name of the new account: letters, digits, dots, hyphens and underscores' }),
  currency: currency({ summary: 'currency of the account, such as EUR' }),
  status: oneOf(['active', 'suspended', 'removed'], {
    summary: 'status of the account; the gateway accepts messages only of active accounts',
  }),
  balance: amount({ summary: 'balance of the account' }),
  priceList: name({ summary: 'price list that sets the prices for the account', example: 'default' }),
  ...accountSettings,
  spentDay: amount({ summary: 'amount that the account has spent today', label: 'Spent today' }),
  spentMonth: amount({ summary: 'amount that the account has spent this month', label: 'Spent this month' }),
  ...ruleSettings,
  hasCallbackSecret: flag({ label: 'Callbacks', summary: 'whether messages of the account may have a callback URL' }),
  createdAt: instant({ summary: 'when the account was created' }),
};

type Row = Values<typeof fields>;

const one = { account: accountName };
const statusOf = ({ name: called, status }: Row) => `account ${called} is ${status}`;

const ruleHit = {
  account: accountName,
  rule: text({ summary: 'rule that messages of the account broke', example: 'countries' }),
  watched: count({ summary: 'messages that broke the rule and were sent anyway, because its mode is watch' }),
  refused: count({ summary: 'messages that broke the rule and were refused' }),
  firstAt: instant({ summary: 'when a message first broke the rule' }),
  lastAt: instant({ summary: 'when a message last broke the rule' }),
  lastSender: text({
    summary: 'sender of the last message that broke the rule',
    label: 'Last from',
    isPersonal: 'number',
    example: 'ACME',
  }),
  lastReceiver: text({
    summary: 'receiver of the last message that broke the rule',
    label: 'Last to',
    isPersonal: 'number',
    example: '+41791112233',
  }),
};

export const account = resource('account', {
  changes: ['session', 'message', 'posting'],
  summary: 'Accounts, which pay for messages, with their balances, limits and rules',
  operations: {
    add: post('/accounts', {
      repeat: 'same',
      summary: 'Create an account, with an optional first top-up',
      role: 'owner',
      input: {
        ...group('Money', {
          ...pick(fields, 'name', 'currency'),
          balance: optional(amount({ min: 0, max: amountMax, summary: 'amount of the first top-up' }), zeroMicros),
          priceList: optional(fields.priceList, 'default'),
        }),
        ...withDefaults(accountSettings, newAccountSettings),
        ...optionals(ruleSettings),
      },
      answer: fields,
      command: {
        arguments: ['name'],
        examples: {
          'account add acme --currency EUR --balance 100': 'create an account with a balance of 100 euros',
          'account add post --currency EUR --credit-limit 500': 'create an account that may owe up to 500 euros',
        },
      },
    }),
    list: page('/accounts', {
      summary: 'List all accounts',
      input: {},
      after: accountName,
      answer: fields,
      columns: ['name', 'status', 'balance', 'currency', 'creditLimit', 'priceList', 'createdAt'],
      command: {
        examples: { 'account list': 'show every account with its balance' },
        whenEmpty: 'there are no accounts yet; create an account with account add',
      },
    }),
    show: get('/accounts/{account}', {
      summary: 'Show one account',
      input: one,
      answer: fields,
      command: { examples: { 'account show acme': 'show the balance and settings of acme' } },
    }),
    set: patch('/accounts/{account}', {
      summary: 'Change settings of an account; they apply from its next message on',
      role: 'owner',
      input: {
        ...one,
        ...changes({ ...group('Money', pick(fields, 'priceList')), ...accountSettings, ...ruleSettings }),
      },
      answer: fields,
      command: {
        examples: {
          'account set acme --credit-limit 500': 'let acme owe up to 500 from now on',
          'account set acme --low-balance 50,10':
            'open an alarm and notify the account when the balance falls below 50, and again below 10',
          'account set acme --allow-countries CH,DE,+4366 --premium refuse':
            'send only to these countries, and refuse premium numbers',
          'account set acme --rate 50/s --burst 200': 'limit acme to 50 parts a second, or 200 at once after a pause',
          'account set acme --day-cap 200 --time-zone Europe/Zurich':
            'let acme spend at most 200 from midnight to midnight in Zurich',
        },
      },
    }),
    suspend: post('/accounts/{account}/suspend', {
      repeat: 'same',
      summary: 'Refuse all new messages of an account until it is resumed',
      when: ({ status }) => status === 'active',
      warning: 'All new messages of this account are refused until you resume it. Waiting messages are still sent.',
      input: one,
      answer: fields,
      command: { examples: { 'account suspend acme': 'refuse the requests of acme from now on' }, says: statusOf },
    }),
    resume: post('/accounts/{account}/resume', {
      repeat: 'same',
      summary: 'Accept the messages of a suspended account again',
      when: ({ status }) => status !== 'active',
      input: one,
      answer: fields,
      command: { examples: { 'account resume acme': 'accept the requests of acme from now on' }, says: statusOf },
    }),
    remove: remove('/accounts/{account}', {
      summary: 'Remove an account that was never charged and has no tokens, logins, numbers or webhooks',
      warning:
        'Only an account that was never charged, and has no tokens, logins, numbers or webhooks, can be removed.',
      role: 'owner',
      input: one,
      answer: one,
      command: {
        examples: { 'account remove acmee': 'remove an account whose name was mistyped' },
        says: (removed) => `account ${removed.account} is removed`,
      },
    }),
    erase: post('/accounts/{account}/erase', {
      repeat: 'same',
      summary: 'Make all texts of a suspended account unreadable for good, by dropping the key that encrypts them',
      label: 'Erase texts',
      warning:
        'Nobody will be able to read the texts of this account again. Reports and the ledger stay. The account must be suspended.',
      role: 'owner',
      input: one,
      answer: one,
      command: {
        examples: { 'account erase acme': 'erase the texts of a client that has left; reports and the ledger stay' },
        asks: () => 'Nobody will be able to read the texts of this account again. Erase them?',
        says: (erased) => `the texts of account ${erased.account} are erased`,
      },
    }),
    callbackSecret: post('/accounts/{account}/callback-secret', {
      repeat: 'key',
      summary:
        'Make the secret that signs callbacks of messages, which lets the account use them; it is shown only once',
      role: 'owner',
      input: one,
      answer: {
        ...one,
        secret: text({ summary: 'the new secret; no later answer shows it again', isSecret: true, example: 'whsec_…' }),
      },
      command: {
        examples: {
          'account callback-secret acme': 'let acme give callback URLs with its messages, or replace its secret',
        },
        says: ({ account: called, secret }) =>
          `callbacks of account ${called} are now signed with this secret, which is shown only this once:\n${secret}`,
      },
    }),
    rules: page('/rule-hits', {
      summary: 'Show how often messages broke the rules of one account or of all accounts',
      label: 'Broken rules',
      input: { account: optional(described(accountName, { summary: 'only the rules of this account' })) },
      after: place(/^\d{1,15}\/\d{1,15}\/[a-z-]+$/),
      answer: ruleHit,
      command: {
        arguments: ['account'],
        examples: {
          'account rules acme': 'count the messages of acme that broke a rule',
          'account set acme --rate 50/s --rule-modes rate=watch':
            'count the messages above a rate without refusing them',
        },
        whenEmpty: 'no message has broken a rule yet',
      },
    }),
  },
});
