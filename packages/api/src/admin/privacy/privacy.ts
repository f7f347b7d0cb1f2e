import { erasurePhases } from '../../values/account.ts';
import { list, orNone, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { anyLength, durationIn } from '../../fields/duration.ts';
import { count, instant, oneOf, place, rowId, sentence, text } from '../../fields/fields.ts';
import { get, page, post, resource } from '../resource.ts';

/* The erasure of one phone number, and the export of what is stored about it. */

const receiver = text({
  summary: 'international phone number of the person',
  placeholder: '<number>',
  isPersonal: 'number',
  example: '+41791112233',
});
const reason = sentence({
  max: 200,
  summary: 'reason, which is stored with the erasure; do not write the number into it',
  placeholder: '<words>',
  example: 'request of 3 May',
});

const fields = {
  id: rowId({ summary: 'id of the erasure' }),
  at: instant({ summary: 'when the erasure was ordered' }),
  actor: text({ summary: 'operator who ordered it' }),
  reason,
  receiver: orNone(text({ summary: 'the phone number; null once it is erased', isPersonal: 'number' })),
  code: text({ summary: 'code in the place of the number', example: '~kfbgdpomhcz' }),
  phase: oneOf(erasurePhases, {
    summary:
      'what the erasure does: it looks through messages, through inbound messages, waits for unfinished messages, looks into the files, or is done',
  }),
  messages: count({ summary: 'erased messages' }),
  inbound: count({ summary: 'erased inbound messages' }),
  stale: orNone(
    count({ summary: 'places in the files of the database where the number still is; null if nobody could look' }),
  ),
  leftIn: orNone(
    list(text({ summary: 'a column' }), {
      summary:
        'tables and columns with the number in rows that stay, such as the client reference of another message; null if nobody looked',
      example: ['message.client_ref'],
    }),
  ),
  endedAt: orNone(instant({ summary: 'when the erasure was done; null before that' })),
};
type Erasure = Values<typeof fields>;

/**
 * Says where the number is still found. A rebuild is advised only for old copies in files, because it changes no rows.
 */
function provenText({ phase, stale, leftIn }: Erasure): string {
  if (phase !== 'done') return '';
  if (leftIn !== null && leftIn.length > 0) return `left in ${leftIn.join(', ')}`;
  if (stale === null) return 'not looked at';
  return stale === 0 ? 'in no file' : `${stale} old copies: run privacy rebuild`;
}

const filesColumn = { title: 'FILES', of: provenText };

export const privacy = resource('privacy', {
  changes: ['message', 'inbound', 'receipt'],
  summary: 'Erasure and export of what is stored about one phone number',
  operations: {
    erase: post('/privacy/erasures', {
      repeat: 'same',
      summary: 'Erase the texts, the number and all other traces of one phone number, also of inbound messages',
      label: 'Erase a number',
      warning: 'Everything about this number is removed from messages, records and files. This cannot be undone.',
      role: 'owner',
      input: { receiver, reason },
      answer: { id: fields.id },
      command: {
        asks: ({ receiver: number }) => `Erase ${number} in all messages? Nobody can undo this.`,
        examples: {
          'privacy erase --receiver +41791112233 --reason "request of 3 May"': 'erase a person who asks for it',
        },
        says: ({ id }) => `erasure ${id} has begun: privacy list shows its progress`,
        notes: `The gateway looks through all messages in the background, and goes on after a restart. A code stands for the number
afterwards, so balances and statements stay right. An unfinished message is erased when it has ended. An opt-out of the
number stays as a code, so that the person gets no message again. At the end the gateway looks for the number in all files of
the data directory, and in all columns of the database that are not encrypted.`,
      },
    }),
    list: page('/privacy/erasures', {
      summary: 'List erasures with their progress, newest first',
      label: 'Erased numbers',
      role: 'owner',
      input: {},
      after: place(/^\d{1,15}$/),
      answer: fields,
      columns: ['id', 'at', 'phase', 'messages', 'inbound', filesColumn, 'endedAt', 'reason'],
      command: {
        examples: { 'privacy list': 'show how far an erasure has come' },
        whenEmpty: 'no number was erased yet',
      },
    }),
    rebuild: post('/privacy/rebuild', {
      repeat: 'same',
      summary: 'Rebuild the database file, so that no old copies of erased data stay in it; messages wait meanwhile',
      role: 'owner',
      input: {},
      answer: { tookMs: durationIn('ms', { ...anyLength, summary: 'how long it took', label: 'Took' }) },
      command: {
        asks: () => 'Rebuild the database? No message is accepted meanwhile, for about ten seconds for each GiB.',
        examples: { 'privacy rebuild': 'after an erasure that left old copies, in a quiet hour' },
        says: ({ tookMs }) => `the database was rebuilt in ${tookMs} ms: privacy list shows what is left`,
      },
    }),
    export: get('/privacy/export', {
      summary: 'Write all that is stored about one phone number as JSON lines',
      role: 'owner',
      discloses: true,
      input: { receiver, after: place(/^(?:message|inbound|rest)\/\d{1,16}$/, { typed: [] }) },
      answer: {
        rows: rows(
          {
            table: text({ summary: 'table of the row', example: 'message' }),
            row: text({ summary: 'row, as JSON', isPersonal: true }),
          },
          { summary: 'rows with the number' },
        ),
        next: orNone(text({ summary: '`after` of the next request; null at the end', example: 'inbound/0' })),
      },
      command: {
        examples: {
          'privacy export --receiver +41791112233 > answer.jsonl': 'answer a person who asks what is stored about them',
        },
        notes: 'Times are in milliseconds since 1970, amounts in millionths of their currency.',
      },
    }),
  },
});
