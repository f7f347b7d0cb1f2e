import { described, optional, pick } from '../compose.ts';
import { instant, name, place, text } from '../fields.ts';
import { numberFields, numberText } from './number.ts';
import { page, post, remove, resource } from '../resource.ts';

/* Keywords: they divide the inbound messages of one number among several accounts. */

const fields = {
  ...numberFields,
  word: text({
    summary: 'one word; case, accents and marks around it do not count',
    placeholder: '<word>',
    title: 'KEYWORD',
    example: 'taxi',
  }),
  account: name({ summary: 'account that gets the messages with this keyword' }),
  createdAt: instant({ summary: 'when it was added' }),
};

const kind = optional(fields.kind, 'number');

export const keyword = resource('keyword', {
  summary: 'Keywords: which account gets the inbound messages of a number that begin with a word',
  operations: {
    add: post('/numbers/{number}/keywords', {
      summary: 'Give the inbound messages of a number that begin with this word to an account',
      input: { ...pick(fields, 'number', 'word', 'account'), kind },
      answer: pick(fields, 'number', 'kind', 'word', 'account'),
      command: {
        arguments: ['number', 'word'],
        examples: [
          ['keyword add 8822 TAXI --account acme', '"taxi, please" to 8822 is for acme'],
          ['keyword add +4179500 INFO --prefix --account beta', 'on every number of this range'],
        ],
        notes: `The first word of a message counts: letters and digits of any script. Marks around it do not count (#Taxi!), nor do case
and the accents of Latin and Greek letters. Where a script has no spaces (Chinese, Japanese, Thai), the longest keyword
that the text begins with counts. STOP opts the sender out of all accounts on the number, "STOP TAXI" or "TAXI STOP" only
of the account with that keyword. So words like STOP cannot be keywords.`,
        says: (added) => `"${added.word}" to ${numberText(added)} is for ${added.account}`,
      },
    }),
    list: page('/keywords', {
      summary: 'List the keywords of a number, of an account, or all',
      input: {
        number: optional(described(fields.number, { summary: 'only on this number or short code' })),
        kind: optional(described(fields.kind, { summary: 'the number is how a range begins' }), 'number'),
        account: optional(described(fields.account, { summary: 'only of this account' })),
      },
      after: place(/^\d{1,20}\/(?:number|prefix)\/.+$/u),
      answer: fields,
      columns: [{ title: 'NUMBER', of: numberText }, 'word', 'account', 'createdAt'],
      command: {
        examples: [
          ['keyword list --number 8822', 'the keywords of 8822'],
          ['keyword list --account acme', 'the words of acme, on all numbers'],
        ],
        whenEmpty: 'there are no such keywords: use keyword add',
      },
    }),
    remove: remove('/numbers/{number}/keywords/{word}', {
      summary: 'Take a keyword from its number; earlier messages stay with its account',
      input: { ...pick(fields, 'number', 'word'), kind },
      answer: pick(fields, 'number', 'kind', 'word'),
      command: {
        examples: [['keyword remove 8822 TAXI', 'messages with it are for the account that has the number itself']],
        says: (removed) => `${numberText(removed)} has no keyword "${removed.word}" any more`,
      },
    }),
  },
});
