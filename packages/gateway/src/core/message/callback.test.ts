import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partEnds } from '@morsel/api/values/message.ts';
import { readCallback, refusalOfCallback, type GivenCallback } from './callback.ts';

const base = { api: 'http', method: 'post-json', url: 'https://Example.com/a?key=1', fields: {} } as const;

it('a callback has a normal URL, and the final events unless it asks for others', () => {
  const read = readCallback(base);
  assert.ok(read.ok);
  assert.equal(read.value.url, 'https://example.com/a?key=1');
  assert.deepEqual(read.value.events.toSorted(), partEnds.toSorted());
  const asked = readCallback({ ...base, events: ['delivered', 'sent', 'sent'] });
  assert.deepEqual(asked.ok && asked.value.events, ['sent', 'delivered']);
});

const refusals: readonly (readonly [about: string, given: Partial<GivenCallback>, field: string])[] = [
  ['no URL', { url: 'example' }, 'callbackUrl'],
  ['another protocol', { url: 'ftp://example.com/' }, 'callbackUrl'],
  ['a password', { url: 'https://a:hidden@example.com/' }, 'callbackUrl'],
  ['a port of mail', { url: 'http://example.com:25/' }, 'callbackUrl'],
  ['a URL that is too long', { url: `https://example.com/${'a'.repeat(4_000)}` }, 'callbackUrl'],
  ['a URL that is too long once it is encoded', { url: `https://example.com/${'ü'.repeat(1_000)}` }, 'callbackUrl'],
  ['an unknown event', { events: ['sent', 'queued'] }, 'callbackEvents'],
  ['no event', { events: [] }, 'callbackEvents'],
  ['too much beside', { fields: { mask: '1'.repeat(4_000) } }, 'callbackUrl'],
];
for (const [about, given, field] of refusals) {
  it(`a callback is refused: ${about}`, () => {
    const read = readCallback({ ...base, ...given });
    assert.ok(!read.ok && read.error.code === 'invalid_parameter');
    assert.equal(read.error.field, field);
    assert.doesNotMatch(read.error.detail, /hidden|key=1/);
  });
}

function to(url: string) {
  const read = readCallback({ ...base, url });
  return read.ok ? read.value : assert.fail(url);
}

it('a callback needs a secret of the account and a public or allowed address', () => {
  const callbacks = { account: 1, concurrency: 1, allowed: [], secrets: [] };
  assert.equal(refusalOfCallback(to('https://example.com/'), callbacks), undefined);
  assert.ok(refusalOfCallback(to('https://example.com/'), undefined));
  assert.ok(refusalOfCallback(to('http://10.0.0.1/?key=1'), callbacks));
});
