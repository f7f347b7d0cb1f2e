import { ok } from '@morsel/api/values/result.ts';
import type { AdminEndpointName } from '@morsel/gateway/edge/admin/endpoints.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { Argument, Command, Shell } from './command.ts';
import { passwordOptions, withPassword } from './password-input.ts';
import { allowedColumn, column, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

const systemId: Argument = { name: 'systemId', summary: 'the system_id of the login, as smpp-login list shows it' };
const from = {
  flags: '--from <addresses>',
  summary: 'addresses that it may bind from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing (default: any)',
};

export const smppLoginCommands: readonly Command[] = [
  {
    words: 'smpp-login add',
    summary:
      'Make a login for an account to bind with over SMPP; without a password of yours one is made, and shown this once',
    arguments: [{ name: 'account', summary: 'whose messages it sends and receives' }],
    options: [
      { flags: '--system-id <name>', summary: 'its system_id, to 15 characters of ASCII (the name of the account)' },
      ...passwordOptions,
      from,
    ],
    examples: [
      ['smpp-login add acme', 'a system_id and a password of 8 characters, for every client of SMPP'],
      [
        'smpp-login add acme --system-id acme1 --password-file ./acme.password --from 192.0.2.0/24',
        'a password of your own, from one network',
      ],
      ['smpp-login add acme --password-stdin < acme.password', 'the password from standard input'],
    ],
    run: async (input, shell) => {
      const fields = await withPassword(input, shell);
      if (!fields.ok) return fields;
      const reply = await call(shell, 'addLogin', fields.value);
      return reply.ok ? ok(reportOf(reply.value, (value) => madeText(toRow(value)))) : reply;
    },
  },
  {
    words: 'smpp-login list',
    summary: 'List the logins of an account, or all',
    arguments: [{ name: 'account', summary: 'whose logins', isOptional: true }],
    options: [{ flags: '--removed', summary: 'those that were removed, too, and when' }],
    examples: [
      ['smpp-login list acme', 'when each was made and last bound'],
      ['smpp-login list --removed', 'who had a system_id before'],
    ],
    run: async ({ values, flags }, shell) => {
      const isRemovedToo = flags.has('removed');
      const reply = await call(shell, 'logins', { ...values, ...(isRemovedToo && { removed: 'true' }) });
      if (!reply.ok) return reply;
      const all = isRemovedToo ? [...columns, timeColumn('REMOVED', 'removedAt')] : columns;
      const whenEmpty = 'there are no logins yet: make one with smpp-login add';
      const show = (value: unknown) => table({ columns: all, rows: toRows(value), whenEmpty }, shell.hasColour);
      return ok(reportOf(reply.value, show));
    },
  },
  {
    words: 'smpp-login set',
    summary: 'Change where a login may bind from, or its password; sessions that are bound go on where they may',
    arguments: [systemId],
    options: [...passwordOptions, from],
    examples: [
      ['smpp-login set acme --from 192.0.2.0/24', 'from one network; sessions from elsewhere are closed'],
      ['smpp-login set acme --password-file ./acme.password', 'another password, from the next bind on'],
      [
        'smpp-login set acme --password-file - < acme.password',
        'the same from standard input, as with --password-stdin',
      ],
    ],
    run: async (input, shell) => {
      const fields = await withPassword(input, shell);
      if (!fields.ok) return fields;
      const reply = await call(shell, 'setLogin', fields.value);
      return reply.ok
        ? ok(reportOf(reply.value, (value) => `${tableOf([toRow(value)], shell)}${warningOf(toRow(value))}`))
        : reply;
    },
  },
  {
    words: 'smpp-login remove',
    summary: 'End a login: nobody binds with it any more, and its sessions are closed',
    arguments: [systemId],
    examples: [['smpp-login remove acme1', 'the others of its account stay']],
    run: asking('removeLogin' satisfies AdminEndpointName, (value) => {
      return `the login ${word(toRow(value), 'systemId')} is removed, and its sessions are being closed`;
    }),
  },
];

const columns = [
  column('SYSTEM ID', 'systemId'),
  column('ACCOUNT', 'account'),
  allowedColumn('FROM', 'from'),
  timeColumn('MADE', 'createdAt'),
  timeColumn('LAST BIND', 'lastBindAt'),
];

function tableOf(rows: readonly Row[], { hasColour }: Shell): string {
  return table({ columns, rows, whenEmpty: '' }, hasColour);
}

function madeText(made: Row): string {
  const called = `system_id  ${word(made, 'systemId')}`;
  const end = `It binds for ${word(made, 'account')}; to end it: smpp-login remove ${word(made, 'systemId')}`;
  const secret = word(made, 'password');
  return secret === ''
    ? `${called}\n\n${end}${warningOf(made)}`
    : `${called}\npassword   ${secret}\n\nThis is the only time that the password is shown. ${end}`;
}

function warningOf(made: Row): string {
  const warning = word(made, 'warning');
  return warning === '' ? '' : `\n\nNote: ${warning}`;
}
