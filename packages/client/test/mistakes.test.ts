import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { Morsel, MorselError, Webhook, WebhookError } from '../src/index.ts';

/* Mistakes of programs without types: each is an error that the package documents, and says what to pass. */

type Call = (...given: readonly unknown[]) => unknown;

const options = { baseUrl: 'https://sms.example.com/', token: 'morsel_secret', retries: 0, deadlineMs: 1_000 };
const message = { sender: 'SHOP', receiver: '+41791230001', text: 'Hi' };
const fields =
  'sender, receiver, text, dcs, clientRef, tags, validity, sendAt, flash, storeText, priority, callbackUrl, callbackEvents, idempotencyKey';
const secret = `whsec_${Buffer.alloc(24, 'a secret').toString('base64')}`;
const morsel = new Morsel({ ...options, fetch: () => Promise.reject(new Error('nobody is there')) });
const webhook = new Webhook({ secrets: secret });
const headers = { 'webhook-id': '1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
const delivery = { headers: { ...headers, 'webhook-signature': 'v1,AAAA' }, payload: 'x' };

/** Every function of the package, with any arguments, as for a program without types. */
const calls = {
  'new Morsel': untyped((given) => Reflect.construct(Morsel, given)),
  'new Webhook': untyped((given) => Reflect.construct(Webhook, given)),
  send: method(morsel, 'send'),
  quote: method(morsel, 'quote'),
  dlr: method(morsel, 'dlr'),
  cancel: method(morsel, 'cancel'),
  balance: method(morsel, 'balance'),
  waitForFinal: method(morsel, 'waitForFinal'),
  verify: method(webhook, 'verify'),
  verifySignature: method(webhook, 'verifySignature'),
  verifyRequest: method(webhook, 'verifyRequest'),
};

const mistakes: readonly (readonly [keyof typeof calls, readonly unknown[], says: string])[] = [
  ['new Morsel', [], 'options must be an object with baseUrl and token'],
  ['new Morsel', [null], 'options must be an object with baseUrl and token'],
  ['new Morsel', ['https://sms.example.com'], 'options must be an object with baseUrl and token'],
  ['new Morsel', [{}], 'baseUrl must begin with https:// or http://'],
  ['new Morsel', [{ baseUrl: options.baseUrl }], 'token must be printable characters without spaces'],
  ['new Morsel', [{ ...options, token: 5 }], 'token must be printable characters without spaces'],
  ['new Morsel', [{ ...options, timeoutMs: '5000' }], 'timeoutMs must be a number above 0'],
  ['new Morsel', [{ ...options, fetch: 'node-fetch' }], 'fetch must be a function like fetch'],
  ['send', [], 'message must be an object with sender, receiver and text'],
  ['send', [null], 'message must be an object with sender, receiver and text'],
  ['send', ['Hi'], 'message must be an object with sender, receiver and text'],
  ['send', [{}], 'sender must be a non-empty string'],
  ['send', [{ ...message, receiver: 41791230001 }], 'receiver must be a non-empty string'],
  ['send', [{ ...message, clientref: 'a' }], `unknown field clientref; the fields of a message are ${fields}`],
  ['send', [{ ...message, validty: 60 }], `unknown field validty; the fields of a message are ${fields}`],
  ['send', [{ ...message, auth: 'token' }], `unknown field auth; the fields of a message are ${fields}`],
  ['send', [{ data: message }], `unknown field data; the fields of a message are ${fields}`],
  ['send', [{ ...message, 'Hello, world': 1 }], `message has an unknown field; the fields of a message are ${fields}`],
  ['quote', [{ ...message, dsc: 'GSM' }], `unknown field dsc; the fields of a message are ${fields}`],
  ['quote', [{ ...message, idempotencyKey: '\n' }], 'idempotencyKey must be 1 to 255 printable characters'],
  ['send', [message, { timeoutMs: 0 }], 'timeoutMs must be a number above 0'],
  ['send', [message, { deadlineMs: 0 }], 'deadlineMs must be a number above 0'],
  ['waitForFinal', ['1', { finalWithinMs: 0 }], 'finalWithinMs must be a number above 0'],
  ['send', [message, null], 'options must be an object, such as { timeoutMs: 5000 }, or undefined'],
  ['send', [message, { signal: 'stop' }], 'signal must be an AbortSignal'],
  ['send', [message, { signal: '' }], 'signal must be an AbortSignal'],
  ['send', [message, { retries: '2' }], 'retries must be a number of 0 or more'],
  ['quote', [], 'message must be an object with sender, receiver and text'],
  ['quote', [{ ...message, text: null }], 'text must be a non-empty string'],
  ['dlr', [], 'msgId must be the message id (a string) that send returned'],
  ['dlr', [904907980800001], 'msgId must be the message id (a string) that send returned'],
  ['dlr', ['904907980800001', null], 'options must be an object, such as { timeoutMs: 5000 }, or undefined'],
  ['cancel', [null], 'msgId must be the message id (a string) that send returned'],
  ['balance', [5], 'options must be an object, such as { timeoutMs: 5000 }, or undefined'],
  ['waitForFinal', [], 'msgId must be the message id (a string) that send returned'],
  ['waitForFinal', ['1', null], 'options must be an object, such as { timeoutMs: 5000 }, or undefined'],
  ['waitForFinal', ['1', { lookEveryMs: '1' }], 'lookEveryMs must be a number of 0 or more'],
  ['new Webhook', [], 'options must be an object with secrets'],
  ['new Webhook', [secret], 'options must be an object with secrets'],
  ['new Webhook', [{ secrets: undefined }], 'secrets must be a secret (whsec_…) or a list of secrets'],
  ['new Webhook', [{ secrets: null }], 'secrets must be a secret (whsec_…) or a list of secrets'],
  ['new Webhook', [{ secrets: [] }], 'secrets must be a secret (whsec_…) or a list of secrets'],
  ['new Webhook', [{ secrets: [5] }], 'secrets must be whsec_ followed by padded base64'],
  ['new Webhook', [{ secrets: 'abc' }], 'secrets must be whsec_ followed by padded base64'],
  [
    'new Webhook',
    [{ secrets: secret.slice(0, 30) }],
    'secrets must have 24 to 64 octets after whsec_; check that the secret is complete',
  ],
  ['new Webhook', [{ secrets: secret, toleranceSeconds: '300' }], 'toleranceSeconds must be a number of 0 or more'],
  ['verify', [], 'delivery must be an object with headers and payload'],
  ['verify', ['body'], 'delivery must be an object with headers and payload'],
  ['verify', [{ payload: 'x' }], 'headers must be the headers of the request'],
  ['verify', [{ ...delivery, payload: undefined }], 'payload must be the unparsed body, as a string or octets'],
  ['verifySignature', [], 'delivery must be an object with headers and payload'],
  ['verifySignature', [{ ...delivery, headers: null }], 'headers must be the headers of the request'],
  ['verifyRequest', [], 'request must be the received Request'],
  ['verifyRequest', [{ method: 'GET', headers: {} }], 'request must have a url'],
];

for (const [name, given, says] of mistakes) {
  it(`${name} with ${given.map((each) => inspect(each, { depth: 0, compact: true })).join(', ') || 'nothing'} says: ${says}`, async () => {
    const error = await failureOf(calls[name], given);
    assert.ok(error instanceof MorselError, String(error));
    assert.deepEqual([error.kind, error.code, error.message], ['invalid', 'invalid_argument', says]);
    assert.ok(says.startsWith(`${error.field} `) || says.startsWith(`unknown field ${error.field}`));
  });
}

// Without `waitForFinal`, which would take time to wait for the end of a message.
const { waitForFinal: _waits, ...quick } = calls;

it('with any argument, a thrown error is an error of the package', async () => {
  const anything = fc.oneof(
    fc.anything({ withBigInt: true, withMap: true, withTypedArray: true, withNullPrototype: true }),
    fc.constantFrom(Symbol('odd'), () => undefined, message, options, delivery, { secrets: secret }),
    fc.record({ secrets: fc.anything() }),
    fc.record({ headers: fc.anything(), payload: fc.anything() }),
    fc.record({ baseUrl: fc.anything(), token: fc.anything() }),
    fc.record({ timeoutMs: fc.anything(), signal: fc.anything() }),
    fc.record({ method: fc.anything(), url: fc.anything(), headers: fc.anything(), body: fc.anything() }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(quick)),
      fc.array(anything, { maxLength: 2 }),
      async (call, given) => {
        const error = await failureOf(call, given);
        assert.ok(error === undefined || error instanceof MorselError || error instanceof WebhookError, String(error));
      },
    ),
    { numRuns: 2_000 },
  );
});

/** The error that a call throws or rejects with; undefined if it does neither. */
async function failureOf(call: Call, given: readonly unknown[]): Promise<unknown> {
  try {
    await call(...given);
    return undefined;
  } catch (error) {
    return error;
  }
}

function untyped(call: (given: readonly unknown[]) => unknown): Call {
  return (...given) => call(given);
}

function method(of: object, name: string): Call {
  const found: unknown = Reflect.get(of, name);
  assert.ok(typeof found === 'function');
  return (...given) => Reflect.apply(found, of, given);
}
