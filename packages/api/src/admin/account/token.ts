import { hourMs } from '../../values/time.ts';
import { tokenScopes } from '../../values/credentials.ts';
import { keyId, sourceAddresses } from './key-fields.ts';
import { described, list, optional, orNone, pick } from '../../fields/compose.ts';
import { duration } from '../../fields/duration.ts';
import { count, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { page, post, resource } from '../resource.ts';

/* API tokens, which clients authenticate with over HTTP. */

/** The longest time that an old token and its replacement may both work. */
const overlapMaxMs = 90 * 24 * hourMs;

const fields = {
  id: keyId('id of the token, as token list shows it', { start: 'morsel_', of: 'token' }),
  account: name({ summary: 'account that pays for the messages of the token' }),
  createdAt: instant({ summary: 'when the token was created' }),
  scopes: list(oneOf(tokenScopes, { summary: 'a scope' }), {
    min: 1,
    summary: 'permissions of the token: send messages (send), read delivery reports (dlr), read the balance (balance)',
    example: [...tokenScopes],
  }),
  from: sourceAddresses,
  expiresAt: orNone(
    instant({
      summary: 'when the token stops working: a time such as 2027-01-31T12:00:00Z, or none for never',
      option: 'expires',
    }),
  ),
  lastUsedAt: orNone(instant({ summary: 'when a request last used the token' })),
  revokedAt: orNone(instant({ summary: 'when the token was revoked' })),
};

const usage = {
  day: text({ summary: 'day in UTC', example: '2026-12-31' }),
  account: fields.account,
  token: described(fields.id, { summary: 'id of the token' }),
  requests: count({ summary: 'all requests with the token, accepted or refused' }),
  messages: count({ summary: 'messages that the gateway accepted and charged' }),
};

const secret = text({
  summary: 'the whole token; no later answer shows it again',
  isSecret: true,
  example: 'morsel_…',
});

export const token = resource('token', {
  changes: ['account'],
  summary: 'API tokens, which clients use over HTTP',
  operations: {
    add: post('/accounts/{account}/tokens', {
      repeat: 'key',
      summary: 'Create a token for an account; the token is shown only once',
      role: 'owner',
      input: {
        account: fields.account,
        scopes: optional(fields.scopes, tokenScopes),
        expiresAt: optional(fields.expiresAt, null),
        from: optional(fields.from, 'any'),
      },
      answer: { token: secret, ...pick(fields, 'id', 'account') },
      command: {
        examples: {
          'token add acme': 'create a token for the client',
          'token add acme --scopes dlr,balance --from 192.0.2.0/24':
            'create a token that cannot send, and works from one network only',
          'token add acme --json': 'print JSON for a script; its member token is the new token',
        },
        says: (made) =>
          `${made.token}\n\nThe token is shown only this once. It belongs to account ${made.account}. To end it: token revoke ${made.id}`,
      },
    }),
    list: page('/tokens', {
      summary: 'List the tokens of one account or of all accounts, newest first',
      input: { account: optional(described(fields.account, { summary: 'only the tokens of this account' })) },
      after: fields.id,
      answer: fields,
      command: {
        arguments: ['account'],
        examples: {
          'token list acme': 'show when each token of acme was created and last used',
          'token list --csv > tokens.csv': 'write all tokens to a file for a spreadsheet',
        },
        whenEmpty: 'there are no tokens yet; create a token with token add',
      },
    }),
    usage: page('/token-usage', {
      summary: 'Count the requests and messages of each token by day, newest first',
      label: 'Use of tokens by day',
      input: {
        account: optional(described(fields.account, { summary: 'only the tokens of this account' })),
        token: optional(described(fields.id, { summary: 'only the usage of this token', option: 'token' })),
      },
      after: place(/^\d{4}-\d\d-\d\d\/[0-9a-f]{12}$/),
      answer: usage,
      command: {
        arguments: ['account'],
        examples: {
          'token usage acme': 'show how much each token of acme is used',
          'token usage --token 4be5ff51d5fb --csv': 'print the daily usage of one token for a spreadsheet',
        },
        whenEmpty: 'no token was used',
        notes:
          'Days are in UTC. The gateway keeps the counts for 400 days. A crash may lose the counts of its last minute.',
      },
    }),
    rotate: post('/tokens/{id}/rotate', {
      repeat: 'key',
      summary: 'Replace a token by a new token with the same rights; the new token is shown only once',
      when: ({ revokedAt }) => revokedAt === null,
      role: 'owner',
      input: {
        id: described(fields.id, { summary: 'id of the old token, as token list shows it' }),
        after: optional(
          duration({
            maxMs: overlapMaxMs,
            summary: 'how long the old token still works, such as 90s, 15m, 24h or 7d',
            defaultText: 'the old token ends at once',
          }),
          0,
        ),
      },
      answer: {
        token: secret,
        ...pick(fields, 'id', 'account', 'expiresAt'),
        former: described(fields.id, { summary: 'id of the old token' }),
        formerEndsAt: instant({ summary: 'when the old token stops working' }),
      },
      command: {
        examples: {
          'token rotate 4be5ff51d5fb --after 24h': 'give the client one day to switch to the new token',
          'token rotate 4be5ff51d5fb': 'replace a leaked token at once',
        },
        says: (made) => {
          // The new token has the expiry time of the old token. After an earlier rotation this time may be near.
          const until = made.expiresAt === null ? '' : ` until ${fields.expiresAt.cell(made.expiresAt)}`;
          const ends = `the old token ${made.former} ends at ${fields.createdAt.cell(made.formerEndsAt)}`;
          return `${made.token}\n\nThe token is shown only this once. It belongs to account ${made.account}${until}; ${ends}`;
        },
      },
    }),
    revoke: post('/tokens/{id}/revoke', {
      repeat: 'same',
      summary: 'Revoke a token; the gateway refuses every later request with it',
      when: ({ revokedAt }) => revokedAt === null,
      warning: 'Every later request with this token is refused.',
      role: 'owner',
      input: pick(fields, 'id'),
      answer: pick(fields, 'id'),
      command: {
        examples: { 'token revoke 4be5ff51d5fb': 'revoke one token' },
        says: ({ id }) => `token ${id} is revoked`,
      },
    }),
  },
});
