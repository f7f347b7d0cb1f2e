import { ok, refused } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import { usage } from './command.ts';
import type { Command, Shell } from './command.ts';
import { column, numberColumn, stateColumn, table, timeColumn, toRows } from './table.ts';

export const sessionCommands: readonly Command[] = [
  {
    words: 'session list',
    summary: 'List the sessions that clients have bound to us over SMPP, of an account or all',
    arguments: [{ name: 'account', summary: 'whose sessions', isOptional: true }],
    examples: [['session list acme', 'how each is bound, since when, and what it does']],
    run: asking('sessions', (value, shell) => sessionTable(value, shell)),
  },
  {
    words: 'session close',
    summary: 'Unbind sessions after what is in flight; their clients may bind again',
    arguments: [{ name: 'id', summary: 'the id of one, as session list shows it', isOptional: true }],
    options: [
      { flags: '--account <name>', summary: 'all of an account' },
      { flags: '--system-id <name>', summary: 'all of a login' },
    ],
    examples: [
      ['session close 7', 'one session'],
      ['session close --account acme', 'all of them: to keep them away, account suspend acme or smpp-login remove'],
    ],
    run: async (input, shell) => {
      if (Object.keys(input.values).length !== 1) {
        return refused(usage('say which: the id of a session, or --account, or --system-id'));
      }
      const reply = await call(shell, 'closeSessions', input.values);
      return reply.ok ? ok(reportOf(reply.value, (value) => `closed:\n${sessionTable(value, shell)}`)) : reply;
    },
  },
];

const columns = [
  column('ID', 'id'),
  column('ACCOUNT', 'account'),
  column('SYSTEM ID', 'systemId'),
  column('BIND', 'bind'),
  column('VERSION', 'version'),
  column('ADDRESS', 'address'),
  column('TLS', 'tls'),
  stateColumn('STATE', 'state'),
  timeColumn('SINCE', 'since'),
  numberColumn('UNANSWERED', 'unanswered'),
  numberColumn('IN FLIGHT', 'inFlight'),
  numberColumn('ACCEPTED', 'accepted'),
  numberColumn('REFUSED', 'refused'),
  timeColumn('HEARD', 'heardAt'),
];

function sessionTable(value: unknown, { hasColour }: Shell): string {
  return table({ columns, rows: toRows(value), whenEmpty: 'no session is bound' }, hasColour);
}
