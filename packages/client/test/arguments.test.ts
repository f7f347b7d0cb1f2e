import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { Morsel, MorselError, type Message, type MorselOptions } from '../src/index.ts';
import { rejection } from './rejection.ts';

const options = { baseUrl: 'https://sms.example.com/', token: 'morsel_secret' };
const message = { sender: 'SHOP', receiver: '+41791230001', text: 'Hi' };

const badOptions: readonly (readonly [string, Partial<MorselOptions>])[] = [
  ['baseUrl', { baseUrl: 'sms.example.com' }],
  ['baseUrl', { baseUrl: 'ftp://sms.example.com' }],
  ['baseUrl', { baseUrl: 'https://me:hidden@sms.example.com' }],
  ['baseUrl', { baseUrl: 'https://sms.example.com/?auth=hidden' }],
  ['token', { token: 'hidden\n' }],
  ['token', { token: '' }],
  ['timeoutMs', { timeoutMs: -1 }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['deadlineMs', { deadlineMs: 0 }],
  ['retries', { retries: Number.NaN }],
  ['deadlineMs', { deadlineMs: Number.POSITIVE_INFINITY }],
];

for (const [field, bad] of badOptions) {
  it(`a client with ${JSON.stringify(bad)} is refused, without showing it`, () => {
    assert.throws(
      () => new Morsel({ ...options, ...bad }),
      (error) => error instanceof MorselError && error.field === field && !inspect(error).includes('hidden'),
    );
  });
}

// Callers without types may pass any value.
const badMessages: readonly (readonly [string, object])[] = [
  ['receiver', { receiver: undefined }],
  ['text', { text: 5 }],
  ['sendAt', { sendAt: new Date('never') }],
  ['message', { clientRef: 5n }],
  ['idempotencyKey', { idempotencyKey: '' }],
  ['idempotencyKey', { idempotencyKey: 'line\nbreak' }],
  ['idempotencyKey', { idempotencyKey: 'x'.repeat(256) }],
];

for (const [field, bad] of badMessages) {
  it(`a message whose ${field} is ${inspect(bad).slice(0, 40)} is refused before anything is sent`, async () => {
    const draft: Message = { ...message, ...bad };
    const error = await rejection(new Morsel({ ...options, fetch: never }).send(draft));
    assert.deepEqual([error.kind, error.field, error.isInDoubt], ['invalid', field, false]);
  });
}

it('a client that is printed or made into JSON shows no token', () => {
  const morsel = new Morsel(options);
  assert.ok(!`${inspect(morsel, { showHidden: true, depth: 9 })}${JSON.stringify(morsel)}`.includes('secret'));
});

function never(): never {
  throw new Error('it was sent');
}
