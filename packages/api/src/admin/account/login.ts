import { isSystemId, passwordMax, passwordMin, systemIdMax } from '../../values/credentials.ts';
import { allowList, described, optional, orNone, pick } from '../compose.ts';
import { ascii, flag, instant, name, network, place, text, textThat } from '../fields.ts';
import { page, patch, post, remove, resource } from '../resource.ts';

/* SMPP logins: the credentials of clients. */

const fields = {
  systemId: textThat({ summary: 'system_id of the login, as smpp-login list shows it' }, isSystemId, {
    placeholder: '<name>',
    wants: `must be 1 to ${systemIdMax} visible ASCII characters: SMPP has room for no more`,
    schema: { pattern: `^[!-~]{1,${systemIdMax}}$` },
    example: 'acme',
  }),
  account: name({ summary: 'account whose messages it sends and receives' }),
  from: allowList(network({ summary: 'an address' }), {
    summary: 'addresses that it may bind from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing',
    placeholder: '<addresses>',
  }),
  createdAt: instant({ summary: 'when it was made' }),
  lastBindAt: orNone(instant({ summary: 'when a client bound with it last' })),
  removedAt: orNone(instant({ summary: 'when it was removed', usual: '' })),
};

const password = ascii({
  min: passwordMin,
  max: passwordMax,
  summary: 'its password, the first line',
  isSecret: true,
  typed: ['file', 'stdin'],
});

/** A warning, because clients of SMPP 3.4 cut long passwords. */
const warning = optional(text({ summary: 'behaviour of clients with this password' }));

export const login = resource('login', {
  summary: 'SMPP logins of clients',
  command: 'smpp-login',
  operations: {
    add: post('/accounts/{account}/logins', {
      summary:
        'Make a login for an account to bind with over SMPP; without a password of yours one is made, and shown this once',
      role: 'owner',
      input: {
        account: fields.account,
        systemId: optional(
          described(fields.systemId, {
            summary: `its system_id, up to ${systemIdMax} ASCII characters`,
            defaultText: 'the name of the account',
          }),
        ),
        password: optional(password),
        from: optional(fields.from, 'any'),
      },
      answer: {
        ...pick(fields, 'systemId', 'account'),
        password: optional(text({ summary: 'its password, if the gateway made it: this answer alone ever shows it' })),
        warning,
      },
      command: {
        examples: [
          ['smpp-login add acme', 'a system_id and a password of 8 characters, for every client of SMPP'],
          [
            'smpp-login add acme --system-id acme1 --password-file ./acme.password --from 192.0.2.0/24',
            'a password of your own, from one network',
          ],
          ['smpp-login add acme --password-stdin < acme.password', 'the password from standard input'],
        ],
        says: (made) => {
          const end = `It binds for ${made.account}; to end it: smpp-login remove ${made.systemId}`;
          const secret = `\npassword   ${made.password}\n\nThis is the only time that the password is shown. ${end}`;
          return `system_id  ${made.systemId}${made.password === undefined ? `\n\n${end}` : secret}`;
        },
      },
    }),
    list: page('/logins', {
      summary: 'List the logins of an account, or all, the newest first',
      input: {
        account: optional(described(fields.account, { summary: 'only its logins' })),
        removed: optional(flag({ summary: 'also those that were removed, and when' }), false),
      },
      after: place(/^\d{1,15}$/),
      answer: fields,
      columns: ['systemId', 'account', 'from', 'createdAt', 'lastBindAt', 'removedAt'],
      command: {
        arguments: ['account'],
        examples: [
          ['smpp-login list acme', 'when each was made and last bound'],
          ['smpp-login list --removed', 'former logins with a system_id, too'],
        ],
        whenEmpty: 'there are no logins yet: make one with smpp-login add',
      },
    }),
    set: patch('/logins/{systemId}', {
      summary: 'Change where a login may bind from, or its password; bound sessions go on where they may',
      role: 'owner',
      input: { systemId: fields.systemId, password: optional(password), from: optional(fields.from) },
      answer: { ...fields, warning },
      columns: ['systemId', 'account', 'from', 'createdAt', 'lastBindAt'],
      command: {
        examples: [
          ['smpp-login set acme --from 192.0.2.0/24', 'from one network; sessions from elsewhere are closed'],
          ['smpp-login set acme --password-file ./acme.password', 'another password, from the next bind on'],
          [
            'smpp-login set acme --password-file - < acme.password',
            'the same from standard input, as with --password-stdin',
          ],
        ],
      },
    }),
    remove: remove('/logins/{systemId}', {
      summary: 'End a login: nobody binds with it any more, and its sessions are closed',
      role: 'owner',
      input: pick(fields, 'systemId'),
      answer: pick(fields, 'systemId'),
      command: {
        examples: [['smpp-login remove acme1', 'the others of its account stay']],
        says: ({ systemId }) => `the login ${systemId} is removed, and its sessions are being closed`,
      },
    }),
  },
});
