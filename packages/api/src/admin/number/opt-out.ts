/* Opt-outs: the list of receivers that want no more messages, its history, and the words that change it. */

import { optOutScopes, wordMeanings } from '../../values/number.ts';
import { described, list, optional, orNone, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { count, flag, instant, name, oneOf, place, rowId, sentence, text } from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';
import { counted } from '../../fields/shown.ts';

export const optOutReasonMax = 200;

/** The most entries in one import request. A request is one commit, and other commits wait about 20 ms for it. */
const optOutsMax = 2_000;

const account = name({ summary: 'account that the opt-out list belongs to' });
const receiver = text({
  summary: 'international phone number of the receiver',
  placeholder: '<number>',
  isPersonal: 'number',
  example: '+41791234567',
});
const sender = text({
  summary: 'only for this sender; without a sender, for all senders of the account',
  placeholder: '<sender>',
  example: 'ACME',
});
const reason = sentence({
  max: optOutReasonMax,
  summary: 'reason, which is stored in the history',
  placeholder: '<words>',
  example: 'letter of 3 May',
});

const whose = {
  account: optional(described(account, { summary: 'only the opt-out list of this account' })),
  receiver: optional(described(receiver, { summary: 'only this receiver' })),
};
const entry = { receiver, sender: optional(sender), reason };

const cause = {
  by: oneOf(['inbound', 'operator'], { summary: 'cause of the opt-out: an inbound message, or an operator' }),
  inbound: orNone(rowId({ summary: 'id of the inbound message that opted out or in' })),
  word: orNone(text({ summary: 'opt-out word in the inbound message' })),
  actor: orNone(text({ summary: 'operator who made the change' })),
  reason: orNone(text({ summary: 'reason that the operator gave' })),
};
const listed = {
  account,
  receiver,
  sender: orNone(described(sender, { summary: 'sender that is opted out of; null for all senders' })),
};
const fields = { ...listed, since: instant({ summary: 'when the receiver opted out' }), ...cause };

type Cause = Values<typeof cause>;

const senderColumn = { title: 'SENDER', of: (row: { readonly sender: string | null }) => row.sender ?? '(all)' };
const whyColumn = {
  title: 'WHY',
  of: ({ inbound, word, actor: who, reason: why }: Cause) =>
    inbound === null ? `${who ?? ''}: ${why ?? ''}` : `wrote ${word ?? ''} (inbound ${inbound})`,
};

const words = list(text({ summary: 'a word' }), { summary: 'words in this language' });
const ownWord = {
  word: text({ summary: 'word of the account', label: 'Own word' }),
  means: oneOf(wordMeanings, { label: 'Meaning', summary: 'meaning of the word' }),
};
const usualWords = { language: text({ summary: 'language of the words' }), stop: words, start: words };
/** The columns of the usual words. The words to stop are last, because there are many of them. */
const usualColumns = ['language', 'start', 'stop'] as const;
const onOrOff = oneOf(['on', 'off'], {
  summary: 'whether STOP and START in inbound messages change the opt-out list',
  placeholder: '<on-or-off>',
});
const scope = oneOf(optOutScopes, {
  summary: 'scope of a STOP: all senders of the account (account), or only the number that got the STOP (sender)',
  placeholder: '<scope>',
});

/** The opt-out settings and words of an account. Without an account, the answer has only the usual words. */
const handling = {
  account: optional(account),
  words: optional(onOrOff),
  scope: optional(scope),
  stopWord: optional(orNone(text({ summary: 'example of a word that opts out' }))),
  startWord: optional(orNone(text({ summary: 'example of a word that opts in again' }))),
  warnings: optional(
    list(text({ summary: 'a warning' }), { summary: 'warnings about words that usually have another meaning' }),
  ),
  accountWords: optional(
    rows(ownWord, { summary: 'own words of the account', whenEmpty: 'the account has no words of its own' }),
  ),
  usual: rows(usualWords, { columns: usualColumns, summary: 'usual words of all accounts, by language' }),
};

/** The columns of the answer to a change, which does not repeat the usual words. */
const handlingColumns = ['account', 'words', 'scope', 'stopWord', 'startWord', 'warnings', 'accountWords'] as const;

export const optOut = resource('optOut', {
  summary: 'Opt-outs: receivers that want no more messages',
  command: 'optout',
  operations: {
    list: page('/opt-outs', {
      summary: 'List the receivers that have opted out of an account or a sender',
      label: 'Opt-outs',
      role: 'support',
      input: whose,
      limit: 50,
      after: place(/^\d{1,10}\/\+\d{7,15}\/.{0,32}$/u),
      answer: fields,
      columns: ['account', 'receiver', senderColumn, 'since', whyColumn],
      command: {
        examples: {
          'optout list --account acme': 'list the receivers that opted out of acme',
          'optout list --receiver +41791234567': 'list the opt-outs of this receiver',
        },
        whenEmpty: 'no receiver has opted out',
      },
    }),
    history: page('/opt-outs/events', {
      summary: 'List the changes of the opt-out lists, with their reasons, newest first',
      label: 'History of opt-outs',
      role: 'support',
      input: whose,
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: {
        id: rowId({ summary: 'id of the change' }),
        at: instant({ summary: 'time of the change' }),
        ...listed,
        wish: oneOf(['out', 'in'], { summary: 'whether the receiver opted out, or in again', label: 'Opted' }),
        ...cause,
      },
      columns: ['id', 'at', 'wish', 'account', 'receiver', senderColumn, whyColumn],
      command: {
        examples: { 'optout history --receiver +41791234567': 'list the opt-outs and opt-ins of this receiver' },
        whenEmpty: 'no opt-out list has changed yet',
      },
    }),
    add: post('/opt-outs', {
      repeat: 'same',
      summary: 'Add a receiver to the opt-out list of an account; messages to the receiver are then refused',
      label: 'Add an opt-out',
      input: { account, ...entry },
      answer: {
        ...listed,
        added: flag({ summary: 'whether the entry is new; false if the receiver was on the list before' }),
      },
      command: {
        examples: {
          'optout add --account acme --receiver +41791234567 --reason "letter of 3 May"':
            'refuse messages to this receiver from every sender of acme',
          'optout add --account acme --receiver +41791234567 --sender ACME --reason "by phone"':
            'refuse messages to this receiver from the sender ACME',
        },
        says: ({ added, ...row }) =>
          `${row.receiver} ${added ? 'is now' : 'was already'} opted out of ${row.sender ?? `all senders of ${row.account}`}`,
      },
    }),
    import: post('/opt-outs/import', {
      repeat: 'same',
      summary: 'Add many receivers to the opt-out list of an account; existing entries stay unchanged',
      input: {
        account,
        list: rows(entry, { min: 1, max: optOutsMax, summary: 'entries to add', typed: [] }),
      },
      answer: {
        account,
        entries: count({ summary: 'number of entries in the request' }),
        added: count({ summary: 'number of new entries' }),
      },
      command: {
        examples: {
          'optout import stops.csv --account acme --reason "list of our last provider"':
            'import the opt-outs from another provider',
        },
        splits: 'list',
        says: ({ account: ofWhom, entries, added }) => {
          const before = counted(entries - added, 'was already on it', 'were already on it');
          const said = counted(added, 'receiver was', 'receivers were');
          return `${said} added to the opt-out list of ${ofWhom}${entries === added ? '' : `; ${before}`}`;
        },
        notes: `The file is CSV. Its heading names the column receiver, and may name the columns sender and reason. Other columns are
ignored. In a file without a heading, the first column is the receiver. One unreadable line makes the gateway refuse the
whole file.`,
      },
    }),
    remove: remove('/opt-outs', {
      summary: 'Remove a receiver from the opt-out list of an account; the history keeps the reason',
      warning: 'The account may send to this receiver again. Remove it only if the receiver asked for it.',
      input: {
        account,
        ...entry,
        sender: optional(
          described(sender, {
            summary: 'remove only the entry for this sender; without a sender, all entries of the receiver',
          }),
        ),
      },
      answer: { account, receiver, removed: count({ summary: 'number of removed entries' }) },
      command: {
        examples: {
          'optout remove --account acme --receiver +41791234567 --reason "asked for it"':
            'allow messages to this receiver again',
        },
        says: (removed) => `${removed.receiver} is removed from the opt-out list`,
      },
    }),
    words: get('/opt-outs/words', {
      summary: 'Show the words with which a receiver opts out, and in again',
      input: {
        account: optional(
          described(account, { summary: 'also show the own words and the opt-out settings of this account' }),
        ),
      },
      answer: handling,
      command: {
        examples: {
          'optout words': 'show the usual words of all languages',
          'optout words --account acme': 'show the words that apply to acme',
        },
      },
    }),
    word: post('/opt-outs/words', {
      repeat: 'same',
      summary: 'Add an own opt-out word to an account, or disable a usual word',
      input: {
        account,
        word: text({ summary: 'word or phrase; case, accents and punctuation are ignored', example: 'CANCEL' }),
        means: oneOf([...wordMeanings, 'usual'], {
          label: 'Meaning',
          summary: 'meaning of the word for this account; usual restores the meaning for all accounts',
          placeholder: '<meaning>',
        }),
      },
      answer: handling,
      columns: handlingColumns,
      command: {
        arguments: ['word'],
        examples: {
          'optout word "STOP ACME" --account acme --means stop': 'let STOP ACME also opt out of acme',
          'optout word CANCEL --account acme --means nothing':
            'disable CANCEL, for example because customers cancel appointments with it',
          'optout word CANCEL --account acme --means usual': 'give CANCEL its usual meaning again',
        },
      },
    }),
    set: patch('/accounts/{account}/opt-outs', {
      summary: 'Change the opt-out settings of an account: whether STOP and START count, and for which senders',
      input: { account, words: optional(onOrOff), scope: optional(scope) },
      answer: handling,
      columns: handlingColumns,
      command: {
        arguments: [],
        examples: {
          'optout set --account acme --scope sender':
            'let STOP apply to one sender only, for numbers of different companies',
          'optout set --account acme --words off': 'ignore STOP and START, because the client keeps its own list',
        },
      },
    }),
  },
});
