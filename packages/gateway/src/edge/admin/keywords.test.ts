import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { nextMessageId } from '../../core/base/message-id.ts';
import { call, codeOf, gateway, post } from '../../../test/support/gateway/admin-api.ts';
import type { HttpAnswer } from '../../../test/support/clients/http-client.ts';

let lastId = 0;

/** An inbound message, as from a carrier. */
async function write(receiver: string, text: string, sender = '+41790000009'): Promise<string> {
  const { journal, clock } = gateway.operator;
  lastId = nextMessageId(lastId, clock.now(), 0);
  const id = nextMessageId(lastId, clock.now(), 0);
  lastId = id;
  const kept = await journal.append<'inbound'>({
    kind: 'inbound',
    at: clock.now(),
    id,
    carrier: 1,
    sender,
    receiver,
    dataCoding: 0,
    esmClass: 0,
    octets: Buffer.from(text),
    coding: 'gsm7',
    concatenation: null,
    ports: null,
  });
  assert.ok(kept.ok);
  return String(id);
}

async function done(path: string, fields: object): Promise<HttpAnswer> {
  const answer = await post(path, fields);
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

function idsIn(answer: HttpAnswer): readonly string[] {
  assert.equal(answer.status, 200, answer.text);
  return [...answer.text.matchAll(/"msgId":"(\d+)"/g)].map(([, id]) => id ?? '');
}

function bodyOf(answer: HttpAnswer): { readonly [member: string]: unknown } {
  assert.equal(answer.status, 200, answer.text);
  return { ...Object(answer.body) };
}

/** Keywords as `number word account`, and where the next page starts. */
async function list(query: string) {
  const { text, body } = await call('GET', `/admin/v1/keywords?${query}`);
  const rows = [...text.matchAll(/"number":"([^"]+)","kind":"\w+","word":"([^"]+)","account":"(\w+)"/g)];
  return { rows: rows.map((row) => row.slice(1).join(' ')), next: Object(body).next };
}

/** The account of a message, how it was found, and its notifications. */
async function shown(id: string) {
  const { account, matchedBy, keyword, delivery, notifications } = bodyOf(await call('GET', `/admin/v1/inbound/${id}`));
  return [account, matchedBy, keyword, delivery, notifications];
}

describe('keywords', () => {
  before(async () => {
    for (const name of ['acme', 'beta']) await done('/admin/v1/accounts', { name, currency: 'EUR' });
    await done('/admin/v1/carriers', { name: 'one', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' });
    await done('/admin/v1/numbers', { number: '8822', shared: 'true' });
  });

  it('are stored folded, listed page by page, and removed', async () => {
    const added = await done('/admin/v1/numbers/8822/keywords', { word: '#TAXI!', account: 'acme' });
    assert.deepEqual(added.body, { number: '8822', kind: 'number', word: 'taxi', account: 'acme' });
    for (const word of ['Tea', '抽奖', 'Straße'])
      await done('/admin/v1/numbers/8822/keywords', { word, account: 'beta' });
    await done('/admin/v1/numbers', { number: '4179', kind: 'prefix', account: 'beta' });
    await done('/admin/v1/numbers/4179/keywords', { kind: 'prefix', word: 'tea', account: 'acme' });
    const all = ['+4179 tea acme', '8822 strasse beta', '8822 taxi acme', '8822 tea beta', '8822 抽奖 beta'];
    assert.deepEqual(await list(''), { rows: all, next: null });
    assert.deepEqual((await list('account=acme')).rows, [all[0], all[2]]);
    assert.deepEqual((await list('number=8822&account=beta')).rows, [all[1], all[3], all[4]]);
    assert.deepEqual((await list('number=4179&kind=prefix')).rows, [all[0]]);
    const pages: string[] = [];
    for (let place = ''; ;) {
      const page = await list(`limit=2${place}`);
      pages.push(...page.rows);
      if (page.next === null) break;
      place = `&after=${encodeURIComponent(page.next)}`;
    }
    assert.deepEqual(pages, all);
    const numbers = (await call('GET', '/admin/v1/numbers')).text;
    assert.match(numbers, /"number":"8822","kind":"number","account":null,"keywords":4/);
    for (const word of ['STRASSE', '抽奖']) {
      assert.equal((await call('DELETE', `/admin/v1/numbers/8822/keywords/${encodeURIComponent(word)}`)).status, 200);
    }
    assert.equal((await list('number=8822')).rows.length, 2);
  });
});

describe('messages to shared numbers', () => {
  const phone = '+41790000077';
  let taxi = '';
  let tea = '';
  let nobodys = '';
  let since = '';

  before(async () => {
    since = new Date(gateway.operator.clock.now()).toISOString();
    taxi = await write('8822', 'Taxi to the zoo', phone);
    tea = await write('8822', 'tea', phone);
    nobodys = await write('8822', 'hello', phone);
  });

  it('are found by keyword, sender, time, and delivery', async () => {
    const later = new Date(gateway.operator.clock.now() + 60_000).toISOString();
    const lists: readonly (readonly [query: string, ids: readonly string[]])[] = [
      ['keyword=TAXI', [taxi]],
      ['keyword=tea&account=beta', [tea]],
      ['keyword=tea&account=acme', []],
      [`sender=${encodeURIComponent(phone)}`, [nobodys, tea, taxi]],
      ['sender=0041790000077&unmatched=true', [nobodys]],
      ['sender=8811', []],
      [`number=8822&since=${since}`, [nobodys, tea, taxi]],
      [`number=8822&until=${since}`, []],
      [`number=8822&since=${later}`, []],
      ['number=8822&undelivered=true&account=acme', [taxi]],
    ];
    for (const [query, ids] of lists)
      assert.deepEqual(idsIn(await call('GET', `/admin/v1/inbound?${query}`)), ids, query);
    for (const wrong of [
      'keyword=two%20words',
      'since=yesterday',
      `since=${later}&until=${since}`,
      'undelivered=maybe',
    ])
      assert.equal(codeOf(await call('GET', `/admin/v1/inbound?${wrong}`)), 'invalid_parameter', wrong);
  });

  it('show how their account was found, and that they were not delivered', async () => {
    await done('/admin/v1/numbers', { number: '8833', account: 'beta' });
    await done('/admin/v1/numbers/8833/keywords', { word: 'taxi', account: 'acme' });
    assert.deepEqual(await shown(taxi), ['acme', 'keyword', 'taxi', null, []]);
    assert.deepEqual(await shown(nobodys), [null, null, null, null, []]);
    assert.deepEqual(await shown(await write('8833', 'hello')), ['beta', 'fallback', null, null, []]);
  });
});

describe('a replay', () => {
  it('of ids counts each outcome, and routes unmatched messages', async () => {
    const early = await write('8844', 'one');
    await done('/admin/v1/numbers', { number: '8844', account: 'acme' });
    const own = await write('8844', 'two');
    const still = await write('8855', 'three');
    const answer = await done('/admin/v1/inbound/replay', { ids: [own, early, still, own] });
    const counts = { replayed: 0, waiting: 0, withoutDestination: 2, unmatched: 1, rerouted: 1 };
    assert.deepEqual(answer.body, { ...counts, next: null, until: null });
    assert.deepEqual(idsIn(await call('GET', '/admin/v1/inbound?number=8844')), [own, early]);
    assert.match((await call('GET', `/admin/v1/inbound/${early}`)).text, /"account":"acme","matchedBy":"number"/);
  });

  it('by a filter goes on step by step, the oldest first, up to its start', async () => {
    const count = 310;
    for (let at = 0; at < count; at++) await write('8866', `message ${at}`);
    await done('/admin/v1/numbers', { number: '8866', account: 'acme' });
    const filter = { number: '8866', unmatched: 'true' };
    const first = bodyOf(await done('/admin/v1/inbound/replay', filter));
    assert.deepEqual([first['rerouted'], typeof first['next']], [250, 'string']);
    const late = await write('8877', 'late');
    const last = bodyOf(
      await done('/admin/v1/inbound/replay', { ...filter, after: first['next'], until: first['until'] }),
    );
    assert.deepEqual([last['rerouted'], last['next'], last['until']], [count - 250, null, first['until']]);
    assert.deepEqual(idsIn(await call('GET', '/admin/v1/inbound?number=8866&unmatched=true')), []);
    assert.deepEqual(idsIn(await call('GET', '/admin/v1/inbound?number=8877&unmatched=true')), [late]);
  });

  it('without a filter, with two, or with a wrong one is refused', async () => {
    const rows: readonly (readonly [fields: object, detail: RegExp])[] = [
      [{}, /give message ids, or a filter/],
      [{ reroute: 'true' }, /give message ids, or a filter/],
      [{ after: '1' }, /give message ids, or a filter/],
      [{ ids: [] }, /ids must be a list/],
      [{ ids: true }, /ids must be a list/],
      [{ ids: ['1'], unmatched: 'true' }, /give message ids or a filter/],
      [{ account: 'acme', unmatched: 'true' }, /an unmatched message has no account/],
      [{ texts: 'x' }, /unknown field/],
    ];
    for (const [fields, detail] of rows) {
      const answer = await post('/admin/v1/inbound/replay', fields);
      assert.equal(codeOf(answer), 'invalid_parameter', answer.text);
      assert.match(answer.text, detail);
    }
  });
});
