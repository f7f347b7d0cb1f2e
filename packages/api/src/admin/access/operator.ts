import { orNone, pick } from '../../fields/compose.ts';
import { count, instant, name, oneOf, text } from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';
import { roles } from './role.ts';
import { newPassword, presentFields } from './sign-in.ts';

/* Operators: the persons who may call the operator's API, each with a role. */

const fields = {
  operator: name({ summary: 'name of the operator', label: 'Name', example: 'jane' }),
  role: oneOf(roles, {
    summary: 'role of the operator: owner, operator, support, finance or viewer',
    placeholder: '<role>',
    example: 'support',
  }),
  createdAt: instant({ summary: 'when the operator was added' }),
  keys: count({ summary: 'number of keys that are not revoked' }),
  codes: oneOf(['on', 'off'], {
    summary: 'whether sign-ins to the console need one-time codes',
    label: 'One-time codes',
    words: { on: 'codes on', off: 'codes off' },
  }),
  lastUsedAt: orNone(instant({ summary: 'when the gateway last recorded a use of a key, once a day for each key' })),
};

const notes = `An owner may do everything. An operator may change everything except rights, keys, accounts, carriers' settings and
prices. Support reads messages, with most digits of the numbers hidden and without texts. Finance has prices, costs,
statements, top-ups and the ledger. A viewer reads settings and states. The file operator-key in the data directory is the
key of an owner who is always there.`;

export const operator = resource('operator', {
  changes: ['operator-key'],
  summary: 'Operators, who call the operator’s API with keys of their own, and their roles',
  operations: {
    add: post('/operators', {
      repeat: 'same',
      summary: 'Add an operator with a role; operator-key add then makes a key',
      role: 'owner',
      input: pick(fields, 'operator', 'role'),
      answer: pick(fields, 'operator', 'role', 'createdAt'),
      command: {
        arguments: ['operator'],
        examples: {
          'operator add jane --role support': 'add a person who answers questions of clients',
          'operator add monitor --role viewer': 'add a program that only reads',
        },
        notes,
        says: (added) => `operator ${added.operator} has the role ${added.role}: give a key with operator-key add`,
      },
    }),
    set: patch('/operators/{operator}', {
      summary: 'Give an operator another role, from the next request on',
      role: 'owner',
      input: pick(fields, 'operator', 'role'),
      answer: pick(fields, 'operator', 'role', 'createdAt'),
      command: {
        examples: { 'operator set jane --role finance': 'let jane see prices and post top-ups' },
        notes,
        says: (row) => `operator ${row.operator} has the role ${row.role}`,
      },
    }),
    list: page('/operators', {
      summary: 'List the operators by name, with their roles',
      role: 'owner',
      input: {},
      after: fields.operator,
      answer: fields,
      command: {
        examples: { 'operator list': 'show who may do what' },
        whenEmpty: 'there are no operators yet; add one with operator add',
      },
    }),
    show: get('/operators/{operator}', {
      summary: 'Show one operator',
      role: 'owner',
      input: pick(fields, 'operator'),
      answer: fields,
      command: { examples: { 'operator show jane': 'show the role of jane' } },
    }),
    remove: remove('/operators/{operator}', {
      summary: 'Remove an operator with all keys; the audit log keeps the entries',
      warning: 'The operator and all keys and sessions are removed.',
      role: 'owner',
      input: pick(fields, 'operator'),
      answer: pick(fields, 'operator'),
      command: {
        examples: { 'operator remove jane --reason "left in May"': 'refuse every key of jane from now on' },
        says: (removed) => `operator ${removed.operator} is removed, with all keys`,
      },
    }),
    signInLink: post('/operators/{operator}/sign-in-link', {
      repeat: 'key',
      summary:
        'Make a link with which an operator sets a password and signs in to the console, once and within 15 minutes',
      label: 'Sign-in link',
      role: 'owner',
      input: pick(fields, 'operator'),
      answer: {
        link: text({ summary: 'the link; no later answer shows it again', isSecret: true, example: 'http://…' }),
        expiresAt: instant({ summary: 'when the link stops working' }),
      },
      command: {
        examples: { 'operator sign-in-link jane': 'let jane set a new password' },
        says: ({ link }) => `${link}\n\nThe link works once, within 15 minutes, and sets the password of the operator.`,
      },
    }),
    password: post('/whoami/password', {
      repeat: 'same',
      summary: 'Set your own password of the console, which ends all your sessions',
      label: 'Set a new password',
      role: 'viewer',
      isForSessions: true,
      input: { ...presentFields, password: newPassword },
      answer: pick(fields, 'operator'),
    }),
    newCodes: post('/whoami/codes', {
      summary: 'Make a secret for an authenticator app; operator.codes then turns the codes on',
      role: 'viewer',
      isForSessions: true,
      isChange: false,
      input: {},
      answer: {
        secret: text({ summary: 'the secret, for typing', isSecret: true, example: 'JBSWY3DPEHPK3PXP' }),
        uri: text({
          summary: 'the same as an address that authenticator apps read',
          isSecret: true,
          example: 'otpauth://…',
        }),
      },
    }),
    codes: post('/whoami/codes/on', {
      repeat: 'same',
      summary: 'Ask for one-time codes of an authenticator app at each of your sign-ins',
      label: 'Turn codes on',
      role: 'viewer',
      isForSessions: true,
      input: {
        ...presentFields,
        secret: text({ summary: 'the secret', isSecret: true }),
        code: text({ summary: 'a code of the app, which proves that it has the secret', isSecret: true }),
      },
      answer: pick(fields, 'operator'),
    }),
    withoutCodes: remove('/operators/{operator}/codes', {
      summary: 'Let an operator sign in without one-time codes, for example after a phone was lost',
      warning: 'The operator signs in with the password alone, until codes are turned on again.',
      role: 'owner',
      input: pick(fields, 'operator'),
      answer: pick(fields, 'operator'),
      command: {
        words: 'operator without-codes',
        examples: { 'operator without-codes jane': 'jane has lost the phone' },
        says: (row) => `operator ${row.operator} signs in without one-time codes`,
      },
    }),
    self: get('/whoami', {
      summary: 'Show the operator and the role of the key that the command uses',
      input: {},
      answer: {
        ...pick(fields, 'operator', 'role'),
        key: text({ summary: 'id of the key; built-in for the key of the data directory', example: '4be5ff51d5fb' }),
        address: text({ summary: 'IP address from which the request came', example: '192.0.2.7' }),
      },
      command: { words: 'whoami', examples: { whoami: 'show who you are to the gateway' } },
    }),
  },
});
