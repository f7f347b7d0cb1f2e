import assert from 'node:assert/strict';
import { it } from 'node:test';
import { message } from './message/message.ts';
import { readTokens } from './tokens.ts';

const { input } = message.operations.find;
const timeOf = (typed: string) => (typed === '2h' ? '2026-11-28T10:00:00.000Z' : undefined);

it('reads tokens by their declared names and other names, and keeps words', () => {
  assert.deepEqual(
    readTokens('account:acme order-7 since:2h to:+41791112233 State:delivered sender:"My shop"', input, timeOf),
    {
      given: {
        account: 'acme',
        since: '2026-11-28T10:00:00.000Z',
        receiver: '+41791112233',
        event: 'delivered',
        sender: 'My shop',
      },
      words: ['order-7'],
      wrong: [],
    },
  );
});

it('a token without a value is not used yet', () => {
  assert.deepEqual(readTokens('account: ', input, timeOf), { given: {}, words: [], wrong: [] });
});

it('refuses an unknown token with the nearest one, and a value that its field refuses', () => {
  const { wrong, given } = readTokens('acount:acme state:nonsense', input, timeOf);
  assert.equal(wrong[0], 'unknown filter acount; did you mean account?');
  assert.match(wrong[1] ?? '', /^state must be one of /);
  assert.deepEqual(given, {});
});
