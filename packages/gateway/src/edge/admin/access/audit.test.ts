import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { call, gateway, key, post } from '../../../../test/support/gateway/admin-api.ts';
import { addOperator } from '../../../../test/support/gateway/operators.ts';
import { operatorCalls } from '../handlers.ts';

/* What the audit log has of each kind of change. */

const calls = () => operatorCalls(gateway.operator);

async function newest() {
  const list = await calls().audit.list({ limit: 1 });
  assert.ok(list.ok);
  const [entry] = list.value.items;
  assert.ok(entry);
  return { ...entry, given: JSON.parse(entry.given), changes: JSON.parse(entry.changes) };
}

describe('the audit log', () => {
  let owner: Awaited<ReturnType<typeof addOperator>>;
  const secret = 'pa55word-of-alpha';
  const receiver = '+41791112233';
  before(async () => {
    owner = await addOperator(gateway, 'owner', 'jane');
    const carrier = { name: 'alpha', host: '127.0.0.1', port: 1, systemId: 'us', password: secret };
    assert.equal((await post('/admin/v1/carriers', carrier)).status, 200);
    assert.equal((await post('/admin/v1/accounts', { name: 'acme', currency: 'EUR', balance: 50 })).status, 200);
  });

  it('has who, from where, why, and what was before and after', async () => {
    const headers = { authorization: `Bearer ${owner.key}`, 'morsel-reason': encodeURIComponent('Vertrag für Mai') };
    const set = await call('PATCH', '/admin/v1/accounts/acme', { body: '{"dayCap":200.5,"partsMax":3}', headers });
    assert.equal(set.status, 200);
    const { operator, role, key: id, address, requestId, operation, account, reason, given, changes } = await newest();
    assert.deepEqual([operator, role, id, address], ['jane', 'owner', owner.id, '127.0.0.1']);
    assert.deepEqual([operation, account, reason], ['account.set', 'acme', 'Vertrag für Mai']);
    assert.equal(requestId, set.headers['x-request-id']);
    assert.deepEqual(given, { account: 'acme', dayCap: '200.5', partsMax: 3 });
    const [{ table, key: row, before: was, after: is }] = changes;
    assert.deepEqual(
      [table, row.name, was, is],
      ['account', 'acme', { dayCap: null, partsMax: was.partsMax }, { dayCap: '200.5', partsMax: 3 }],
    );
    assert.notEqual(was.partsMax, 3);
  });

  it('has a top-up with its entry of the ledger, and the reason of the posting', async () => {
    assert.equal((await post('/admin/v1/accounts/acme/top-up', { amount: '7.25', reason: 'invoice 7' })).status, 200);
    const { operation, operator, reason, changes } = await newest();
    assert.deepEqual([operation, operator, reason], ['posting.topUp', 'operator', 'invoice 7']);
    const tables = changes.map(({ table }: { table: string }) => table);
    assert.deepEqual(tables.toSorted(), ['account', 'entry']);
    const ofAccount = changes.find(({ table }: { table: string }) => table === 'account');
    assert.deepEqual([ofAccount.before.balance, ofAccount.after.balance], ['50', '57.25']);
  });

  it('never has a secret, a whole number, or the text of a message', async () => {
    await call('PATCH', '/admin/v1/carriers/alpha', { body: `{"password":"${secret}-new"}` });
    const set = await newest();
    assert.deepEqual([set.carrier, set.given.password], ['alpha', '(secret)']);
    assert.deepEqual([set.changes[0].before.password, set.changes[0].after.password], ['(secret)', '(secret)']);
    const token = await post('/admin/v1/accounts/acme/tokens', {});
    const listed = { account: 'acme', receiver, reason: 'a letter' };
    assert.equal((await post('/admin/v1/opt-outs', listed)).status, 200);
    assert.deepEqual((await newest()).given.receiver, '+4179*****33');
    assert.equal((await post('/admin/v1/routes', { prefix: '33', carrier: 'alpha' })).status, 200);
    const prices = { list: 'default', currency: 'EUR', prices: [{ prefix: '33', price: '0.01' }] };
    assert.equal((await post('/admin/v1/price-lists/default/prices', { ...prices, list: undefined })).status, 200);
    const text = 'words that nobody else may read';
    const sent = await post('/admin/v1/messages', { account: 'acme', sender: 'Shop', receiver: '+33612345678', text });
    assert.equal(sent.status, 200, sent.text);
    assert.equal((await newest()).operation, 'message.send');
    const all = JSON.stringify(await calls().audit.list({ limit: 1000 }), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const tokenSecret = String(token.body['token']).slice('morsel_0123456789ab_'.length);
    for (const hidden of [
      secret,
      receiver,
      '+33612345678',
      text,
      key,
      owner.key.slice('morselop_0123456789ab_'.length),
      tokenSecret,
    ]) {
      assert.ok(!all.includes(hidden), hidden);
    }
  });

  it('has actions that change no row, but no refused request, no dry run and no reading', async () => {
    assert.equal((await post('/admin/v1/sessions/close', { account: 'acme' })).status, 200);
    const entry = await newest();
    assert.deepEqual([entry.operation, entry.account, entry.changes], ['session.close', 'acme', []]);
    assert.equal((await post('/admin/v1/sessions/close', { account: 'nobody' })).status, 404);
    assert.equal((await post('/admin/v1/messages/cancel', { all: true, dryRun: true })).status, 200);
    assert.equal((await call('GET', '/admin/v1/accounts')).status, 200);
    assert.equal((await newest()).entry, entry.entry);
  });

  it('has each disclosure of personal data once, and none to who sees no such data', async () => {
    const sent = await post('/admin/v1/messages', {
      account: 'acme',
      sender: 'Shop',
      receiver: '+33612345678',
      text: 'for nobody else',
    });
    assert.equal(sent.status, 200, sent.text);
    const id = String(sent.body['msgId']);
    const support = await addOperator(gateway, 'support', 'sue');
    const others = await newest();
    assert.ok((await support.client.message.show({ id })).ok);
    assert.equal((await call('GET', '/admin/v1/messages/1')).status, 404);
    assert.equal((await newest()).entry, others.entry);
    for (let time = 0; time < 3; time++) assert.equal((await call('GET', `/admin/v1/messages/${id}`)).status, 200);
    const shown = await newest();
    assert.deepEqual([shown.operation, shown.operator, shown.given], ['message.show', 'operator', { id }]);
    const jane = { authorization: `Bearer ${owner.key}` };
    for (const after of ['message', 'inbound', 'rest']) {
      const path = `/admin/v1/privacy/export?receiver=%2B33612345678&after=${after}/0`;
      assert.equal((await call('GET', path, { headers: jane })).status, 200);
    }
    const list = await calls().audit.list({ limit: 3 });
    assert.ok(list.ok);
    const [exported, ...earlier] = list.value.items;
    assert.deepEqual(
      [exported?.operation, exported?.operator, exported?.given],
      ['privacy.export', 'jane', '{"receiver":"+3361*****78","after":"message/0"}'],
    );
    assert.deepEqual(
      earlier.map(({ operation }) => operation),
      ['message.show', 'operatorKey.add'],
    );
  });

  it('counts many rows and has one hash of them', async () => {
    const list = Array.from({ length: 50 }, (_, at) => ({ receiver: `+4179${1_000_000 + at}`, reason: 'list' }));
    assert.equal((await post('/admin/v1/opt-outs/import', { account: 'acme', list })).status, 200);
    const { given, changes } = await newest();
    assert.match(given.list, /^\(50 items, SHA-256 [0-9a-f]{64}\)$/);
    const { sha256, ...counts } = changes[0];
    assert.deepEqual(counts, { table: 'opt_out', added: 50, changed: 0, removed: 0 });
    assert.match(sha256, /^[0-9a-f]{64}$/);
  });

  it('has one entry for a price import, with a hash of the file, and none for its preview', async () => {
    const file = Array.from({ length: 2000 }, (_, each) => `${400_000 + each},0.02\n`).join('');
    const at = '/admin/v1/price-lists/default/import';
    assert.equal((await post(at, { file, currency: 'EUR', dryRun: true })).status, 200);
    const imported = await post(at, { file, currency: 'EUR' });
    assert.equal(imported.status, 200, imported.text);
    const list = await calls().audit.list({ limit: 2 });
    assert.ok(list.ok);
    const [entry, earlier] = list.value.items;
    assert.equal(entry?.operation, 'price.import');
    assert.notEqual(earlier?.operation, 'price.import');
    assert.match(entry?.given ?? '', /"file":"\(\d+ characters, SHA-256/);
    assert.match(entry?.changes ?? '', /"changes":2000/);
  });

  const filters = [
    ['operator', 'jane'],
    ['operation', 'carrier.set'],
    ['account', 'acme'],
    ['carrier', 'alpha'],
  ] as const;
  for (const [name, value] of filters) {
    it(`is filtered by ${name}, in pages`, async () => {
      const filter = { [name]: value };
      const all = await calls().audit.list({ limit: 1000 });
      const some = await calls().audit.list({ ...filter, limit: 1, order: 'oldest' });
      assert.ok(all.ok && some.ok);
      const wanted = all.value.items.filter((each) => each[name] === value).toReversed();
      assert.equal(some.value.items[0]?.entry, wanted[0]?.entry);
      const found = [...some.value.items];
      for (let { next } = some.value; next !== null;) {
        const page = await calls().audit.list({ ...filter, limit: 2, order: 'oldest', after: next });
        assert.ok(page.ok);
        found.push(...page.value.items);
        ({ next } = page.value);
      }
      assert.deepEqual(found, wanted);
    });
  }
});
