import { isTokenId } from '@morsel/api/values/token.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { Command } from './command.ts';
import { ok } from '@morsel/api/values/result.ts';
import { allowedColumn, column, listColumn, table, timeColumn, toRow, toRows, toTheSecond, word } from './table.ts';
import type { Row } from './table.ts';

export const tokenCommands: readonly Command[] = [
  {
    words: 'token add',
    summary: 'Make a token for an account, and show it this once',
    arguments: [{ name: 'account', summary: 'whose messages it lets send' }],
    options: [
      { flags: '--scopes <list>', summary: 'what it is good for (send,dlr,balance)' },
      { flags: '--expires <time>', summary: 'until when, such as 2027-01-31T12:00:00Z, or none (none)' },
      {
        flags: '--from <addresses>',
        summary: 'addresses that it may be used from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing (default: any)',
      },
    ],
    examples: [
      ['token add acme', 'a token to hand to the client'],
      ['token add acme --scopes dlr,balance --from 192.0.2.0/24', 'one that cannot send, for one network'],
      ['token add acme --json', 'the same for a script: member token'],
    ],
    run: asking('addToken', (value) => {
      const made = toRow(value);
      return `${word(made, 'token')}\n\nThis is the only time it is shown. It sends for ${word(made, 'account')}; to end it: token revoke ${word(made, 'id')}`;
    }),
  },
  {
    words: 'token list',
    summary: 'List the tokens of an account, or all',
    arguments: [{ name: 'account', summary: 'whose tokens', isOptional: true }],
    examples: [['token list acme', 'when each was made and last used']],
    run: asking('tokens', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'there are no tokens' }, hasColour),
    ),
  },
  {
    words: 'token rotate',
    summary: 'Make a token, shown this once, that may do what another one may, and end that one',
    arguments: [{ name: 'id', summary: 'id of the token that ends, as token list shows it' }],
    options: [
      {
        flags: '--after <duration>',
        summary: 'how long both work: 90s, 15m, 24h, 7d (default: the former ends at once)',
      },
    ],
    examples: [
      ['token rotate 4be5ff51d5fb --after 24h', 'the client has a day to change its settings'],
      ['token rotate 4be5ff51d5fb', 'a token that got into wrong hands'],
    ],
    run: async ({ values }, shell) => {
      const { id = '', ...rest } = values;
      const reply = await call(shell, 'rotateToken', { ...rest, id: idIn(id) });
      return reply.ok ? ok(reportOf(reply.value, (value) => showRotated(toRow(value)))) : reply;
    },
  },
  {
    words: 'token revoke',
    summary: 'End a token: nothing can be sent with it any more',
    arguments: [{ name: 'id', summary: 'its id, as token list shows it' }],
    examples: [['token revoke 4be5ff51d5fb', 'one token of no use to anybody']],
    run: async (input, shell) => {
      const { id = '' } = input.values;
      const reply = await call(shell, 'revokeToken', { id: idIn(id) });
      return reply.ok ? ok(reportOf(reply.value, (value) => `token ${word(toRow(value), 'id')} is revoked`)) : reply;
    },
  },
];

function showRotated(made: Row): string {
  const ends = `token ${word(made, 'former')} ends at ${toTheSecond(word(made, 'formerEndsAt'))}`;
  // Its end, too, is that of the former: one that was rotated before may have little time left.
  const expiry = word(made, 'expiresAt');
  const until = expiry === '' ? '' : ` until ${toTheSecond(expiry)}`;
  return `${word(made, 'token')}\n\nThis is the only time it is shown. It sends for ${word(made, 'account')}${until}; ${ends}`;
}

const columns = [
  column('ID', 'id'),
  column('ACCOUNT', 'account'),
  timeColumn('MADE', 'createdAt'),
  listColumn('SCOPES', 'scopes'),
  allowedColumn('FROM', 'from'),
  timeColumn('EXPIRES', 'expiresAt'),
  timeColumn('LAST USED', 'lastUsedAt'),
  timeColumn('REVOKED', 'revokedAt'),
];

/** A token that got into wrong hands is often all that one has of it: its id stands in it, and the rest goes nowhere. */
function idIn(given: string): string {
  const [, id = ''] = given.split('_');
  return given.startsWith('morsel_') && isTokenId(id) ? id : given;
}
