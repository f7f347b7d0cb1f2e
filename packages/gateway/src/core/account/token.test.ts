import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { makeToken, tokenRandomBytes, VerifiedTokens, verifyToken, type TokenRecord } from './token.ts';
import { tokenScopes } from '@morsel/api/values/credentials.ts';

const now = 1_000;
const made = makeToken(randomBytes(tokenRandomBytes));
const record: TokenRecord = {
  id: made.id,
  account: 7,
  hash: made.hash,
  scopes: tokenScopes,
  from: 'any',
  expiresAt: undefined,
  revokedAt: undefined,
};
const verify = (text: string, more: Partial<TokenRecord> = {}) =>
  verifyToken(new Map([[record.id, { ...record, ...more }]]), text, now)?.account;

it('a token is recognisable and has 256 random bits', () => {
  assert.match(made.text, /^morsel_[0-9a-f]{12}_[\w-]{43}[0-9a-f]{8}$/);
});
it('a token proves its account', () => assert.equal(verify(made.text), 7));
it('the stored record of a token has nothing of its secret', () => {
  assert.ok(!made.text.includes(Buffer.from(record.hash).toString('base64url')));
});

const other = makeToken(randomBytes(tokenRandomBytes));
const wrong: readonly (readonly [string, string])[] = [
  ['another one', other.text],
  ['nothing', ''],
  ['one character changed', made.text.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['one cut short', made.text.slice(0, -1)],
  ['one with something behind it', `${made.text} `],
  ['in capitals', made.text.toUpperCase()],
  ['a very long one', made.text.repeat(1_000)],
  ['its id with the secret of another', `${made.text.slice(0, 20)}${other.text.slice(20)}`],
];
for (const [what, text] of wrong) it(`does not take ${what}`, () => assert.equal(verify(text), undefined));
it('a revoked token is refused', () => assert.equal(verify(made.text, { revokedAt: 1 }), undefined));
it('an expired token is refused', () => {
  assert.equal(verify(made.text, { expiresAt: now }), undefined);
  assert.equal(verify(made.text, { expiresAt: now + 1 }), 7);
});

it('a verified token is refused as soon as its record is revoked, expired, changed or missing', () => {
  const verified = new VerifiedTokens();
  const check = (found: TokenRecord | undefined, at = now) =>
    verified.verify(new Map(found && [[found.id, found]]), made.text, at)?.account;
  const expiring = { ...record, expiresAt: now + 1 };
  const rows = [
    [{ ...record, revokedAt: 1 }, undefined],
    [{ ...record, hash: other.hash }, undefined],
    [{ ...record, account: 8 }, 8],
    [undefined, undefined],
  ] as const;
  for (const [next, account] of rows) {
    for (let count = 0; count < 2; count++) assert.equal(check(record), 7);
    assert.equal(check(next), account);
  }
  assert.equal(check(expiring), 7);
  assert.equal(check(expiring, now + 1), undefined);
});

it('after a verified token, another text is checked as before', () => {
  const verified = new VerifiedTokens();
  const tokens = new Map([[record.id, record]]);
  assert.equal(verified.verify(tokens, made.text, now), record);
  // The second character of each pair has the same low octet as the first one.
  const odd = made.text.replace('morsel', 'm\u016frsel');
  for (const text of [...wrong.map(([, each]) => each), odd])
    assert.equal(verified.verify(tokens, text, now), undefined);
  assert.equal(verified.verify(tokens, made.text, now), record);
});
