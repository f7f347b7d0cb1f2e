import { described, optional, pick } from '../../fields/compose.ts';
import { instant, name, place, text } from '../../fields/fields.ts';
import { numberFields, numberText } from './number.ts';
import { page, post, remove, resource } from '../resource.ts';

/* Keywords, by which several accounts share the inbound messages of one number. */

const fields = {
  ...numberFields,
  word: text({
    summary: 'keyword: one word; case, accents and surrounding punctuation are ignored',
    placeholder: '<word>',
    label: 'Keyword',
    example: 'taxi',
  }),
  account: name({ summary: 'account that gets the messages with this keyword' }),
  createdAt: instant({ summary: 'when the keyword was added' }),
};

const kind = optional(fields.kind, 'number');

export const keyword = resource('keyword', {
  changes: ['number', 'inbound'],
  summary: 'Keywords, which give inbound messages that begin with a word to an account',
  operations: {
    add: post('/numbers/{number}/keywords', {
      repeat: 'same',
      summary: 'Give the inbound messages to a number that begin with a keyword to an account',
      input: { ...pick(fields, 'number', 'word', 'account'), kind },
      answer: pick(fields, 'number', 'kind', 'word', 'account'),
      command: {
        arguments: ['number', 'word'],
        examples: {
          'keyword add 8822 TAXI --account acme': 'give messages to 8822 that begin with TAXI to acme',
          'keyword add +4179500 INFO --prefix --account beta': 'add the keyword to every number of this range',
        },
        notes: `The gateway compares the first word of a message with the keywords. It ignores case, punctuation (#Taxi!), and accents of
Latin and Greek letters. In scripts without spaces (Chinese, Japanese, Thai), the longest keyword at the beginning of
the text matches. STOP opts the sender out of all accounts on the number. "STOP TAXI" and "TAXI STOP" opt the sender out of
the account with the keyword TAXI only. Words such as STOP cannot be keywords.`,
        says: (added) => `messages to ${numberText(added)} with the keyword "${added.word}" are for ${added.account}`,
      },
    }),
    list: page('/keywords', {
      summary: 'List the keywords of one number, of one account, or all keywords',
      input: {
        number: optional(described(fields.number, { summary: 'only keywords of this number or short code' })),
        kind: optional(
          described(fields.kind, { summary: 'the given number is the first digits of a range' }),
          'number',
        ),
        account: optional(described(fields.account, { summary: 'only keywords of this account' })),
      },
      after: place(/^\d{1,20}\/(?:number|prefix)\/.+$/u),
      answer: fields,
      columns: [{ title: 'NUMBER', of: numberText }, 'word', 'account', 'createdAt'],
      command: {
        examples: {
          'keyword list --number 8822': 'list the keywords of 8822',
          'keyword list --account acme': 'list the keywords of acme on all numbers',
        },
        whenEmpty: 'there are no matching keywords; add a keyword with keyword add',
      },
    }),
    remove: remove('/numbers/{number}/keywords/{word}', {
      summary: 'Remove a keyword from a number; earlier messages stay with the account',
      warning: 'Inbound messages with this keyword go to the account of the number.',
      input: { ...pick(fields, 'number', 'word'), kind },
      answer: pick(fields, 'number', 'kind', 'word'),
      command: {
        examples: { 'keyword remove 8822 TAXI': 'give messages with TAXI to the account of the number again' },
        says: (removed) => `the keyword "${removed.word}" of ${numberText(removed)} is removed`,
      },
    }),
  },
});
