import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { buildHeader } from '@morsel/gsm';
import type { CommandOf } from '../../state/commands.ts';
import { nextMessageId } from '../../core/base/message-id.ts';
import { call, codeOf, gateway, post } from '../../../test/support/gateway/admin-api.ts';
import type { HttpAnswer } from '../../../test/support/clients/http-client.ts';

/* Numbers, keywords and inbound messages over the operator's API. The tests of their decisions are in state/decide. */

const phone = '+41790000009';
let lastId = 0;

/** Stores an inbound message as if it came from a carrier. */
async function inbound(octets: string, more: Partial<CommandOf<'inbound'>> = {}): Promise<string> {
  const { journal, clock } = gateway.operator;
  const id = nextMessageId(lastId, clock.now(), 0);
  lastId = id;
  const kept = await journal.append<'inbound'>({
    kind: 'inbound',
    at: clock.now(),
    id,
    carrier: 1,
    sender: phone,
    receiver: '+41791112233',
    code: 0,
    octets: Buffer.from(octets),
    coding: 'gsm7',
    concatenation: null,
    header: null,
    ...more,
  });
  assert.ok(kept.ok);
  return String(id);
}

async function done(path: string, fields: object): Promise<HttpAnswer> {
  const answer = await post(`/admin/v1/${path}`, fields);
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

/** The ids of the inbound messages that a query finds. */
async function found(query: string): Promise<readonly string[]> {
  const answer = await call('GET', `/admin/v1/inbound?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.doesNotMatch(answer.text, /secret/, 'a list has no texts');
  return [...answer.text.matchAll(/"msgId":"(\d+)"/g)].map(([, id]) => id ?? '');
}

const timeIn = (afterMs: number) => new Date(gateway.operator.clock.now() + afterMs).toISOString();

describe('over the API of operators', () => {
  before(async () => {
    for (const name of ['acme', 'beta']) await done('accounts', { name, currency: 'EUR' });
    await done('carriers', { name: 'one', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' });
    await done('numbers', { number: '8822', shared: 'true' });
  });

  describe('numbers and keywords', () => {
    it('a keyword is stored in folded case, and may be removed in any case', async () => {
      const added = await done('numbers/8822/keywords', { word: '#TAXI!', account: 'acme' });
      assert.deepEqual(added.body, { number: '8822', kind: 'number', word: 'taxi', account: 'acme' });
      for (const word of ['Tea', 'Straße']) await done('numbers/8822/keywords', { word, account: 'beta' });
      const { text } = await call('GET', '/admin/v1/numbers');
      assert.match(text, /"number":"8822","kind":"number","account":null,"keywords":3/);
      assert.equal((await call('DELETE', '/admin/v1/numbers/8822/keywords/STRASSE')).status, 200);
    });

    it('a range of numbers is removed as a whole, and by its kind', async () => {
      assert.equal(codeOf(await call('DELETE', '/admin/v1/numbers/9999')), 'does_not_exist');
      for (const number of ['417950', '41795001']) {
        await done('numbers', { number, kind: 'prefix', account: 'acme' });
        const answer = await call('DELETE', `/admin/v1/numbers/%2B${number}`);
        assert.match(answer.text, /(such as .*; for all|is a range of numbers:) .*--prefix/);
        assert.equal((await call('DELETE', `/admin/v1/numbers/${number}?kind=prefix`)).status, 200);
      }
      const short = await post('/admin/v1/numbers', { number: '+417950', account: 'acme' });
      assert.match(short.text, /for all numbers that begin with these digits use --prefix/);
    });
  });

  describe('inbound messages', () => {
    it('are found by number, keyword, sender, time and delivery; the list has no texts', async () => {
      const since = timeIn(0);
      const nobodys = await inbound('a secret word', { receiver: '+49151000001', sender: '+41790000077' });
      const taxi = await inbound('Taxi to the secret zoo', { receiver: '8822' });
      const tea = await inbound('tea', { receiver: '+8822' });
      const hello = await inbound('hello', { receiver: '8822' });
      const later = timeIn(60_000);
      for (const [query, ids] of [
        ['unmatched=true', [hello, nobodys]],
        ['number=8822&unmatched=true', [hello]],
        ['keyword=TAXI', [taxi]],
        ['keyword=tea&account=acme', []],
        ['sender=0041790000077&unmatched=true', [nobodys]],
        [`number=8822&since=${since}`, [hello, tea, taxi]],
        [`number=8822&until=${since}`, []],
        [`number=8822&since=${later}`, []],
        ['number=8822&undelivered=true&account=acme', [taxi]],
      ] as const)
        assert.deepEqual(await found(query), ids, query);
      for (const wrong of [
        'account=beta&unmatched=true',
        'number=12',
        'unmatched=yes',
        'keyword=two%20words',
        `since=${later}&until=${since}`,
      ])
        assert.equal(codeOf(await call('GET', `/admin/v1/inbound?${wrong}`)), 'invalid_parameter', wrong);
    });

    it('are shown one by one, with texts as text and binary data as hexadecimal digits', async () => {
      const concatenation = { kind: '8-bit', reference: 1, total: 2, number: 1 } as const;
      await inbound('Hi ', { concatenation });
      const id = await inbound('you', { concatenation: { ...concatenation, number: 2 } });
      const { receivedTime, ...shown } = (await call('GET', `/admin/v1/inbound/${id}`)).body;
      assert.match(String(receivedTime), /^\d{4}-.*Z$/);
      assert.deepEqual(shown, {
        msgId: id,
        account: null,
        matchedBy: null,
        keyword: null,
        delivery: null,
        carrier: 'one',
        sender: phone,
        receiver: '+41791112233',
        dcs: 'GSM',
        numParts: 2,
        partsReceived: 2,
        complete: true,
        text: 'Hi you',
        erased: false,
        dataCoding: 0,
        header: null,
        destinationPort: null,
        sourcePort: null,
        notifications: [],
      });
      const binary = await inbound('\u0001\u0002', {
        coding: 'binary',
        code: 4,
        header: buildHeader([{ kind: 'ports', bits: 16, destination: 2948, source: 1 }]),
      });
      const { text } = await call('GET', `/admin/v1/inbound/${binary}`);
      assert.match(text, /"dcs":"BIN".*"data":"0102".*"destinationPort":2948,"sourcePort":1/);
      assert.doesNotMatch(text, /"text"/);
      for (const unknown of ['1', 'x', '0'])
        assert.equal(codeOf(await call('GET', `/admin/v1/inbound/${unknown}`)), 'message_not_found');
    });
  });

  describe('a replay', () => {
    it('of given ids counts each outcome, and routes unmatched messages', async () => {
      const early = await inbound('one', { receiver: '8844' });
      await done('numbers', { number: '8844', account: 'acme' });
      const own = await inbound('two', { receiver: '8844' });
      const answer = await done('inbound/replay', { ids: [own, early, own] });
      const counts = { replayed: 0, waiting: 0, withoutDestination: 2, unmatched: 0, rerouted: 1 };
      assert.deepEqual(answer.body, { ...counts, next: null, until: null });
    });

    it('by a filter takes the oldest messages first, and leaves out messages that arrived after its start', async () => {
      const count = 310;
      for (let at = 0; at < count; at++) await inbound(`message ${at}`, { receiver: '8866' });
      await done('numbers', { number: '8866', account: 'acme' });
      const filter = { number: '8866', unmatched: 'true' };
      const first = (await done('inbound/replay', filter)).body;
      assert.deepEqual([first['rerouted'], typeof first['next']], [250, 'string']);
      const late = await inbound('late', { receiver: '8877' });
      const place = { after: first['next'], until: first['until'] };
      const last = (await done('inbound/replay', { ...filter, ...place })).body;
      assert.deepEqual([last['rerouted'], last['next'], last['until']], [count - 250, null, first['until']]);
      assert.deepEqual(await found('number=8866&unmatched=true'), []);
      assert.deepEqual(await found('number=8877&unmatched=true'), [late]);
    });
  });
});
