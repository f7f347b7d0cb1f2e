import { retained } from '../../values/account.ts';
import { orNone } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { anyLength, durationIn } from '../../fields/duration.ts';
import { count, flag, instant, oneOf, place } from '../../fields/fields.ts';
import { page, resource } from '../resource.ts';

/* The removal of old texts, numbers and records. */

const fields = {
  what: oneOf(retained, { summary: 'what is removed, of messages or of inbound messages' }),
  days: durationIn('days', { ...anyLength, summary: 'age at which it is removed', label: 'Kept' }),
  accounts: count({ summary: 'accounts that keep it for this number of days' }),
  dueUntil: instant({ summary: 'the messages of this time and older ones are due' }),
  doneUntil: orNone(instant({ summary: 'those of this time and older ones are done; null before the first' })),
  removed: count({ summary: 'messages of which it was removed since the number of days is in use' }),
  lastAt: orNone(instant({ summary: 'when the last one was removed; null for never' })),
  leftBehind: count({
    summary: 'unfinished messages that were passed over; they follow within an hour after their end',
  }),
  isDue: flag({ label: 'Due', summary: 'whether some of it is still due' }),
};

const stateColumn = {
  title: 'STATE',
  of: ({ isDue, leftBehind }: Values<typeof fields>) =>
    `${isDue ? 'at work' : 'done'}${leftBehind === 0 ? '' : `; ${leftBehind} unfinished messages follow`}`,
};

export const retention = resource('retention', {
  summary: 'The removal of old texts, numbers and records of messages',
  operations: {
    list: page('/retention', {
      summary: 'Show what is removed after how many days, and how far that has come',
      label: 'What is kept how long',
      input: {},
      after: place(/^[a-z-]{1,20}$/),
      answer: fields,
      columns: ['what', 'days', 'accounts', 'dueUntil', 'doneUntil', 'removed', 'lastAt', stateColumn],
      command: {
        examples: {
          'retention list': 'show how far the removal has come',
          'account set acme --text-days 30': 'keep the texts of acme for 30 days only',
        },
        notes: `An account keeps texts, phone numbers and all other data of its messages for three numbers of days, which
account set changes. The gateway removes what is older all the time, in small steps, so that messages do not wait.
Inbound messages without an account are kept as long as those of a new account.`,
      },
    }),
  },
});
