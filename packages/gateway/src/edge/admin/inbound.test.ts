import type { CommandOf } from '../../state/commands.ts';
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { nextMessageId } from '../../core/base/message-id.ts';
import { call, codeOf, gateway, post } from '../../../test/support/gateway/admin-api.ts';
import type { HttpAnswer } from '../../../test/support/clients/http-client.ts';

let lastId = 0;

/** An inbound message, as from a carrier. */
async function inbound(octets: string, more: Partial<CommandOf<'inbound'>> = {}): Promise<string> {
  const { journal, clock } = gateway.operator;
  const id = nextMessageId(lastId, clock.now(), 0);
  lastId = id;
  const kept = await journal.append<'inbound'>({
    kind: 'inbound',
    at: clock.now(),
    id,
    carrier: 1,
    sender: '+41790000009',
    receiver: '+41791112233',
    dataCoding: 0,
    esmClass: 0,
    octets: Buffer.from(octets),
    coding: 'gsm7',
    concatenation: null,
    ports: null,
    ...more,
  });
  assert.ok(kept.ok);
  return String(id);
}

function idsIn(answer: HttpAnswer): { readonly ids: readonly string[]; readonly next: string | undefined } {
  assert.equal(answer.status, 200, answer.text);
  return {
    ids: [...answer.text.matchAll(/"msgId":"(\d+)"/g)].map(([, id]) => id ?? ''),
    next: /"next":"(\d+)"/.exec(answer.text)?.[1],
  };
}

describe('numbers', () => {
  before(async () => {
    for (const name of ['acme', 'beta']) {
      assert.equal((await post('/admin/v1/accounts', { name, currency: 'EUR' })).status, 200);
    }
    const carrier = { name: 'one', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' };
    assert.equal((await post('/admin/v1/carriers', carrier)).status, 200);
  });

  it('that are invalid are refused with what to do', async () => {
    assert.equal((await post('/admin/v1/numbers', { number: '0041 79 222 33 44', account: 'acme' })).status, 200);
    const rows: readonly (readonly [fields: object, code: string, detail: RegExp])[] = [
      [{ number: '12', account: 'acme' }, 'invalid_parameter', /an international number, such as/],
      [{ number: '+41792223344', account: 'acme' }, 'already_exists', /already belongs to account acme"/],
      [
        { number: '+41792223344', account: 'beta' },
        'already_exists',
        /already belongs to account acme: use number set to give/,
      ],
      [{ number: '+41792223345', account: 'nobody' }, 'does_not_exist', /no account named nobody/],
      [{ number: '079', kind: 'prefix', account: 'acme' }, 'invalid_parameter', /beginning with the country code/],
      [{ number: '8812', kind: 'keyword', account: 'acme' }, 'invalid_parameter', /one of number, prefix/],
      [{ number: '8812' }, 'invalid_parameter', /must name the account of the number, unless/],
      [{ number: '8812', account: 'acme', shared: 'true' }, 'invalid_parameter', /give one of the two/],
    ];
    for (const [fields, code, detail] of rows) {
      const answer = await post('/admin/v1/numbers', fields);
      assert.equal(codeOf(answer), code, answer.text);
      assert.match(answer.text, detail);
    }
    assert.equal(codeOf(await call('DELETE', '/admin/v1/numbers/9999')), 'does_not_exist');
    for (const range of ['417950', '41795001']) {
      assert.equal((await post('/admin/v1/numbers', { number: range, kind: 'prefix', account: 'acme' })).status, 200);
      const answer = await call('DELETE', `/admin/v1/numbers/%2B${range}`);
      assert.match(answer.text, /(such as .*; for all|is a range of numbers:) .*--prefix/);
      assert.equal((await call('DELETE', `/admin/v1/numbers/${range}?kind=prefix`)).status, 200);
    }
    assert.match(
      (await post('/admin/v1/numbers', { number: '+417950', account: 'acme' })).text,
      /for all numbers that begin with these digits use --prefix/,
    );
    assert.equal(codeOf(await call('GET', '/admin/v1/numbers?account=nobody')), 'does_not_exist');
  });
});

describe('inbound messages', () => {
  it('are listed by account, by number, and if unmatched, a page at a time and without their texts', async () => {
    await post('/admin/v1/numbers', { number: '8820', account: 'beta' });
    const nobodys = await inbound('a secret word', { receiver: '+49151000001' });
    const first = await inbound('first', { receiver: '8820' });
    const second = await inbound('second', { receiver: '+8820' });
    const lists: readonly (readonly [query: string, ids: readonly string[]])[] = [
      ['account=beta', [second, first]],
      ['number=8820', [second, first]],
      ['number=8820&account=beta', [second, first]],
      ['number=8820&account=acme', []],
      ['number=8820&unmatched=true', []],
      ['unmatched=true', [nobodys]],
    ];
    for (const [query, ids] of lists) {
      const answer = await call('GET', `/admin/v1/inbound?${query}`);
      assert.deepEqual(idsIn(answer).ids, ids, query);
      assert.doesNotMatch(answer.text, /secret word|first|second/);
    }
    const page = idsIn(await call('GET', '/admin/v1/inbound?account=beta&limit=1'));
    assert.deepEqual(page, { ids: [second], next: second });
    const rest = idsIn(await call('GET', `/admin/v1/inbound?account=beta&limit=1&after=${second}`));
    assert.deepEqual(rest, { ids: [first], next: undefined });
    for (const wrong of ['account=beta&unmatched=true', 'number=12', 'limit=1001', 'unmatched=yes']) {
      assert.equal(codeOf(await call('GET', `/admin/v1/inbound?${wrong}`)), 'invalid_parameter', wrong);
    }
    assert.equal(codeOf(await call('GET', '/admin/v1/inbound?account=nobody')), 'does_not_exist');
  });

  it('are shown one by one, texts as text and octets as hex, with the words of the interface', async () => {
    const concatenation = { kind: 'udh8', reference: 1, total: 2, number: 1 } as const;
    await inbound('Hi ', { concatenation });
    const id = await inbound('you', { concatenation: { ...concatenation, number: 2 } });
    const { receivedTime, ...shown } = Object.fromEntries(
      Object.entries((await call('GET', `/admin/v1/inbound/${id}`)).body ?? {}),
    );
    assert.match(String(receivedTime), /^\d{4}-.*Z$/);
    assert.deepEqual(shown, {
      msgId: id,
      account: null,
      matchedBy: null,
      keyword: null,
      delivery: null,
      carrier: 'one',
      sender: '+41790000009',
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
      dataCoding: 4,
      ports: { destination: 2948, source: 1 },
    });
    const { text } = await call('GET', `/admin/v1/inbound/${binary}`);
    assert.match(text, /"dcs":"BIN".*"data":"0102".*"destinationPort":2948,"sourcePort":1/);
    assert.doesNotMatch(text, /"text"/);
    for (const unknown of ['1', 'x', '0']) {
      assert.equal(codeOf(await call('GET', `/admin/v1/inbound/${unknown}`)), 'message_not_found');
    }
  });
});
