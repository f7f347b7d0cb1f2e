import { newAccountSettings } from '../../values/account.ts';
import { zeroMicros } from '../../values/money.ts';
import { accountName, accountSettings, ruleSettings } from './settings.ts';
import { actor, changes, described, optional, optionals, pick, withDefaults } from '../compose.ts';
import type { Values } from '../field.ts';
import { amount, amountMax, count, currency, instant, name, oneOf, place, text } from '../fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/* Accounts: they pay for messages, and have a balance, limits and rules. */

const fields = {
  name: described(accountName, { summary: 'its name: letters, digits, dots, hyphens and underscores' }),
  currency: currency({ summary: 'currency that it pays in, such as EUR' }),
  status: oneOf(['active', 'suspended', 'removed'], { summary: 'whether its messages are taken' }),
  balance: amount({ summary: 'balance' }),
  priceList: name({ summary: 'price list that says what it pays', example: 'default' }),
  ...accountSettings,
  spentDay: amount({ summary: 'amount spent today', title: 'SPENT TODAY' }),
  spentMonth: amount({ summary: 'amount spent this month', title: 'SPENT THIS MONTH' }),
  ...ruleSettings,
  createdAt: instant({ summary: 'when it was made' }),
};

type Row = Values<typeof fields>;

const one = { account: accountName };
const statusOf = ({ name: called, status }: Row) => `account ${called} is ${status}`;

const ruleHit = {
  account: accountName,
  rule: text({ summary: 'the rule that was broken', example: 'countries' }),
  watched: count({ summary: 'messages that broke it and were sent' }),
  refused: count({ summary: 'messages that broke it and were refused' }),
  firstAt: instant({ summary: 'when it was broken first' }),
  lastAt: instant({ summary: 'when it was broken last' }),
  lastSender: text({ summary: 'sender of the last message that broke it', title: 'LAST FROM', example: 'ACME' }),
  lastReceiver: text({ summary: 'its receiver', title: 'LAST TO', isPersonal: true, example: '+41791112233' }),
};

export const account = resource('account', {
  summary: 'Accounts: who pays, with balances, limits and rules',
  operations: {
    add: post('/accounts', {
      summary: 'Make an account, with a balance to begin with',
      role: 'owner',
      input: {
        ...pick(fields, 'name', 'currency'),
        balance: optional(amount({ min: 0, max: amountMax, summary: 'first top-up' }), zeroMicros),
        priceList: optional(fields.priceList, 'default'),
        ...withDefaults(accountSettings, newAccountSettings),
        ...optionals(ruleSettings),
        actor,
      },
      answer: fields,
      command: {
        arguments: ['name'],
        examples: [
          ['account add acme --currency EUR --balance 100', 'an account with 100 euros'],
          ['account add post --currency EUR --credit-limit 500', 'it may owe 500 euros'],
        ],
      },
    }),
    list: page('/accounts', {
      summary: 'List all accounts',
      input: {},
      after: accountName,
      answer: fields,
      columns: ['name', 'status', 'balance', 'currency', 'creditLimit', 'priceList', 'createdAt'],
      command: {
        examples: [['account list', 'every account with its balance']],
        whenEmpty: 'there are no accounts yet: make one with account add',
      },
    }),
    show: get('/accounts/{account}', {
      summary: 'Show one account',
      input: one,
      answer: fields,
      command: { examples: [['account show acme', 'its balance and settings']] },
    }),
    set: patch('/accounts/{account}', {
      summary: 'Change some of its settings; the next message goes by them',
      role: 'owner',
      input: { ...one, ...changes({ priceList: fields.priceList, ...accountSettings, ...ruleSettings }) },
      answer: fields,
      command: {
        examples: [
          ['account set acme --credit-limit 500', 'from now on it may owe 500'],
          ['account set acme --low-balance 50,10', 'an alert when its balance falls below 50, and one below 10'],
          ['account set acme --allow-countries CH,DE,+4366 --premium refuse', 'only there, and to no premium number'],
          ['account set acme --rate 50/s --burst 200', 'at most 50 parts a second, 200 at once after a pause'],
          [
            'account set acme --day-cap 200 --time-zone Europe/Zurich',
            'at most 200 from midnight to midnight in Zurich',
          ],
        ],
      },
    }),
    suspend: post('/accounts/{account}/suspend', {
      summary: 'Take no more messages from an account',
      input: one,
      answer: fields,
      command: { examples: [['account suspend acme', 'its requests are refused from now on']], says: statusOf },
    }),
    resume: post('/accounts/{account}/resume', {
      summary: 'Take its messages again',
      input: one,
      answer: fields,
      command: { examples: [['account resume acme', 'its requests are taken from now on']], says: statusOf },
    }),
    remove: remove('/accounts/{account}', {
      summary: 'Remove an account that was never charged and has nothing any more; suspend stops any other',
      role: 'owner',
      input: one,
      answer: one,
      command: {
        examples: [['account remove acmee', 'a slip in the name; end its tokens, logins, numbers and webhooks before']],
        says: (removed) => `account ${removed.account} is removed`,
      },
    }),
    rules: page('/rule-hits', {
      summary: 'Show how often the rules of an account, or of all, were broken, and by which message last',
      input: { account: optional(described(accountName, { summary: 'only its rules' })) },
      after: place(/^\d{1,15}\/\d{1,15}\/[a-z-]+$/),
      answer: ruleHit,
      command: {
        arguments: ['account'],
        examples: [
          ['account rules acme', 'counts of messages that broke its rules'],
          [
            'account set acme --rate 50/s --rule-modes rate=watch',
            'at first only count messages that a rate would refuse',
          ],
        ],
        whenEmpty: 'no message has broken a rule',
      },
    }),
  },
});
