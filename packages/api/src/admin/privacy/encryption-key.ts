import { accountName } from '../account/settings.ts';
import { described, optional, orNone } from '../../fields/compose.ts';
import { count, instant, name, place, text } from '../../fields/fields.ts';
import { page, post, resource } from '../resource.ts';

/* The keys that encrypt texts, passwords and secrets in the database. */

const fields = {
  account: orNone(
    name({ summary: 'account whose texts and webhook secrets it encrypts; null for the gateway itself' }),
  ),
  version: count({ summary: 'version of the key; the newest one encrypts, and older ones only open' }),
  masterKey: text({ summary: 'id of the master key that encrypts it', example: '9f86d081884c7d65' }),
  createdAt: instant({ summary: 'when it was made' }),
};

const changed = { keys: count({ summary: 'keys that were made or encrypted again' }) };

export const encryptionKey = resource('encryption-key', {
  changes: ['privacy', 'account'],
  summary: 'The keys that encrypt texts, passwords and secrets in the database',
  operations: {
    list: page('/encryption-keys', {
      summary: 'List the keys of the gateway and of all accounts, and the master key of each',
      input: {},
      after: place(/^\d{1,15}\/\d{1,15}$/),
      answer: fields,
      columns: ['account', 'version', 'masterKey', 'createdAt'],
      command: { examples: { 'encryption-key list': 'show which keys there are, and which master key encrypts them' } },
    }),
    rotate: post('/encryption-keys/rotate', {
      repeat: 'key',
      summary: 'Make a new key, which encrypts from now on; older versions still open what they encrypted',
      role: 'owner',
      input: { account: optional(described(accountName, { summary: 'only the key of this account' })) },
      answer: changed,
      command: {
        examples: {
          'encryption-key rotate --account acme': 'encrypt the next texts of acme with a new key',
          'encryption-key rotate': 'make new keys for the gateway and for all accounts',
        },
        says: ({ keys }) => `${keys} new ${keys === 1 ? 'key was' : 'keys were'} made`,
      },
    }),
    rewrap: post('/encryption-keys/rewrap', {
      repeat: 'same',
      summary: 'Encrypt all keys with the master key in the first line of its file',
      label: 'Encrypt with the new master key',
      role: 'owner',
      input: {},
      answer: changed,
      command: {
        examples: {
          'encryption-key rewrap': 'use a new master key, which is the first line of the file at every node',
        },
        says: ({ keys }) => `${keys} ${keys === 1 ? 'key is' : 'keys are'} encrypted with the new master key now`,
      },
    }),
  },
});
