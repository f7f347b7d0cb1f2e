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

const noOptions = 'options must be an object, such as { timeoutMs: 5000 }, or undefined';
const noMessage = 'message must be an object with sender, receiver and text';
const noId = 'msgId must be the message id (a string) that send returned';
const unknown = (field: string) => `unknown field ${field}; the fields of a message are ${fields}`;
const badUrl = 'baseUrl must begin with https:// or http://';
const shortSecret = 'secrets must have 24 to 64 octets after whsec_; check that the secret is complete';

const mistakes: readonly (readonly [keyof typeof calls, readonly unknown[], says: string])[] = [
  ['new Morsel', [], 'options must be an object with baseUrl and token'],
  ['new Morsel', [{}], badUrl],
  ['new Morsel', [{ ...options, baseUrl: 'ftp://sms.example.com' }], badUrl],
  ['new Morsel', [{ baseUrl: options.baseUrl }], 'token must be printable characters without spaces'],
  ['new Morsel', [{ ...options, token: 'hidden\n' }], 'token must be printable characters without spaces'],
  ['new Morsel', [{ ...options, timeoutMs: '5000' }], 'timeoutMs must be a number above 0'],
  ['new Morsel', [{ ...options, deadlineMs: Infinity }], 'deadlineMs must be a number above 0'],
  ['new Morsel', [{ ...options, fetch: 'node-fetch' }], 'fetch must be a function like fetch'],
  ['send', [], noMessage],
  ['send', ['Hi'], noMessage],
  ['send', [{}], 'sender must be a non-empty string'],
  ['send', [{ ...message, receiver: 41791230001 }], 'receiver must be a non-empty string'],
  ['send', [{ ...message, validty: 60 }], unknown('validty')],
  ['send', [{ ...message, auth: 'token' }], unknown('auth')],
  ['send', [{ ...message, 'Hello, world': 1 }], `message has an unknown field; the fields of a message are ${fields}`],
  ['quote', [{ ...message, idempotencyKey: 'x'.repeat(256) }], 'idempotencyKey must be 1 to 255 printable characters'],
  ['send', [message, { timeoutMs: 0 }], 'timeoutMs must be a number above 0'],
  ['waitForFinal', ['1', { finalWithinMs: 0 }], 'finalWithinMs must be a number above 0'],
  ['send', [message, null], noOptions],
  ['send', [message, { signal: 'stop' }], 'signal must be an AbortSignal'],
  ['send', [message, { retries: '2' }], 'retries must be a number of 0 or more'],
  ['quote', [{ ...message, text: null }], 'text must be a non-empty string'],
  ['dlr', [904907980800001], noId],
  ['dlr', ['904907980800001', null], noOptions],
  ['cancel', [null], noId],
  ['balance', [5], noOptions],
  ['waitForFinal', [], noId],
  ['waitForFinal', ['1', { lookEveryMs: '1' }], 'lookEveryMs must be a number of 0 or more'],
  ['new Webhook', [], 'options must be an object with secrets'],
  ['new Webhook', [{ secrets: null }], 'secrets must be a secret (whsec_…) or a list of secrets'],
  ['new Webhook', [{ secrets: 'abc' }], 'secrets must be whsec_ followed by padded base64'],
  ['new Webhook', [{ secrets: secret.slice(0, 30) }], shortSecret],
  ['new Webhook', [{ secrets: secret, toleranceSeconds: '300' }], 'toleranceSeconds must be a number of 0 or more'],
  ['verify', ['body'], 'delivery must be an object with headers and payload'],
  ['verify', [{ payload: 'x' }], 'headers must be the headers of the request'],
  ['verify', [{ ...delivery, payload: undefined }], 'payload must be the unparsed body, as a string or octets'],
  ['verifySignature', [], 'delivery must be an object with headers and payload'],
  ['verifyRequest', [], 'request must be the received Request'],
  ['verifyRequest', [{ method: 'GET', headers: {} }], 'request must have a url'],
];

for (const [name, given, says] of mistakes) {
  it(`${name} with ${given.map((each) => inspect(each, { depth: 0, compact: true })).join(', ') || 'nothing'} says: ${says}`, async () => {
    const error = await failureOf(calls[name], given);
    assert.ok(error instanceof MorselError, String(error));
    assert.ok(!inspect(error).includes('hidden'));
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

it('an address with a password or a query is refused, and the error does not show it', async () => {
  for (const baseUrl of ['https://me:hidden@sms.example.com', 'https://sms.example.com/?auth=hidden']) {
    const error = await failureOf(calls['new Morsel'], [{ ...options, baseUrl }]);
    assert.ok(error instanceof MorselError && error.field === 'baseUrl' && !inspect(error).includes('hidden'));
  }
});

it('a message with a value that cannot be sent is refused before anything is sent', async () => {
  for (const [field, wrong] of [
    ['sendAt', { sendAt: new Date('never') }],
    ['message', { clientRef: 5n }],
  ] as const) {
    const error = await failureOf(calls.send, [{ ...message, ...wrong }]);
    assert.ok(error instanceof MorselError);
    assert.deepEqual([error.kind, error.field, error.isInDoubt], ['invalid', field, false]);
  }
});

it('a client that is printed or made into JSON shows no token', () => {
  assert.ok(!`${inspect(morsel, { showHidden: true, depth: 9 })}${JSON.stringify(morsel)}`.includes('secret'));
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
