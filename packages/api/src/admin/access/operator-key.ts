import { keyId, sourceAddresses } from '../account/key-fields.ts';
import { described, optional, orNone, pick } from '../../fields/compose.ts';
import { instant, name, oneOf, text } from '../../fields/fields.ts';
import { page, post, resource } from '../resource.ts';

/* The keys with which operators call the operator's API. */

const fields = {
  id: keyId('id of the key, as operator-key list shows it', { start: 'morselop_', of: 'key' }),
  operator: name({ summary: 'operator whose key it is', example: 'jane' }),
  createdAt: instant({ summary: 'when the key was created' }),
  from: sourceAddresses,
  expiresAt: orNone(
    instant({
      summary: 'when the key stops working: a time such as 2027-01-31T12:00:00Z, or none for never',
      option: 'expires',
    }),
  ),
  lastUsedAt: orNone(instant({ summary: 'when the gateway last recorded a use of the key, once a day' })),
  revokedAt: orNone(instant({ summary: 'when the key was revoked' })),
  kind: oneOf(['key', 'session'], {
    summary: 'key of a program or of the command line, or session of the console',
    usual: 'key',
  }),
  agent: orNone(text({ summary: 'browser of the session', usual: '', example: 'Firefox/151.0' })),
};

export const operatorKey = resource('operator-key', {
  changes: ['operator'],
  summary: 'Keys of operators, for the command line on other machines and for programs',
  operations: {
    add: post('/operators/{operator}/keys', {
      repeat: 'key',
      summary: 'Create a key for an operator; the key is shown only once',
      label: 'Add a key',
      role: 'owner',
      input: {
        operator: fields.operator,
        expiresAt: optional(fields.expiresAt, null),
        from: optional(fields.from, 'any'),
      },
      answer: {
        key: text({
          summary: 'the whole key; no later answer shows it again',
          isSecret: true,
          example: 'morselop_…',
        }),
        ...pick(fields, 'id', 'operator', 'expiresAt'),
      },
      command: {
        examples: {
          'operator-key add jane': 'create a key for jane, who uses it with morsel login',
          'operator-key add monitor --from 192.0.2.0/24 --expires 2027-01-31':
            'create a key that works from one network only, until this day',
        },
        says: (made) =>
          `${made.key}\n\nThe key is shown only this once. It belongs to operator ${made.operator}. To end it: operator-key revoke ${made.id}`,
      },
    }),
    list: page('/operator-keys', {
      summary: 'List the keys of one operator or of all operators, newest first',
      label: 'Keys and sessions',
      role: 'owner',
      input: { operator: optional(described(fields.operator, { summary: 'only the keys of this operator' })) },
      after: fields.id,
      answer: fields,
      command: {
        arguments: ['operator'],
        examples: { 'operator-key list jane': 'show when each key of jane was created and last used' },
        whenEmpty: 'there are no operator keys yet; create one with operator-key add',
      },
    }),
    sessions: page('/whoami/sessions', {
      summary: 'List your own sessions of the console, newest first',
      label: 'Your sessions',
      role: 'viewer',
      isForSessions: true,
      input: {},
      after: fields.id,
      answer: pick(fields, 'id', 'createdAt', 'expiresAt', 'lastUsedAt', 'agent'),
    }),
    end: post('/whoami/sessions/{id}/end', {
      repeat: 'same',
      summary: 'End one of your own sessions of the console',
      warning: 'This session must sign in again.',
      role: 'viewer',
      isForSessions: true,
      input: pick(fields, 'id'),
      answer: pick(fields, 'id'),
    }),
    revoke: post('/operator-keys/{id}/revoke', {
      repeat: 'same',
      summary: 'Revoke a key; the gateway refuses every later request with it',
      when: ({ revokedAt }) => revokedAt === null,
      warning: 'Every later request with this key is refused.',
      role: 'owner',
      input: pick(fields, 'id'),
      answer: {
        ...pick(fields, 'id', 'operator'),
        warning: optional(text({ summary: 'how the operator still gets in without the key' })),
      },
      command: {
        examples: { 'operator-key revoke 4be5ff51d5fb': 'revoke one key' },
        says: ({ id, operator }) => `key ${id} of operator ${operator} is revoked`,
      },
    }),
  },
});
