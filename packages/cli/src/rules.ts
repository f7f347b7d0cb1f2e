import { numberModes } from '@morsel/api/values/account.ts';
import { asking } from './admin-client.ts';
import type { Command, Option } from './command.ts';
import { allowedText, column, numberColumn, table, timeColumn, toRows, word } from './table.ts';
import type { Row } from './table.ts';

/** What `account add` and `account set` take of an account's rules. None is looked at until it is set. */
export const ruleOptions: readonly Option[] = [
  {
    flags: '--senders <list>',
    summary:
      'senders that it may use: ACME,+41*,kind:short-code (also kind:numeric, kind:alphanumeric), any, or "" for nothing (default: any)',
  },
  {
    flags: '--allow-countries <list>',
    summary:
      'countries and beginnings of numbers that it may send to: CH,DE,+4179, any, or "" for nothing (default: any)',
  },
  { flags: '--deny-countries <list>', summary: 'where it may not send, whatever is allowed, or none (none)' },
  {
    flags: '--premium <mode>',
    summary: 'numbers of premium rate and shared cost (allow)',
    choices: numberModes,
  },
  {
    flags: '--unknown <mode>',
    summary: 'ranges of numbers that are not known to be in use (allow)',
    choices: numberModes,
  },
  {
    flags: '--fixed-line <mode>',
    summary: 'numbers of fixed lines, where mobile numbers look different (allow)',
    choices: numberModes,
  },
  {
    flags: '--allow-prefixes <list>',
    summary:
      'numbers that are let through though they are premium, unknown or of a fixed line: +41900123,+4413, any, or "" for nothing (default: "")',
  },
  { flags: '--rate <parts>', summary: 'parts it may send: 50/s or 100/60s, or none (none)' },
  {
    flags: '--burst <parts>',
    summary: 'parts that may go at once after a pause, or none for those of a second (none)',
  },
  {
    flags: '--receiver-velocity <messages>',
    summary:
      'messages to one receiver, by all digits of its number: 5/60s, or none (none); numbers with digits too many are --unknown',
  },
  {
    flags: '--prefix-velocity <messages>',
    summary: 'messages to numbers whose first digits are alike, 1 to 14 of them: 100/60s/8 for 8, or none (none)',
  },
  {
    flags: '--repeat-seconds <seconds>',
    summary:
      'for how long the same text may not go to the same receiver, or none (none); blanks, case and what is invisible do not count',
  },
  {
    flags: '--rule-modes <list>',
    summary: 'what becomes of messages that break a rule that is set (refuse): rate=watch,repeat=off',
  },
  {
    flags: '--from <addresses>',
    summary:
      'addresses that its requests may come from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing (default: any)',
  },
];

/** What is set of them, for the card of an account. */
export function ruleLines(account: Row): readonly (readonly [string, string])[] {
  const lines: readonly (readonly [string, string])[] = [
    ['senders', allowedIn(account, 'senders')],
    ['countries', allowedIn(account, 'allowCountries')],
    ['not to', listOf(account, 'denyCountries')],
    ['premium numbers', numbersOf(account, 'premium')],
    ['unknown numbers', numbersOf(account, 'unknown')],
    ['fixed-line numbers', numbersOf(account, 'fixedLine')],
    ['but not', word(account, 'allowPrefixes').replaceAll(',', ', ')],
    ['rate', isSet(account, 'rate') ? `${word(account, 'rate')} parts, ${word(account, 'burst')} at once` : ''],
    ['to one receiver', isSet(account, 'receiverVelocity') ? `${word(account, 'receiverVelocity')} messages` : ''],
    ['to one prefix', isSet(account, 'prefixVelocity') ? `${word(account, 'prefixVelocity')} messages/digits` : ''],
    ['same text', isSet(account, 'repeatSeconds') ? `not again for ${word(account, 'repeatSeconds')} s` : ''],
    ['rule modes', listOf(account, 'ruleModes')],
    ['requests from', allowedText(account['from'], ', ')],
  ];
  return lines.filter(([, text]) => text !== '');
}

export const ruleCommands: readonly Command[] = [
  {
    words: 'account rules',
    summary: 'Show how often the rules of an account, or of all, were broken, and by what last',
    arguments: [{ name: 'account', summary: 'whose rules', isOptional: true }],
    examples: [
      ['account rules acme', 'what its rules watched and refused'],
      ['account set acme --rate 50/s --rule-modes rate=watch', 'only count at first what a rate would refuse'],
    ],
    run: asking('ruleHits', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'no message has broken a rule' }, hasColour),
    ),
  },
];

const columns = [
  column('ACCOUNT', 'account'),
  column('RULE', 'rule'),
  numberColumn('WATCHED', 'watched'),
  numberColumn('REFUSED', 'refused'),
  timeColumn('FIRST', 'firstAt'),
  timeColumn('LAST', 'lastAt'),
  column('LAST FROM', 'lastSender'),
  column('LAST TO', 'lastReceiver'),
];

function isSet(account: Row, member: string): boolean {
  return word(account, member) !== 'none';
}

function listOf(account: Row, member: string): string {
  return isSet(account, member) ? word(account, member).replaceAll(',', ', ') : '';
}

/** An allow-list that came as the text by which it is set. */
function allowedIn(account: Row, member: string): string {
  return word(account, member).replaceAll(',', ', ') || 'nothing';
}

function numbersOf(account: Row, member: string): string {
  const mode = word(account, member);
  return mode === 'allow' ? '' : mode;
}
