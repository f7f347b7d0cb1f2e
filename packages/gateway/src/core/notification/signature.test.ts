import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { it } from 'node:test';
import { keyOfSecret, makeSecret, signaturesOf } from './signature.ts';

it('a signature is that of the example in the Standard Webhooks specification', () => {
  const key = keyOfSecret('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');
  assert.ok(key.ok);
  const signed = {
    id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    timestamp: 1_649_367_553,
    content: '{"email":"test@example.com","username":"test_user"}',
  };
  assert.equal(signaturesOf([key.value], signed), 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=');
});

it('each secret gives its own signature, so a receiver can change from one secret to the other', () => {
  const keys = [Buffer.alloc(24, 1), Buffer.alloc(64, 2)].map((key) => createSecretKey(key));
  const signed = { id: 'msg_1', timestamp: 1, content: 'x' };
  const alone = keys.map((key) => signaturesOf([key], signed));
  assert.equal(signaturesOf(keys, signed), alone.join(' '));
});

it('a secret is whsec_ and base64 of 24 to 64 bytes', () => {
  for (const length of [24, 32, 64]) assert.ok(keyOfSecret(makeSecret(Buffer.alloc(length, 7))).ok);
  for (const secret of [
    makeSecret(Buffer.alloc(23)),
    makeSecret(Buffer.alloc(65)),
    'whsec_',
    'whsec_hushed!',
    Buffer.alloc(32).toString('base64'),
    `whsec_${Buffer.alloc(32).toString('base64url').replace(/A$/, 'B')}`,
  ]) {
    const read = keyOfSecret(secret);
    assert.ok(!read.ok, secret);
    assert.doesNotMatch(read.error, /hushed/);
  }
});
