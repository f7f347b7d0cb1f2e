import { hourMs } from '../../values/time.ts';
import { isTokenId, tokenScopes } from '../../values/credentials.ts';
import { allowList, described, list, optional, orNone, pick } from '../compose.ts';
import { count, duration, instant, name, network, oneOf, place, text, textThat } from '../fields.ts';
import { page, post, resource } from '../resource.ts';

/* API tokens: what clients authenticate with over HTTP. */

/** How long a token and its successor may both work: longer than a client needs to change its settings. */
const overlapMaxMs = 90 * 24 * hourMs;

const fields = {
  id: textThat(
    {
      summary: 'id of the token, as token list shows it',
      // For a leaked token, the operator may have only the token itself. The command line sends its id, and the rest
      // stays on this machine.
      sends: (typed) => {
        const [, id = ''] = typed.split('_');
        return typed.startsWith('morsel_') && isTokenId(id) ? id : typed;
      },
    },
    isTokenId,
    {
      placeholder: '<id>',
      wants: 'must be the 12 digits after morsel_',
      schema: { pattern: '^[0-9a-f]{12}$' },
      example: '4be5ff51d5fb',
    },
  ),
  account: name({ summary: 'account that pays for its messages' }),
  createdAt: instant({ summary: 'when it was made' }),
  scopes: list(oneOf(tokenScopes, { summary: 'a scope' }), {
    min: 1,
    summary: 'permissions: send messages, read delivery reports (dlr), read the balance',
    example: [...tokenScopes],
  }),
  from: allowList(network({ summary: 'an address' }), {
    summary: 'addresses that it may be used from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing',
    placeholder: '<addresses>',
  }),
  expiresAt: orNone(
    instant({ summary: 'when it stops working: a time such as 2027-01-31T12:00:00Z, or none', option: 'expires' }),
  ),
  lastUsedAt: orNone(instant({ summary: 'when a request came with it last' })),
  revokedAt: orNone(instant({ summary: 'when it was revoked' })),
};

const usage = {
  day: text({ summary: 'day in UTC', example: '2026-12-31' }),
  account: fields.account,
  token: described(fields.id, { summary: 'id of the token' }),
  requests: count({ summary: 'requests that it authenticated, whatever became of them' }),
  messages: count({ summary: 'messages that were accepted and charged' }),
};

const secret = text({ summary: 'the token: this answer alone ever shows it', isSecret: true, example: 'morsel_…' });

export const token = resource('token', {
  summary: 'API tokens of clients',
  operations: {
    add: post('/accounts/{account}/tokens', {
      summary: 'Make a token for an account, and show it this once',
      role: 'owner',
      input: {
        account: fields.account,
        scopes: optional(fields.scopes, tokenScopes),
        expiresAt: optional(fields.expiresAt, null),
        from: optional(fields.from, 'any'),
      },
      answer: { token: secret, ...pick(fields, 'id', 'account') },
      command: {
        examples: [
          ['token add acme', 'a token to hand to the client'],
          ['token add acme --scopes dlr,balance --from 192.0.2.0/24', 'one that cannot send, for one network'],
          ['token add acme --json', 'for a script: member token has it'],
        ],
        says: (made) =>
          `${made.token}\n\nThis is the only time it is shown. It sends for ${made.account}; to end it: token revoke ${made.id}`,
      },
    }),
    list: page('/tokens', {
      summary: 'List the tokens of an account, or all, the newest first',
      input: { account: optional(described(fields.account, { summary: 'only its tokens' })) },
      after: fields.id,
      answer: fields,
      command: {
        arguments: ['account'],
        examples: [
          ['token list acme', 'when each was made and last used'],
          ['token list --csv > tokens.csv', 'all of them, for a spreadsheet'],
        ],
        whenEmpty: 'there are no tokens',
      },
    }),
    usage: page('/token-usage', {
      summary:
        'List the requests and messages of each token of an account, or all, a row for each day, the newest first',
      input: {
        account: optional(described(fields.account, { summary: 'only its tokens' })),
        token: optional(described(fields.id, { summary: 'only this token', option: 'token' })),
      },
      after: place(/^\d{4}-\d\d-\d\d\/[0-9a-f]{12}$/),
      answer: usage,
      command: {
        arguments: ['account'],
        examples: [
          ['token usage acme', 'the tokens in use, and how much'],
          ['token usage --token 4be5ff51d5fb --csv', 'each day of one token, for a spreadsheet'],
        ],
        whenEmpty: 'there is no such use of a token',
        notes:
          'Days are in UTC. They are kept for 400 days. Requests are counted up to the last minute before a crash.',
      },
    }),
    rotate: post('/tokens/{id}/rotate', {
      summary: 'Replace a token: make one with the same rights, shown this once, and end the former',
      role: 'owner',
      input: {
        id: described(fields.id, { summary: 'id of the token that ends, as token list shows it' }),
        after: optional(
          duration({
            maxMs: overlapMaxMs,
            summary: 'how long both work: 90s, 15m, 24h, 7d',
            defaultText: 'the former ends at once',
          }),
          0,
        ),
      },
      answer: {
        token: secret,
        ...pick(fields, 'id', 'account', 'expiresAt'),
        former: described(fields.id, { summary: 'id of the token that ends' }),
        formerEndsAt: instant({ summary: 'when the former ends' }),
      },
      command: {
        examples: [
          ['token rotate 4be5ff51d5fb --after 24h', 'the client has a day to change its settings'],
          ['token rotate 4be5ff51d5fb', 'a token that leaked'],
        ],
        says: (made) => {
          // The new token keeps the end of the former one, which may be near after an earlier rotation.
          const until = made.expiresAt === null ? '' : ` until ${fields.expiresAt.cell(made.expiresAt)}`;
          const ends = `token ${made.former} ends at ${fields.createdAt.cell(made.formerEndsAt)}`;
          return `${made.token}\n\nThis is the only time it is shown. It sends for ${made.account}${until}; ${ends}`;
        },
      },
    }),
    revoke: post('/tokens/{id}/revoke', {
      summary: 'End a token: nothing can be sent with it any more',
      role: 'owner',
      input: pick(fields, 'id'),
      answer: pick(fields, 'id'),
      command: {
        examples: [['token revoke 4be5ff51d5fb', 'one token that nobody may use any more']],
        says: ({ id }) => `token ${id} is revoked`,
      },
    }),
  },
});
