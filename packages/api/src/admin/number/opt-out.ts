/* Opt-outs: receivers that want no more messages, the words that put them on the list, and its history. */

import { optOutScopes, wordMeanings } from '../../values/number.ts';
import { actor, described, list, optional, orNone, record } from '../compose.ts';
import type { Values } from '../field.ts';
import { count, flag, instant, name, oneOf, place, rowId, sentence, text } from '../fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/** Most characters of a reason. */
export const optOutReasonMax = 200;

/** Entries of one request of an import: they are one commit, and other commits wait some 20 ms for it. */
export const optOutsMax = 2_000;

const account = name({ summary: 'account whose list it is' });
const receiver = text({
  summary: 'international number of the phone',
  placeholder: '<number>',
  isPersonal: true,
  example: '+41791234567',
});
const sender = text({ summary: 'for this sender alone; without it for all', placeholder: '<sender>', example: 'ACME' });
const reason = sentence({
  max: optOutReasonMax,
  summary: 'why, as the history will say',
  placeholder: '<words>',
  example: 'letter of 3 May',
});

const whose = {
  account: optional(described(account, { summary: 'only of this account' })),
  receiver: optional(described(receiver, { summary: 'only of this phone' })),
};
const entry = { receiver, sender: optional(sender), reason };

const cause = {
  by: oneOf(['inbound', 'operator'], { summary: 'whether an inbound message did it, or an operator' }),
  inbound: orNone(rowId({ summary: 'id of the inbound message' })),
  word: orNone(text({ summary: 'word in that message' })),
  actor: orNone(text({ summary: 'operator who did it' })),
  reason: orNone(text({ summary: 'why' })),
};
const listed = { account, receiver, sender: orNone(described(sender, { summary: 'sender; null for all' })) };
const fields = { ...listed, since: instant({ summary: 'since when' }), ...cause };

type Cause = Values<typeof cause>;

const senderColumn = { title: 'SENDER', of: (row: { readonly sender: string | null }) => row.sender ?? '(all)' };
const whyColumn = {
  title: 'WHY',
  of: ({ inbound, word, actor: who, reason: why }: Cause) =>
    inbound === null ? `${who ?? ''}: ${why ?? ''}` : `wrote ${word ?? ''} (inbound ${inbound})`,
};

const words = list(text({ summary: 'a word' }), { summary: 'words' });
const ownWord = {
  word: text({ summary: 'a word', title: 'OWN WORD' }),
  means: oneOf(wordMeanings, { summary: 'its meaning' }),
};
/** The table of an account's words. */
export const ownWordsTable = { answer: ownWord, columns: ['word', 'means'] } as const;
const usualWords = { language: text({ summary: 'a language' }), stop: words, start: words };
const onOrOff = oneOf(['on', 'off'], {
  summary: 'whether STOP and START in inbound messages change the list',
  placeholder: '<on-or-off>',
});
const scope = oneOf(optOutScopes, {
  summary: 'a STOP is for all senders of the account, or only for the number that it was sent to',
  placeholder: '<scope>',
});

/** The settings and words of an account's list. Without an account only the usual words. */
const handling = {
  account: optional(account),
  words: optional(onOrOff),
  scope: optional(scope),
  stopWord: optional(orNone(text({ summary: 'a word that opts out' }))),
  startWord: optional(orNone(text({ summary: 'a word that opts in again' }))),
  warnings: optional(list(text({ summary: 'a sentence' }), { summary: 'words with another usual meaning' })),
  accountWords: optional(list(record(ownWord, { summary: 'a word' }), { summary: 'words of the account' })),
  usual: list(record(usualWords, { summary: 'a language' }), { summary: 'words of all accounts, by language' }),
};

export const optOut = resource('optOut', {
  summary: 'Opt-outs: receivers that want no more messages',
  command: 'optout',
  operations: {
    list: page('/opt-outs', {
      summary: 'List receivers that want no more messages, of which account and sender, and since when',
      input: whose,
      limit: 50,
      after: place(/^\d{1,10}\/\+\d{7,15}\/.{0,32}$/u),
      answer: fields,
      columns: ['account', 'receiver', senderColumn, 'since', whyColumn],
      command: {
        examples: [
          ['optout list --account acme', 'receivers that opted out of acme'],
          ['optout list --receiver +41791234567', 'the opt-outs of this phone'],
        ],
        whenEmpty: 'nobody has opted out',
      },
    }),
    history: page('/opt-outs/events', {
      summary: 'List changes of the lists, the newest first: who opted out and in again, when and why',
      input: whose,
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: {
        id: rowId({ summary: 'id of the change' }),
        at: instant({ summary: 'when' }),
        ...listed,
        wish: oneOf(['out', 'in'], { summary: 'opted out, or in again', title: 'OPTED' }),
        ...cause,
      },
      columns: ['id', 'at', 'wish', 'account', 'receiver', senderColumn, whyColumn],
      command: {
        examples: [['optout history --receiver +41791234567', 'the changes of this phone, with their reasons']],
        whenEmpty: 'nothing has changed yet',
      },
    }),
    add: post('/opt-outs', {
      summary: 'Put a phone on the list of an account: nothing is sent to it any more',
      input: { account, ...entry, actor },
      answer: { ...listed, added: flag({ summary: 'false where it was on the list before' }) },
      command: {
        examples: [
          [
            'optout add --account acme --receiver +41791234567 --reason "letter of 3 May"',
            'no sender of acme may write to it',
          ],
          ['optout add --account acme --receiver +41791234567 --sender ACME --reason "by phone"', 'ACME may not'],
        ],
        says: ({ added, ...row }) =>
          `${row.receiver} gets nothing more from ${row.sender ?? `any sender of ${row.account}`}${added ? '' : ', as before: it was on the list'}`,
      },
    }),
    import: post('/opt-outs/import', {
      summary: 'Put many numbers on the list of an account, all of them or none; existing entries stay as they are',
      input: {
        account,
        list: list(record(entry, { summary: 'an entry' }), {
          min: 1,
          max: optOutsMax,
          summary: 'the entries',
          typed: [],
        }),
        actor,
      },
      answer: {
        account,
        entries: count({ summary: 'entries that were given' }),
        added: count({ summary: 'new entries' }),
      },
      command: {
        examples: [
          ['optout import stops.csv --account acme --reason "list of our last provider"', 'nobody has to say it again'],
        ],
        notes: `The file is CSV with a heading that names its columns: receiver, and sender and reason if it has them. Others are left out.
Without a heading its first column are receivers. A file with a line that cannot be read is refused as a whole.`,
      },
    }),
    remove: remove('/opt-outs', {
      summary: 'Take a phone from the list of an account; the history keeps that and why',
      input: {
        account,
        ...entry,
        sender: optional(described(sender, { summary: 'its entry for this sender alone; without it all' })),
        actor,
      },
      answer: { account, receiver, removed: count({ summary: 'entries that were removed' }) },
      command: {
        examples: [
          ['optout remove --account acme --receiver +41791234567 --reason "asked for it"', 'it gets messages again'],
        ],
        says: (removed) => `${removed.receiver} is off the list`,
      },
    }),
    words: get('/opt-outs/words', {
      summary: 'Show the words that opt a sender out, and in again',
      input: { account: optional(described(account, { summary: 'also its own words, and how its list is filled' })) },
      answer: handling,
      command: {
        examples: [
          ['optout words', 'the usual words of all languages'],
          ['optout words --account acme', 'the words that count for acme'],
        ],
      },
    }),
    word: post('/opt-outs/words', {
      summary: 'Give an account a word of its own, or take a usual one away',
      input: {
        account,
        word: text({ summary: 'a word or a phrase; case, accents and punctuation do not count', example: 'CANCEL' }),
        means: oneOf([...wordMeanings, 'usual'], {
          summary: 'its meaning for this account; usual is the same as everywhere',
          placeholder: '<meaning>',
        }),
      },
      answer: handling,
      command: {
        arguments: ['word'],
        examples: [
          ['optout word "STOP ACME" --account acme --means stop', 'one more way to opt out'],
          ['optout word CANCEL --account acme --means nothing', 'it cancels appointments here'],
          ['optout word CANCEL --account acme --means usual', 'and now the same as everywhere'],
        ],
      },
    }),
    set: patch('/accounts/{account}/opt-outs', {
      summary: 'Set whether STOP and START in inbound messages change the list of an account, and for which senders',
      input: { account, words: optional(onOrOff), scope: optional(scope) },
      answer: handling,
      command: {
        arguments: [],
        examples: [
          ['optout set --account acme --scope sender', 'its numbers belong to different companies'],
          ['optout set --account acme --words off', 'its own system keeps the list'],
        ],
      },
    }),
  },
});
