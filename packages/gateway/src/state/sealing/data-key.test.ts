import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { DataKey, keyVersionOf } from './data-key.ts';

const key = new DataKey(createSecretKey(randomBytes(32)), 258);
const place = { column: 'carrier.secrets', id: 7, number: 1 } as const;

it('a sealed value opens only in its own place, and names the version of its key', () => {
  const sealed = key.seal(place, 'grüezi');
  assert.equal(key.open(place, sealed).toString(), 'grüezi');
  assert.equal(keyVersionOf(sealed), 258);
  assert.ok(!Buffer.from(sealed).includes('ezi'));
  assert.throws(() => key.open({ ...place, id: 8 }, sealed), /belongs to another row/);
  assert.throws(() => key.open({ ...place, number: 3 }, sealed), /belongs to another row/);
  const other = new DataKey(createSecretKey(randomBytes(32)), 258);
  assert.throws(() => other.open(place, sealed), /was changed/);
});

it('every changed octet of a sealed value is found', () => {
  const sealed = key.seal(place, randomBytes(20));
  for (const at of sealed.keys()) {
    // The octets of the version only choose the key.
    if (at === 1 || at === 2) continue;
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => key.open(place, changed), /a sealed value of carrier.secrets/);
  }
  assert.throws(() => key.open(place, sealed.subarray(0, 20)), /unknown format/);
});

it('no nonce of a sealed value is used twice', () => {
  const nonces = Array.from({ length: 1_000 }, () => Buffer.from(key.seal(place, '').subarray(3, 15)).toString('hex'));
  assert.equal(new Set(nonces).size, nonces.length);
});

it('a key seals many long values: Node refused a DataView after ten thousand', () => {
  const long = randomBytes(300);
  let last = key.seal(place, long);
  for (let sealed = 0; sealed < 30_000; sealed++) last = key.seal(place, long);
  assert.deepEqual(key.open(place, last), long);
});

it('a value sealed by an earlier version of the program opens', () => {
  const earlier = new DataKey(createSecretKey(Buffer.alloc(32, 7)), 258);
  const sealed = '0101025e3c9eed1a0f005300000007c3afa4d2e2602e84570092ad7a9ca7fc79303456822c9b';
  const at = { column: 'message.content', id: 904907980800001, number: 2 } as const;
  assert.equal(earlier.open(at, Buffer.from(sealed, 'hex')).toString(), 'grüezi');
});

it('a key seals each of many short values like the first one, with a random nonce', () => {
  const heads = Array.from({ length: 200 }, () => Buffer.from(key.seal(place, 'a').subarray(3, 11)).toString('hex'));
  assert.equal(new Set(heads).size, heads.length);
});
