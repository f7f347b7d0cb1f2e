import { isUser, passwordMax, passwordMin, userMax } from '../../values/credentials.ts';
import { allowList, described, optional, orNone, pick } from '../../fields/compose.ts';
import { ascii, flag, instant, name, network, place, text, textThat } from '../../fields/fields.ts';
import { page, patch, post, remove, resource } from '../resource.ts';

/* Logins, with which clients bind over SMPP. */

const fields = {
  systemId: textThat({ summary: 'system_id of the login, as smpp-login list shows it' }, isUser, {
    placeholder: '<name>',
    wants: `must be 1 to ${userMax} visible ASCII characters; SMPP allows no more`,
    schema: { pattern: `^[!-~]{1,${userMax}}$` },
    example: 'acme',
  }),
  account: name({ summary: 'account whose messages the login sends and receives' }),
  from: allowList(network({ summary: 'an address' }), {
    summary: 'addresses that clients may bind from: a list such as 192.0.2.0/24,2001:db8::1, any, or "" for no address',
    placeholder: '<addresses>',
  }),
  createdAt: instant({ summary: 'when the login was created' }),
  lastBindAt: orNone(instant({ summary: 'when a client last bound with the login' })),
  removedAt: orNone(instant({ summary: 'when the login was removed', usual: '' })),
};

const password = ascii({
  min: passwordMin,
  max: passwordMax,
  summary: 'password of the login: the first line of the input',
  isSecret: true,
  typed: ['file', 'stdin'],
});

/** Warns of a long password, because SMPP 3.4 clients may cut it off after 8 characters. */
const warning = optional(text({ summary: 'a warning that some clients cannot send this password' }));

export const login = resource('login', {
  changes: ['account', 'session'],
  summary: 'SMPP logins, which clients bind with',
  command: 'smpp-login',
  operations: {
    add: post('/accounts/{account}/logins', {
      repeat: 'same',
      summary: 'Create an SMPP login for an account; a generated password is shown only once',
      role: 'owner',
      input: {
        account: fields.account,
        systemId: optional(
          described(fields.systemId, {
            summary: `system_id of the login, up to ${userMax} ASCII characters`,
            defaultText: 'the name of the account',
          }),
        ),
        password: optional(password),
        from: optional(fields.from, 'any'),
      },
      answer: {
        ...pick(fields, 'systemId', 'account'),
        password: optional(
          text({ summary: 'generated password of the login; no later answer shows it again', isSecret: true }),
        ),
        warning,
      },
      command: {
        examples: {
          'smpp-login add acme': 'create a login with a generated password of 8 characters',
          'smpp-login add acme --system-id acme1 --password-file ./acme.password --from 192.0.2.0/24':
            'choose the password, and allow binds from one network only',
          'smpp-login add acme --password-stdin < acme.password': 'read the password from standard input',
        },
        says: (made) => {
          const end = `Clients can now bind with this login for account ${made.account}. To end it: smpp-login remove ${made.systemId}`;
          const secret = `\npassword   ${made.password}\n\nThe password is shown only this once. ${end}`;
          return `system_id  ${made.systemId}${made.password === undefined ? `\n\n${end}` : secret}`;
        },
      },
    }),
    list: page('/logins', {
      summary: 'List the logins of one account or of all accounts, newest first',
      input: {
        account: optional(described(fields.account, { summary: 'only the logins of this account' })),
        removed: optional(flag({ summary: 'include removed logins, with the time of their removal' }), false),
      },
      after: place(/^\d{1,15}$/),
      answer: fields,
      columns: ['systemId', 'account', 'from', 'createdAt', 'lastBindAt', 'removedAt'],
      command: {
        arguments: ['account'],
        examples: {
          'smpp-login list acme': 'show when each login of acme was created and last used',
          'smpp-login list --removed': 'include removed logins',
        },
        whenEmpty: 'there are no logins yet; create a login with smpp-login add',
      },
    }),
    set: patch('/logins/{systemId}', {
      summary: 'Change the password of a login, or the addresses that clients may bind from',
      role: 'owner',
      input: { systemId: fields.systemId, password: optional(password), from: optional(fields.from) },
      answer: { ...fields, warning },
      columns: ['systemId', 'account', 'from', 'createdAt', 'lastBindAt'],
      command: {
        examples: {
          'smpp-login set acme --from 192.0.2.0/24': 'allow one network only, and close sessions from other addresses',
          'smpp-login set acme --password-file ./acme.password': 'change the password; bound sessions stay bound',
          'smpp-login set acme --password-file - < acme.password':
            'read the new password from standard input, as with --password-stdin',
        },
      },
    }),
    remove: remove('/logins/{systemId}', {
      summary: 'Remove a login and close its sessions; clients can no longer bind with it',
      warning: 'The sessions of this login end, and nobody binds with it again.',
      role: 'owner',
      input: pick(fields, 'systemId'),
      answer: pick(fields, 'systemId'),
      command: {
        examples: { 'smpp-login remove acme1': 'remove this login; other logins of the account stay' },
        says: ({ systemId }) => `login ${systemId} is removed, and its sessions are being closed`,
      },
    }),
  },
});
