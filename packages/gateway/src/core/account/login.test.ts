import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { isUser } from '@morsel/api/values/credentials.ts';
import { makePassword, passwordRandomBytes } from './login.ts';

it('a system_id has 1 to 15 printable ASCII characters, as many as SMPP allows', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['a', true],
    ['ACME_1.x-y/z', true],
    ['fifteen-letters', true],
    ['sixteen-letters-', false],
    ['', false],
    ['with space', false],
    ['züri', false],
    ['nul\0', false],
    ['line\n', false],
  ];
  for (const [text, isGood] of rows) assert.equal(isUser(text), isGood, JSON.stringify(text));
});

it('a password has 8 characters that are easy to tell apart, whatever the random octets are', () => {
  const fair = fc.uint8Array({ minLength: passwordRandomBytes, maxLength: passwordRandomBytes, max: 223 });
  fc.assert(fc.property(fair, (random) => /^[a-km-zA-HJ-NP-Z2-9]{8}$/.test(makePassword(random))));
  assert.throws(
    () => makePassword(new Uint8Array(passwordRandomBytes).fill(255)),
    'octets that are not fair do not count',
  );
});
