import { numberKinds } from '../../values/number.ts';
import { optional, orNone, pick } from '../../fields/compose.ts';
import type { About } from '../../fields/field.ts';
import { count, flag, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { page, patch, post, remove, resource } from '../resource.ts';

/** The fields that name a number or a range. The gateway checks the form of the number, which depends on the kind. */
export const numberFields = {
  number: text({
    summary: 'international number, or short code of 3 to 8 digits',
    placeholder: '<number>',
    example: '+41791112233',
  }),
  kind: oneOf(numberKinds, {
    summary: 'the given number is the first digits of a range of international numbers',
    flag: { name: 'prefix', value: 'prefix' },
  }),
};

/** The number as a table shows it. A range has `…` after its first digits. */
export function numberText({ number, kind }: { readonly number: string; readonly kind: string }): string {
  return `${number}${kind === 'prefix' ? '…' : ''}`;
}

const fields = {
  ...numberFields,
  account: orNone(name({ summary: 'account that gets the messages to the number; null for a shared number' })),
  keywords: count({ summary: 'number of keywords of the number' }),
  createdAt: instant({ summary: 'when the number was added' }),
};

const given = { number: fields.number, kind: optional(fields.kind, 'number') };
const shared = optional(
  flag({ summary: 'share the number among accounts by keywords (see keyword add); it has no account of its own' }),
  false,
);
/** A field without its example. The example of a number has an account or is shared, but not both. */
const withoutExample = ({ example: _example, ...about }: About): About => about;

const owner = {
  account: optional(name({ summary: 'account that gets the messages to the number, except messages with a keyword' })),
  shared: { ...shared, about: withoutExample(shared.about) },
};

const owned = {
  input: { ...given, ...owner },
  answer: pick(fields, 'number', 'kind', 'account'),
};

function ownerText({ account, ...number }: { number: string; kind: string; account: string | null }): string {
  return account === null
    ? `messages to ${numberText(number)} go to accounts by keyword; add keywords with keyword add`
    : `messages to ${numberText(number)} are for ${account}`;
}

export const number = resource('number', {
  changes: ['keyword', 'inbound'],
  summary: 'Numbers of accounts, whose inbound messages the accounts get',
  operations: {
    add: post('/numbers', {
      repeat: 'same',
      ...owned,
      summary: 'Give the inbound messages to a number or a range to an account; the longest match wins',
      command: {
        arguments: ['number'],
        examples: {
          'number add +41791112233 --account acme': 'give messages to this number to acme',
          'number add +4179500 --prefix --account acme': 'give messages to all numbers of this range to acme',
          'number add 8811 --account acme': 'give messages to this short code to acme',
          'number add 8822 --shared': 'share this short code by keywords',
        },
        says: ownerText,
      },
    }),
    set: patch('/numbers/{number}', {
      ...owned,
      keys: ['kind'],
      summary: 'Give a number to another account; its keywords and earlier messages stay where they are',
      command: {
        examples: {
          'number set 8822 --account beta': 'give messages to 8822 without a keyword to beta from now on',
          'number set 8822 --shared': 'share 8822 by keywords only, without an account of its own',
        },
        says: ownerText,
      },
    }),
    list: page('/numbers', {
      summary: 'List the numbers of one account or of all accounts',
      input: { account: optional(name({ summary: 'only the numbers of this account' })) },
      after: place(/^\d{1,20}\/(?:number|prefix)$/),
      answer: fields,
      columns: [
        { title: 'NUMBER', of: numberText },
        'kind',
        { title: 'ACCOUNT', of: ({ account }) => account ?? '(shared)' },
        'keywords',
        'createdAt',
      ],
      command: {
        examples: {
          'number list': 'list all numbers with their accounts',
          'number list --account acme': 'list the numbers of acme',
        },
        whenEmpty: 'there are no numbers yet; add a number with number add',
      },
    }),
    remove: remove('/numbers/{number}', {
      summary: 'Remove a number from its account; earlier messages stay with the account',
      warning: 'Inbound messages to this number belong to no account from now on.',
      input: given,
      answer: pick(fields, 'number', 'kind'),
      command: {
        examples: {
          'number remove +41791112233': 'remove this number; the account of its range, if any, gets its messages',
        },
        says: (removed) => `number ${numberText(removed)} is removed`,
      },
    }),
  },
});
