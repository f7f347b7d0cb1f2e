import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { Webhook as Oracle } from 'standardwebhooks';
import { MorselError, Webhook, WebhookError, type Delivery, type WebhookErrorCode } from '../src/index.ts';

/* The client's check of webhooks, compared with the package `standardwebhooks`. */

const secret = secretOf(1);
const inbound = {
  type: 'inbound',
  msgId: '1021343289970688',
  sender: '+41791230001',
  receiver: '+41790000001',
  text: 'Grüezi 🙂',
  dcs: 'UCS',
  numParts: 1,
  receivedTime: '2026-01-02T03:04:05Z',
  complete: true,
};

type Change = (headers: Record<string, string>) => Delivery['headers'];
const signature =
  (make: (given: string) => string | string[]): Change =>
  (headers) => ({ ...headers, 'webhook-signature': make(headers['webhook-signature'] ?? '') });
const capitals: Change = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));

describe('signatures', () => {
  it('of standardwebhooks are accepted for any id, secret and payload, and standardwebhooks accepts ours', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.uuid(), text, async (key, id, payload) => {
        const whsec = `whsec_${Buffer.from(key).toString('base64')}`;
        const delivery = signed(payload, { id, secrets: [whsec] });
        const verified = await new Webhook({ secrets: whsec }).verifySignature(delivery);
        assert.equal(verified.id, id);
        // Both packages accept and refuse the same signatures.
        new Oracle(whsec).verify(payload, recordOf(delivery), { jsonParse: false });
        const forged = { ...delivery, payload: `${payload}x` };
        assert.throws(() => new Oracle(whsec).verify(forged.payload, recordOf(forged)));
        await refused(new Webhook({ secrets: whsec }).verifySignature(forged), 'bad_signature');
      }),
    );
  });

  it('that are changed in any octet are refused by both packages', async () => {
    const delivery = signed(JSON.stringify(inbound));
    const headers = recordOf(delivery);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature'),
        fc.nat(),
        fc.integer({ min: 33, max: 126 }),
        async (name, place, octet) => {
          const value = headers[name] ?? '';
          const at = place % value.length;
          const changed = value.slice(0, at) + String.fromCharCode(octet) + value.slice(at + 1);
          if (changed === value) return;
          const theirs = attempt(() =>
            new Oracle(secret).verify(JSON.stringify(inbound), { ...headers, [name]: changed }),
          );
          const ours = await new Webhook({ secrets: secret })
            .verify({ ...delivery, headers: { ...headers, [name]: changed } })
            .then(
              () => true,
              (error: unknown) => (assert.ok(error instanceof WebhookError), false),
            );
          // standardwebhooks ignores characters after the digits of a timestamp; we are as strict as the standard.
          assert.ok(!ours && (!theirs || name === 'webhook-timestamp'), `${name}: ${changed}`);
        },
      ),
    );
  });

  const many = [
    ['the only one', [secret], [secret], true],
    ['the old one of two', [secretOf(2), secret], [secret], true],
    ['the new one of two', [secret, secretOf(2)], [secret], true],
    ['one of two, of which we have the second', [secretOf(2)], [secret, secretOf(2)], true],
    ['another one', [secretOf(2)], [secret], false],
  ] as const;
  for (const [what, secrets, signers, isBelieved] of many) {
    it(`with ${what} are ${isBelieved ? 'believed' : 'refused'}`, async () => {
      const webhook = new Webhook({ secrets });
      const verifying = webhook.verify(signed(JSON.stringify(inbound), { secrets: signers }));
      if (isBelieved) assert.equal((await verifying).notice.type, 'inbound');
      else await refused(verifying, 'bad_signature');
    });
  }

  const odd: readonly (readonly [string, Change, WebhookErrorCode?])[] = [
    ['in capitals', capitals],
    ['as Headers', (headers) => new Headers(headers)],
    ['with a signature of another version before', signature((given) => `v1a,xx v2, ${given}`)],
    ['with its signatures as a list', signature((given) => ['v1,AAAA', given])],
    ['without an id', (headers) => ({ ...headers, 'webhook-id': undefined }), 'missing_header'],
    ['with an empty signature', signature(() => ''), 'missing_header'],
    ['of another version alone', signature((given) => given.replace('v1,', 'v1a,')), 'bad_signature'],
    ['that is no base64', signature(() => 'v1,%%%%'), 'bad_signature'],
    ['cut short', signature((given) => given.slice(0, 20)), 'bad_signature'],
    ['with a timestamp that is none', (headers) => ({ ...headers, 'webhook-timestamp': 'now' }), 'bad_timestamp'],
    ['behind a thousand others', signature((given) => `${'v1,AAAA '.repeat(1_000)}${given}`), 'bad_signature'],
  ];
  for (const [what, change, code] of odd) {
    it(`${what} are ${code ?? 'believed'}`, async () => {
      const delivery = signed(JSON.stringify(inbound));
      const verifying = new Webhook({ secrets: secret }).verify({ ...delivery, headers: change(recordOf(delivery)) });
      if (code === undefined) await verifying;
      else await refused(verifying, code);
    });
  }

  for (const [minutes, code] of [
    [-6, 'bad_timestamp'],
    [-4, undefined],
    [4, undefined],
    [6, 'bad_timestamp'],
  ] as const) {
    it(`of ${minutes} minutes from now are ${code ?? 'believed'}`, async () => {
      const delivery = signed(JSON.stringify(inbound), { time: new Date(Date.now() + minutes * 60_000) });
      const verifying = new Webhook({ secrets: secret }).verify(delivery);
      if (code === undefined) await verifying;
      else await refused(verifying, code);
      // A larger tolerance accepts them all.
      await new Webhook({ secrets: secret, toleranceSeconds: 600 }).verify(delivery);
    });
  }

  it('with an invalid secret are refused at once, without showing it', () => {
    const broken = [[], '', 'whsec_', 'whsec_hidden!', [secret, 'whsec_%%%%hidden']];
    const cut = ['abc', secret.slice('whsec_'.length), secret.slice(0, -1), secret.slice(0, -16), secret.slice(0, 9)];
    const wrongLengths = [23, 65].map((octets) => `whsec_${Buffer.alloc(octets).toString('base64')}`);
    for (const secrets of [...broken, ...cut, ...wrongLengths]) {
      assert.throws(
        () => new Webhook({ secrets }),
        (error) => error instanceof MorselError && error.kind === 'invalid' && !inspect(error).includes('hidden'),
      );
    }
    assert.ok(!inspect(new Webhook({ secrets: secret }), { showHidden: true }).includes(secret.slice(6)));
  });
});

describe('notices', () => {
  const receipt = {
    type: 'receipt',
    msgId: '1',
    event: 'delivered',
    numParts: 2,
    sendTime: 's',
    dlrTime: 'd',
    errorCode: '000',
  };
  const alert = {
    type: 'alert',
    alert: 'low-balance',
    threshold: 10,
    clientBalance: 9.5,
    clientCurrency: 'EUR',
    time: 't',
  };
  const rows: readonly (readonly [string, object, object])[] = [
    ['an inbound message', inbound, inbound],
    [
      'octets from a phone',
      { ...inbound, text: undefined, dcs: 'BIN', data: '00ff' },
      { text: '', dcs: 'BIN', data: '00ff' },
    ],
    ['a receipt', { ...receipt, clientRef: 'order-7' }, { ...receipt, clientRef: 'order-7' }],
    ['tags', { ...receipt, tags: ['a', 'b'] }, { ...receipt, tags: ['a', 'b'] }],
    ['an event of another year', { ...receipt, event: 'eaten' }, { type: 'receipt', event: 'eaten' }],
    ['an alert', alert, { ...alert, exact: { threshold: '10', clientBalance: '9.5' } }],
    ['an alert of another year', { type: 'alert', alert: 'full-moon' }, { alert: 'full-moon', exact: {} }],
    ['a type of another year', { type: 'letter', stamp: 1 }, { type: 'unknown', named: 'letter' }],
    ['fields of other names', { from: '1', message: 'x' }, { type: 'unknown', fields: { from: '1', message: 'x' } }],
  ];
  for (const [what, body, expected] of rows) {
    it(`read ${what}, as JSON, as a form and as the query of a GET`, async () => {
      const webhook = new Webhook({ secrets: secret });
      const form = new URLSearchParams();
      for (const [name, value] of Object.entries(body)) if (value !== undefined) form.set(name, String(value));
      const read = [
        await webhook.verify(signed(JSON.stringify(body))),
        await webhook.verifyRequest(requestOf('POST', JSON.stringify(body))),
        await webhook.verify(signed(form.toString())),
        await webhook.verifyRequest(requestOf('GET', form.toString())),
      ];
      for (const { notice } of read) {
        const known = Object.entries(notice).filter(([name]) => name in expected);
        assert.deepEqual(Object.fromEntries(known), expected);
      }
    });
  }

  it('keep members that the client does not know', async () => {
    const delivery = signed(JSON.stringify({ ...inbound, more: [1, {}] }));
    const { notice } = await new Webhook({ secrets: secret }).verify(delivery);
    assert.deepEqual(notice.fields['more'], [1, {}]);
  });

  const unreadable: readonly (readonly [string, string | Uint8Array])[] = [
    ['without its sender', JSON.stringify({ ...inbound, sender: undefined })],
    ['without its text', JSON.stringify({ ...inbound, text: undefined })],
    ['of half a JSON', '{"type":"inbound"'],
    ['of an array', '[]'],
    ['of nothing', ''],
  ];
  for (const [what, payload] of unreadable) {
    it(`${what} are unreadable, though they are signed`, async () => {
      await refused(new Webhook({ secrets: secret }).verify(signed(payload.toString())), 'unreadable');
    });
  }

  it('that are not UTF-8 are refused, and not repaired', async () => {
    const payload = Buffer.concat([Buffer.from('{"type":"x'), Buffer.from([0xff]), Buffer.from('"}')]);
    const { headers } = signed('');
    const { 'webhook-id': id, 'webhook-timestamp': seconds } = recordOf({ headers, payload });
    const mac = createHmac('sha256', Buffer.alloc(32, 1)).update(`${id}.${seconds}.`).update(payload).digest('base64');
    const delivery = { headers: { ...headers, 'webhook-signature': `v1,${mac}` }, payload };
    const webhook = new Webhook({ secrets: secret });
    await webhook.verifySignature(delivery);
    await refused(webhook.verify(delivery), 'unreadable');
  });

  it('whose body was parsed before give an error that names this mistake of the program', async () => {
    // @ts-expect-error -- the result of express.json()
    const delivery: Delivery = { headers: signed('{}').headers, payload: { type: 'inbound' } };
    await assert.rejects(new Webhook({ secrets: secret }).verify(delivery), /must be the unparsed body/);
  });

  it('with an endless body are too large, and with a broken-off body unreadable', async () => {
    const webhook = new Webhook({ secrets: secret });
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(65_536)) });
    const broken = new ReadableStream<Uint8Array>({ pull: (to) => to.error(new Error('gone')) });
    const rest = { method: 'POST', url: 'http://127.0.0.1/', headers: new Headers() };
    await refused(webhook.verifyRequest({ ...rest, body: endless }), 'too_large');
    await refused(webhook.verifyRequest({ ...rest, body: broken }), 'unreadable');
    await refused(webhook.verifyRequest({ ...rest, body: null }), 'missing_header');
  });

  it('of any octets give a notification or a WebhookError', async () => {
    const webhook = new Webhook({ secrets: secret });
    const nearly = fc
      .tuple(fc.constantFrom(...Object.keys(inbound), 'alert', 'event'), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...inbound, [name]: value }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearly, fc.json(), fc.string({ unit: 'binary' })), async (payload) => {
        const outcome = await webhook.verify(signed(payload)).catch((error: unknown) => error);
        if (outcome instanceof Error) assert.ok(outcome instanceof WebhookError, String(outcome));
      }),
    );
  });
});

function secretOf(octet: number): string {
  return `whsec_${Buffer.alloc(32, octet).toString('base64')}`;
}

interface Signing {
  readonly id?: string;
  readonly time?: Date;
  readonly secrets?: readonly string[];
}

function signed(
  payload: string,
  { id = `msg_${randomBytes(4).toString('hex')}`, time = new Date(), secrets = [secret] }: Signing = {},
): Delivery & { readonly payload: string } {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': secrets.map((each) => new Oracle(each).sign(id, time, payload)).join(' '),
  };
  return { headers, payload };
}

function recordOf({ headers }: Delivery): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function requestOf(method: 'GET' | 'POST', payload: string): Request {
  const headers = recordOf(signed(payload));
  return method === 'GET'
    ? new Request(`http://127.0.0.1/hook?${payload}`, { headers })
    : new Request('http://127.0.0.1/hook', { method: 'POST', headers, body: payload });
}

async function refused(verifying: Promise<unknown>, code: WebhookErrorCode): Promise<void> {
  await assert.rejects(verifying, (error) => error instanceof WebhookError && error.code === code);
}

function attempt(what: () => unknown): boolean {
  try {
    what();
    return true;
  } catch {
    return false;
  }
}
