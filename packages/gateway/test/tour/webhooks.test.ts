/* Webhooks on real sockets: forms of requests, signatures, retries, replays, alerts and tests. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { done } from '../support/done.ts';
import { command, morsel } from '../support/gateway/morsel.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { Tour, type TourOptions } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WebhookEar, type Told } from '../support/clients/webhook-ear.ts';

const phone = '+41791230001';
const ours = '+41790000001';

async function withNumber(options: TourOptions = {}): Promise<Tour> {
  const tour = await Tour.open(options);
  assert.ok((await tour.operator.number.add({ account: 'acme', number: ours })).ok);
  return tour;
}

/** Adds a webhook of acme. Returns the webhook's id and secret. */
async function webhook(tour: Tour, url: string, more: object = {}): Promise<{ id: number; secret: string }> {
  return done(await tour.operator.webhook.add({ account: 'acme', url, allow: '127.0.0.1', ...more }));
}

function verify(secret: string, { headers }: Told, content: string): void {
  new Webhook(secret).verify(content, { ...headers }, { jsonParse: false });
}

describe('a notification of an inbound message', () => {
  it('comes as JSON, as a form and in a query, signed so that standardwebhooks verifies it, with two secrets', async () => {
    await using tour = await withNumber();
    for (const method of ['post-json', 'post-form', 'get'] as const) {
      await using ear = await WebhookEar.open();
      const made = await webhook(tour, `${ear.url}?client=7`, { method });
      const second = done(await tour.operator.webhookSecret.add({ webhook: made.id }));
      await tour.simulator.sendInbound({ from: phone, to: ours, text: 'Grüezi & "hello" ñ' });
      const [told = assert.fail()] = await ear.heard(1);
      for (const secret of [made.secret, second.secret])
        verify(secret, told, method === 'get' ? told.query : told.body);
      assert.throws(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, told, told.body));
      const fields = read(method, told);
      assert.match(String(fields['msgId']), /^\d{16}$/);
      assert.match(String(fields['receivedTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const { msgId: _id, receivedTime: _at, ...rest } = fields;
      assert.deepEqual(rest, {
        ...(method === 'get' && { client: '7' }),
        type: 'inbound',
        sender: phone,
        receiver: ours,
        text: 'Grüezi & "hello" ñ',
        dcs: 'UCS',
        numParts: method === 'post-json' ? 1 : '1',
        complete: method === 'post-json' ? true : 'true',
      });
      assert.match(told.headers['webhook-id'] ?? '', /^msg_\d+_[0-9a-z]+$/);
      await command(tour, 'webhook', 'remove', String(made.id));
    }
  });

  it('has binary octets in hex', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await withNumber({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }] });
    await using ear = await WebhookEar.open();
    await webhook(tour, ear.url);
    await waitUntil('the link is bound', () => carrier.links === 1);
    const numbers = {
      source_addr_ton: 1,
      source_addr: phone.slice(1),
      dest_addr_ton: 1,
      destination_addr: ours.slice(1),
    };
    // A message to port 9200 (3GPP TS 23.040, 9.2.3.24.4), with three octets of data.
    await carrier.session().request({
      ...numbers,
      command: 'deliver_sm',
      data_coding: 4,
      esm_class: 0x40,
      short_message: Buffer.concat([Buffer.from('06050423f00000', 'hex'), Buffer.from('00ff10', 'hex')]),
    });
    const [told = assert.fail()] = await ear.heard(1);
    const fields: Record<string, unknown> = JSON.parse(told.body);
    assert.deepEqual(
      [fields['dcs'], fields['data'], fields['udh'], fields['text']],
      ['BIN', '00ff10', '06050423f00000', undefined],
    );
  });
});

it('receipts and low balances go to the webhooks that want them', async () => {
  await using tour = await Tour.open();
  await using ear = await WebhookEar.open();
  await webhook(tour, ear.url, { on: 'receipt,alert' });
  assert.ok((await tour.operator.account.set({ account: 'acme', lowBalance: '99.995' })).ok);
  const msgId = await tour.accept({ receiver: '+41791230002', clientRef: 'order 7', tags: ['promo', '2027:q1'] });
  const told = await ear.heard(2);
  const bodies = told.map(({ body }) => body).toSorted();
  assert.match(
    bodies[0] ?? '',
    /^\{"type":"alert","alert":"low-balance","threshold":99\.995,"clientBalance":99\.9925,"clientCurrency":"EUR","time":"[^"]+Z"\}$/,
  );
  const receipt: Record<string, unknown> = JSON.parse(bodies[1] ?? '');
  const report = await tour.report(msgId);
  const { parts: _parts, ...same } = report;
  assert.deepEqual([receipt['clientRef'], receipt['tags']], ['order 7', ['promo', '2027:q1']]);
  assert.deepEqual(receipt, { type: 'receipt', ...same });
  assert.ok((await tour.operator.posting.topUp({ account: 'acme', amount: '1' })).ok);
});

describe('webhook test', () => {
  it('shows the answer of the receiver, and marks its notification as a test', async () => {
    await using tour = await withNumber();
    await using ear = await WebhookEar.open();
    const { secret } = await webhook(tour, ear.url, {
      template: { fields: { from: 'sender' }, constants: { key: 'abc' } },
    });
    assert.match(await command(tour, 'webhook', 'test', '1'), /^webhook 1 acknowledged: 200, after \d+ ms\n/);
    const [told = assert.fail()] = ear.told;
    assert.deepEqual(JSON.parse(told.body), { from: '+10000000000', test: true, key: 'abc' });
    verify(secret, told, told.body);
    ear.status = 404;
    const failed = await morsel(['webhook', 'test', '1'], { dataDir: tour.dataDir });
    assert.equal(failed.status, 1);
    assert.match(
      failed.errors,
      /did not acknowledge: 404, after \d+ ms \(the server has nothing at this path\); .* of kind inbound/,
    );
    await command(tour, 'webhook', 'set', '1', '--allow', '', '--url', 'http://client.invalid/');
    const nowhere = await morsel(['webhook', 'test', '1'], { dataDir: tour.dataDir });
    assert.match(nowhere.errors, /host name of the webhook/);
  });
});

it('webhook test sends a kind of event that the webhook gets, and refuses other kinds before it sends', async () => {
  await using tour = await withNumber();
  await using ear = await WebhookEar.open();
  await webhook(tour, ear.url, {});
  for (const [on, words, told] of [
    ['inbound', [], { type: 'inbound', sender: '+10000000000', text: 'This is a test.', complete: true }],
    ['receipt', [], { type: 'receipt', msgId: '1', event: 'delivered', errorCode: '000', clientRef: 'test' }],
    ['receipt,alert', ['--kind', 'alert'], { type: 'alert', alert: 'low-balance', clientBalance: 9.99 }],
  ] as const) {
    await command(tour, 'webhook', 'set', '1', '--on', on);
    await command(tour, 'webhook', 'test', '1', ...words);
    const body: { readonly [field: string]: unknown } = JSON.parse(ear.told.at(-1)?.body ?? '');
    assert.deepEqual({ ...body, ...told, test: true }, body, on);
  }
  const { errors } = await morsel(['webhook', 'test', '1', '--kind', 'inbound'], { dataDir: tour.dataDir });
  assert.match(
    errors,
    /webhook 1 gets receipt, alert and not inbound: name another kind, or use webhook set 1 --on receipt,alert,inbound/,
  );
  assert.equal(ear.told.length, 3);
});

function read(method: string, { body, query }: Told): Record<string, unknown> {
  const fields: Record<string, unknown> = method === 'post-json' ? JSON.parse(body) : {};
  if (method === 'post-json') return fields;
  return Object.fromEntries(new URLSearchParams(method === 'get' ? query : body));
}
