import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorCalls } from './handlers.ts';
import { gateway } from '../../../test/support/gateway/admin-api.ts';

const send = (auth: string) => {
  const body = { auth, sender: 'Shop', receiver: '+41791112233', text: 'secret words', dcs: 'SMS' };
  return fetch(`http://127.0.0.1:${gateway.httpPort}/sms/send`, { method: 'POST', body: JSON.stringify(body) });
};

describe('refused requests', () => {
  it('are found by their id, without texts and whole numbers, and all are counted', async () => {
    const calls = operatorCalls(gateway.operator);
    await calls.account.add({ name: 'refused', currency: 'EUR' });
    const made = await calls.token.add({ account: 'refused' });
    assert.ok(made.ok);
    const since = Date.now() - 3_600_000;
    const before = await calls.refusal.summary({ since });
    const unknown = await send('morsel_unknown');
    const answers = await Promise.all(Array.from({ length: 15 }, () => send(made.value.token)));
    assert.deepEqual([unknown.status, ...new Set(answers.map(({ status }) => status))], [401, 422]);
    const id = answers[0]?.headers.get('x-request-id') ?? '';
    const one = await calls.refusal.list({ requestId: id });
    assert.ok(one.ok);
    assert.deepEqual(
      one.value.items.map((each) => [each.account, each.code, each.operation, each.field, each.rule, each.receiver]),
      [['refused', 'no_route', '/sms/send', 'receiver', null, '+4179*****33']],
    );
    // Of fifteen alike, ten are kept and all are counted.
    const kept = await calls.refusal.list({ account: 'refused' });
    assert.ok(kept.ok);
    assert.equal(kept.value.items.length, 10);
    assert.doesNotMatch(JSON.stringify(kept.value), /secret|91112233/);
    const sums = await calls.refusal.summary({ since });
    assert.ok(sums.ok && before.ok);
    const counted = sums.value.items.filter(({ account }) => account === 'refused');
    assert.deepEqual(
      counted.map(({ code, refusals }) => [code, refusals]),
      [['no_route', 15]],
    );
    assert.ok(sums.value.items.some(({ account, code }) => account === null && code === 'unauthorized'));
  });
});
