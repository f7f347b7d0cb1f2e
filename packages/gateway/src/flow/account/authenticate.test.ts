import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountDefaults, type Account } from '../../core/account/account.ts';
import { parseRange } from '@morsel/api/values/address-range.ts';
import { buildSnapshot } from '../../core/snapshot.ts';
import { makeToken, tokenRandomBytes, type TokenRecord, VerifiedTokens } from '../../core/account/token.ts';
import { tokenScopes } from '@morsel/api/values/credentials.ts';
import { authenticate } from './authenticate.ts';
import { TestClock } from '../../../test/support/test-clock.ts';

const now = 1_000;
const made = makeToken(new Uint8Array(tokenRandomBytes));
const ranges = (...texts: string[]) => texts.flatMap((text) => parseRange(text) ?? []);
const account: Account = { id: 1, name: 'acme', currency: 'EUR', status: 'active', ...accountDefaults, priceList: 1 };
const token: TokenRecord = {
  id: made.id,
  account: 1,
  hash: made.hash,
  scopes: tokenScopes,
  from: 'any',
  expiresAt: undefined,
  revokedAt: undefined,
};

interface Row {
  readonly of?: Partial<Account>;
  readonly token?: Partial<TokenRecord>;
  readonly address?: string;
  readonly scope?: 'send' | 'dlr' | 'balance';
  readonly says?: RegExp;
}

/** The first column is the answer: the code of a refusal, or `ok`. */
const rows: readonly (readonly [string, string, Row])[] = [
  ['ok', 'a token for everything from anywhere', {}],
  ['ok', 'a token for this scope', { token: { scopes: ['balance'] }, scope: 'balance' }],
  [
    'forbidden',
    'a token for other scopes',
    { token: { scopes: ['dlr', 'balance'] }, says: /no scope send: it is for dlr, balance$/ },
  ],
  ['ok', 'an address in the list of the token', { token: { from: ranges('192.0.2.0/24') }, address: '192.0.2.9' }],
  [
    'ok',
    'an IPv4 address in the list, written as IPv6',
    { token: { from: ranges('192.0.2.0/24') }, address: '::ffff:192.0.2.9' },
  ],
  [
    'forbidden',
    'an address outside the list of the token',
    { token: { from: ranges('192.0.2.0/24') }, address: '192.0.3.9', says: /address$/ },
  ],
  ['forbidden', 'any address of a token whose list is empty', { token: { from: [] } }],
  ['forbidden', 'any address of an account whose list is empty', { of: { from: [] } }],
  ['forbidden', 'no address at all', { token: { from: ranges('0.0.0.0/0') }, address: '' }],
  ['ok', 'an address in the list of its account', { of: { from: ranges('2001:db8::/32') }, address: '2001:db8::1' }],
  [
    'forbidden',
    'an address outside the list of its account',
    { of: { from: ranges('2001:db8::/32') }, address: '2001:db9::1' },
  ],
  [
    'forbidden',
    'an address in one of both lists only',
    { of: { from: ranges('192.0.2.0/24') }, token: { from: ranges('192.0.2.0/25') }, address: '192.0.2.200' },
  ],
  ['ok', 'a token that ends later', { token: { expiresAt: now + 1 } }],
  ['unauthorized', 'a token that has ended, as if it were unknown', { token: { expiresAt: now } }],
  ['unauthorized', 'a token that has ended, whatever its address', { token: { expiresAt: now, from: ranges('::1') } }],
  ['forbidden', 'an account that is suspended', { of: { status: 'suspended' }, says: /suspended/ }],
];

describe('a token', () => {
  for (const [answer, what, row] of rows) {
    it(`${answer}: ${what}`, () => {
      const settings = { carriers: [], routes: [], carrierLists: [], priceLists: [], webhooks: [] };
      const snapshot = buildSnapshot({
        ...settings,
        accounts: [{ ...account, ...row.of }],
        tokens: [{ ...token, ...row.token }],
      });
      const clock = TestClock.still(now);
      const needs = { snapshot: () => snapshot, clock, used: () => undefined, verified: new VerifiedTokens() };
      const asker = { token: made.text, address: row.address ?? '198.51.100.1', scope: row.scope ?? ('send' as const) };
      const found = authenticate(needs, asker);
      assert.equal(found.ok ? 'ok' : found.error.code, answer);
      if (row.says) assert.match(!found.ok && 'detail' in found.error ? (found.error.detail ?? '') : '', row.says);
    });
  }
});
