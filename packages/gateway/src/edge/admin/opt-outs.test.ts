import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { call, post } from '../../../test/support/gateway/admin-api.ts';

const reason = 'a letter';

async function receiversOf(query: string): Promise<{ readonly receivers: readonly string[]; readonly next: string }> {
  const answer = await call('GET', `/admin/v1/opt-outs?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return {
    receivers: [...answer.text.matchAll(/"receiver":"([^"]+)"/g)].map(([, receiver]) => receiver ?? ''),
    next: /"next":"([^"]+)"/.exec(answer.text)?.[1] ?? '',
  };
}

describe('opt-outs', () => {
  before(async () => {
    for (const name of ['acme', 'beta']) {
      assert.equal((await post('/admin/v1/accounts', { name, currency: 'EUR' })).status, 200);
    }
  });

  it('lists are read a page at a time, of an account, of a receiver, and all together', async () => {
    const all = Array.from({ length: 5 }, (_, at) => `+4179123000${at}`);
    for (const account of ['acme', 'beta']) {
      const list = all.map((receiver) => ({ receiver, sender: 'ACME', reason }));
      const imported = await post('/admin/v1/opt-outs/import', { account, list });
      assert.deepEqual(imported.body, { account, entries: 5, added: 5 });
    }
    for (const [query, wanted] of [
      ['account=beta', all],
      ['', [...all, ...all]],
    ] as const) {
      const found: string[] = [];
      for (let after = ''; ;) {
        const place = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
        const { receivers, next } = await receiversOf(`${query}&limit=2${place}`);
        assert.ok(receivers.length <= 2);
        found.push(...receivers);
        if (next === '') break;
        after = next;
      }
      assert.deepEqual(found, wanted);
    }
    const two = await receiversOf(`receiver=${encodeURIComponent('+41791230003')}`);
    assert.deepEqual(two.receivers, ['+41791230003', '+41791230003']);
    const events = await call('GET', '/admin/v1/opt-outs/events?account=acme&limit=2');
    const next = /"next":"(\d+)"/.exec(events.text)?.[1] ?? '';
    assert.match(events.text, /"receiver":"\+41791230004".*"receiver":"\+41791230003"/);
    const older = await call('GET', `/admin/v1/opt-outs/events?account=acme&after=${next}`);
    assert.equal([...older.text.matchAll(/"wish":"out","by":"operator"/g)].length, 3);
  });
});
