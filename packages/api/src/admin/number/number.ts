import { numberKinds } from '../../values/number.ts';
import { optional, orNone, pick } from '../compose.ts';
import { count, flag, instant, name, oneOf, place, text } from '../fields.ts';
import { page, patch, post, remove, resource } from '../resource.ts';

/** A number whose inbound messages go to accounts. The gateway checks its form with its kind. */
export const numberFields = {
  number: text({
    summary: 'an international number, or a short code of 3 to 8 digits',
    placeholder: '<number>',
    example: '+41791112233',
  }),
  kind: oneOf(numberKinds, {
    summary: 'every international number that begins with these digits',
    flag: { name: 'prefix', value: 'prefix' },
  }),
};

/** A range is shown as one. */
export function numberText({ number, kind }: { readonly number: string; readonly kind: string }): string {
  return `${number}${kind === 'prefix' ? '…' : ''}`;
}

const fields = {
  ...numberFields,
  account: orNone(name({ summary: 'account that gets its messages; none for a shared number' })),
  keywords: count({ summary: 'how many keywords it has' }),
  createdAt: instant({ summary: 'when it was added' }),
};

const given = { number: fields.number, kind: optional(fields.kind, 'number') };
const owner = {
  account: optional(
    name({ summary: 'account that gets its messages; where it has keywords, only messages without one' }),
  ),
  shared: optional(flag({ summary: 'no account: only keywords lead from it to accounts (keyword add)' }), false),
};

const owned = {
  input: { ...given, ...owner },
  answer: pick(fields, 'number', 'kind', 'account'),
};

function ownerText({ account, ...number }: { number: string; kind: string; account: string | null }): string {
  return account === null
    ? `messages to ${numberText(number)} go by their keyword: add some with keyword add`
    : `messages to ${numberText(number)} are for ${account}`;
}

export const number = resource('number', {
  summary: 'Numbers: which account gets the inbound messages of a number',
  operations: {
    add: post('/numbers', {
      ...owned,
      summary: 'Give the inbound messages of a number to an account; the longest match wins',
      command: {
        arguments: ['number'],
        examples: [
          ['number add +41791112233 --account acme', 'messages to this number are for acme'],
          ['number add +4179500 --prefix --account acme', 'and to all numbers of this range'],
          ['number add 8811 --account acme', 'and to this short code'],
          ['number add 8822 --shared', 'messages to this one go by their keyword'],
        ],
        says: ownerText,
      },
    }),
    set: patch('/numbers/{number}', {
      ...owned,
      summary: 'Give a number to another account; its keywords stay, and so do earlier messages',
      command: {
        examples: [
          ['number set 8822 --account beta', 'messages without a keyword of 8822 are for beta from now on'],
          ['number set 8822 --shared', 'or for no account'],
        ],
        says: ownerText,
      },
    }),
    list: page('/numbers', {
      summary: 'List the numbers of an account, or all',
      input: { account: optional(name({ summary: 'only its numbers' })) },
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
        examples: [
          ['number list', 'every number, and its account'],
          ['number list --account acme', 'those of acme'],
        ],
        whenEmpty: 'no account has a number yet: use number add',
      },
    }),
    remove: remove('/numbers/{number}', {
      summary: 'Take a number from its account; earlier messages stay there',
      input: given,
      answer: pick(fields, 'number', 'kind'),
      command: {
        examples: [
          ['number remove +41791112233', 'messages to it are for the account that has the range, or for none'],
        ],
        says: (removed) => `${numberText(removed)} has no account of its own any more`,
      },
    }),
  },
});
