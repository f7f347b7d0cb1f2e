import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, codeOf, post } from '../../../test/support/gateway/admin-api.ts';
import type { HttpAnswer } from '../../../test/support/clients/http-client.ts';

describe('prices', () => {
  it('are kept exactly, and the others of the list as they were', async () => {
    assert.equal(codeOf(await setPrices([{ prefix: '41', price: '0.0075' }])), 'does_not_exist');
    assert.match(
      (
        await setPrices(
          [
            { prefix: '41', price: '0.0075' },
            { prefix: '', price: 1 },
          ],
          { currency: 'EUR' },
        )
      ).text,
      /"version":1/,
    );
    assert.match((await setPrices([{ prefix: '41', price: '0.000001' }])).text, /"version":2/);
    assert.match(
      (await call('GET', '/admin/v1/price-lists/exports/prices')).text,
      /"items":\[{"prefix":"","price":1,"currency":"EUR","list":"exports","version":2},{"prefix":"41","price":0.000001,/,
    );
    for (const wrong of [
      [],
      [1],
      [{ prefix: '4x', price: 1 }],
      [{ prefix: '4' }],
      [{ prefix: '4', price: -1 }],
      [{ prefix: '4', price: 1_000_000_001 }],
      [
        { prefix: '4', price: 1 },
        { prefix: '+4', price: 2 },
      ],
    ]) {
      assert.equal((await setPrices(wrong)).status, 400, JSON.stringify(wrong));
    }
    assert.equal(codeOf(await setPrices([{ prefix: '4', price: 1 }], { currency: 'USD' })), 'invalid_parameter');
  });
});

describe('messages', () => {
  it('are sent like those of clients, found by their numbers, and shown with their text', async () => {
    await post('/admin/v1/carriers', { name: 'two', host: '127.0.0.1', port: 1, systemId: 'us', password: '' });
    await post('/admin/v1/routes', { prefix: '41', carrier: 'two' });
    await post('/admin/v1/price-lists/default/prices', {
      currency: 'EUR',
      prices: [{ prefix: '41', price: '0.0075' }],
    });
    await post('/admin/v1/accounts', { name: 'sender', currency: 'EUR', balance: '0.01' });
    const draft = {
      account: 'sender',
      sender: 'Shop',
      receiver: '0041 79 111 22 33',
      text: 'private words',
      clientRef: 'r1',
    };
    const sent = await post('/admin/v1/messages', draft);
    assert.equal(sent.status, 200, sent.text);
    assert.match(
      sent.text,
      /^\{"msgId":"\d+","numParts":1,"totalCost":0\.0075,"clientBalance":0\.0025,"clientCurrency":"EUR"\}$/,
    );
    const again = await post('/admin/v1/messages', draft);
    assert.equal(codeOf(again), 'insufficient_balance');
    const msgId = /"msgId":"(\d+)"/.exec(sent.text)?.[1] ?? '';
    const shown = await call('GET', `/admin/v1/messages/${msgId}`);
    assert.match(shown.text, /"text":"private words"/);
    assert.match(shown.text, /"source":"operator"/);
    assert.match(shown.text, /"acceptedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
    for (const query of [
      'account=sender',
      'sender=Shop',
      'receiver=%2B41791112233',
      'receiver=41791112233',
      'clientRef=r1',
      'event=queued',
      'since=2020-01-01',
      'until=2999-01-01T00:00:00Z',
    ]) {
      const found = await call('GET', `/admin/v1/messages?${query}`);
      assert.match(found.text, new RegExp(msgId), query);
      assert.doesNotMatch(found.text, /private/);
    }
    assert.equal((await post('/admin/v1/accounts', { name: 'another', currency: 'EUR' })).status, 200);
    for (const query of [
      'account=another',
      'sender=Other',
      'receiver=41791112234',
      'clientRef=r2',
      'event=delivered',
      'since=2999-01-01',
      'until=2020-01-01',
      `after=${msgId}`,
    ]) {
      assert.equal((await call('GET', `/admin/v1/messages?${query}`)).text, '{"items":[],"next":null}', query);
    }
    for (const query of [
      'event=gone',
      'since=yesterday',
      'limit=0',
      'limit=1001',
      'after=x',
      'receiver=x',
      'account=a+b',
      'text=private',
    ]) {
      assert.equal((await call('GET', `/admin/v1/messages?${query}`)).status, 400, query);
    }
    assert.equal(codeOf(await call('GET', '/admin/v1/messages/1')), 'message_not_found');
    assert.equal(codeOf(await call('GET', '/admin/v1/messages/x')), 'message_not_found');
  });
});

function setPrices(prices: readonly unknown[], more: object = {}): Promise<HttpAnswer> {
  return post('/admin/v1/price-lists/exports/prices', { prices, ...more });
}
