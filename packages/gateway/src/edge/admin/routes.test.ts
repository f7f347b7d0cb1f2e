import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { call, codeOf, post } from '../../../test/support/gateway/admin-api.ts';

const match = { prefix: '41', sender: 'ACME*', account: 'shop', encoding: 'gsm7' };
const query = 'prefix=41&sender=ACME*&account=shop&encoding=gsm7';

async function explain(fields: { readonly [field: string]: string }): Promise<{ readonly [member: string]: unknown }> {
  const answer = await call(
    'GET',
    `/admin/v1/routes/explain?${new URLSearchParams({ account: 'shop', ...fields }).toString()}`,
  );
  assert.equal(answer.status, 200, answer.text);
  assert.ok(typeof answer.body === 'object' && answer.body !== null);
  return { ...answer.body };
}

describe('a route', () => {
  before(async () => {
    for (const name of ['one', 'two']) {
      await post('/admin/v1/carriers', { name, host: '127.0.0.1', port: 1, systemId: 'us', password: '' });
    }
    await post('/admin/v1/accounts', { name: 'shop', currency: 'EUR' });
  });

  it('answers its settings, takes more carriers, and is removed one by one or whole', async () => {
    const first = { ...match, carrier: 'one', rank: 1, weight: 1 };
    assert.equal((await post('/admin/v1/routes', { ...match, carrier: 'one' })).text, JSON.stringify(first));
    const second = { ...match, carrier: 'two', rank: 2, weight: 3, cost: '0.004', after: 30, by: 'cost' };
    assert.equal((await post('/admin/v1/routes', second)).status, 200);
    assert.equal(codeOf(await post('/admin/v1/routes', second)), 'already_exists');
    const { text } = await call('GET', '/admin/v1/routes');
    assert.match(
      text,
      /"prefix":"41","sender":"ACME\*","account":"shop","encoding":"gsm7","carrier":"one","rank":1,"weight":1,"cost":null,"after":null,"by":"cost","createdAt":"[^"]+"/,
    );
    assert.match(text, /"carrier":"two","rank":2,"weight":3,"cost":0.004,"after":30/);
    const page = await call('GET', '/admin/v1/routes?limit=1');
    assert.match(page.text, /^\{"items":\[\{[^}]*"carrier":"one"[^}]*\}\],"next":"\d+\/\d+"\}$/);
    const last = await call('GET', `/admin/v1/routes?limit=1&after=${String(page.body['next'])}`);
    assert.match(last.text, /^\{"items":\[\{[^}]*"carrier":"two"[^}]*\}\],"next":null\}$/);
    const wider = await call('PATCH', '/admin/v1/routes', {
      body: JSON.stringify({ ...match, newSender: 'none' }),
      headers: { 'content-type': 'application/json' },
    });
    assert.match(wider.text, /"detail":"newSender must not be none: give any to match every message"/);
    assert.equal(codeOf(await call('DELETE', '/admin/v1/routes?prefix=41')), 'does_not_exist');
    assert.equal((await call('DELETE', `/admin/v1/routes?${query}&carrier=one`)).status, 200);
    assert.equal(codeOf(await call('DELETE', `/admin/v1/routes?${query}&carrier=one`)), 'does_not_exist');
    assert.equal((await call('DELETE', `/admin/v1/routes?${query}&carrier=two`)).status, 200);
    assert.equal((await call('GET', '/admin/v1/routes')).text, '{"items":[],"next":null}');
  });

  const refusals: readonly (readonly [wrong: object, code: string, names: RegExp])[] = [
    [{ sender: '*' }, 'invalid_parameter', /"field":"sender"/],
    [{ sender: 'A*ME*' }, 'invalid_parameter', /"field":"sender"/],
    [{ sender: '+0*' }, 'invalid_parameter', /"field":"sender"/],
    [{ sender: 'twelve chars' }, 'invalid_parameter', /"field":"sender"/],
    [{ prefix: '999' }, 'invalid_parameter', /prefix must begin with a country code: no country has .* 999"/],
    [{ prefix: '2101234' }, 'invalid_parameter', /"field":"prefix"/],
    [{ prefix: '046' }, 'invalid_parameter', /"field":"prefix"/],
  ];
  for (const [wrong, code, names] of refusals) {
    it(`is refused with ${JSON.stringify(wrong)}`, async () => {
      const answer = await post('/admin/v1/routes', { prefix: '43', carrier: 'one', ...wrong });
      assert.equal(codeOf(answer), code);
      assert.match(answer.text, names);
    });
  }
});

describe('route explain', () => {
  before(async () => {
    await post('/admin/v1/routes', { prefix: '44', carrier: 'one' });
    await post('/admin/v1/routes', { prefix: '44', carrier: 'two', rank: 2 });
    await post('/admin/v1/routes', { prefix: '447', carrier: 'two', sender: 'ACME' });
    await post('/admin/v1/price-lists/default/prices', { currency: 'EUR', prices: [{ prefix: '447', price: '0.05' }] });
  });

  it('names the routes that were checked, the chosen one, and why no carrier takes it now', async () => {
    const explained = await explain({ receiver: '0044 7700 900123', sender: 'Shop', text: 'ж'.repeat(71) });
    const { receiver, encoding, numParts, unitPrice, chosen, refusal } = explained;
    assert.deepEqual(
      { receiver, encoding, numParts, unitPrice, chosen, refusal },
      { receiver: '+447700900123', encoding: 'ucs2', numParts: 2, unitPrice: 0.05, chosen: null, refusal: null },
    );
    assert.deepEqual(explained['routes'], [
      { prefix: '447', sender: 'ACME', account: null, encoding: null, verdict: 'the sender does not match' },
      { prefix: '44', sender: null, account: null, encoding: null, verdict: 'chosen' },
    ]);
    assert.match(
      JSON.stringify(explained['carriers']),
      /"carrier":"one","rank":1,.*"verdict":"not-bound","why":"no link is bound since .*"carrier":"two","rank":2/,
    );
  });

  it('says why a message would be refused', async () => {
    assert.match(JSON.stringify(await explain({ receiver: '+33612345678' })), /"refusal":\{"code":"no_route"/);
    assert.match(JSON.stringify(await explain({ receiver: '+442079460123' })), /"refusal":\{"code":"no_price"/);
    const strange = await call('GET', '/admin/v1/routes/explain?account=nobody&receiver=%2B447700900123');
    assert.equal(codeOf(strange), 'does_not_exist');
    assert.equal(codeOf(await call('GET', '/admin/v1/routes/explain?account=shop&receiver=12')), 'invalid_parameter');
  });
});
