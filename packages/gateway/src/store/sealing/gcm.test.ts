import assert from 'node:assert/strict';
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { boundBytes, gcm, nonceBytes, ShortValueGcm, shortMax } from './gcm.ts';

it('seals values of every length as OpenSSL does, octet by octet', () => {
  for (let round = 0; round < 3; round++) {
    const key = createSecretKey(randomBytes(32));
    const sealing = new ShortValueGcm(key);
    const nonces = new Set<string>();
    for (let length = 0; length <= shortMax; length++) {
      const [value, bound] = [randomBytes(length), randomBytes(boundBytes)];
      const sealed = Buffer.alloc(2 + nonceBytes + length + 16);
      const words = new DataView(bound.buffer, bound.byteOffset, boundBytes);
      sealing.seal(value, words, { into: sealed, at: 2 });
      const nonce = sealed.subarray(2, 2 + nonceBytes);
      nonces.add(nonce.toString('hex'));
      const cipher = createCipheriv(gcm, key, nonce).setAAD(bound);
      const expected = Buffer.concat([cipher.update(value), cipher.final(), cipher.getAuthTag()]);
      assert.deepEqual(sealed.subarray(2 + nonceBytes), expected, `a value of ${length} octets`);
    }
    assert.equal(nonces.size, shortMax + 1, 'no nonce is used twice');
  }
});
