import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandOf, ResultOf } from './commands.ts';
import { TestStore } from './test-store.ts';

describe('what an operator says of a part in doubt', () => {
  it('resend: it waits again, at once, and is sent once more', () => {
    using store = new TestStore();
    const message = doubtful(store);
    assert.deepEqual(settle(store, { message, as: 'resend' }), { ok: true, value: { parts: 1, isWaiting: true } });
    const [claimed] = store.claim(1);
    assert.deepEqual([claimed?.message, claimed?.attempt], [message, 2]);
  });

  it('sent: it waits for its receipt, which its numbers find', () => {
    using store = new TestStore();
    const message = doubtful(store);
    settle(store, { message, as: 'sent' });
    assert.equal(store.event(message), 'sent');
    store.one(store.receipt('77'));
    assert.equal(store.event(message), 'delivered');
  });

  it('unknown: that is its end, without a refund, and a receipt that comes after all corrects it', () => {
    using store = new TestStore();
    const message = doubtful(store);
    const balance = store.balance();
    settle(store, { message, as: 'unknown' });
    assert.deepEqual([store.event(message), store.balance()], ['unknown', balance]);
    const late = store.outcome(message, { carrierId: '77', carrierIdKey: '77' });
    store.one(late);
    store.one(store.receipt('77'));
    assert.equal(store.event(message), 'delivered');
  });

  it('is one part of several, if a part is named', () => {
    using store = new TestStore();
    const message = doubtful(store, 2);
    assert.deepEqual(settle(store, { message, part: 2, as: 'unknown' }), {
      ok: true,
      value: { parts: 1, isWaiting: false },
    });
    const states = store.database.prepare('select state from part order by number').all();
    assert.deepEqual(states.map(Object.values), [['in_doubt'], ['unknown']]);
  });

  it('is refused where nothing is in doubt, and a resend where the validity is over', () => {
    using store = new TestStore();
    const sent = store.accept();
    store.one(sent);
    const nothing = settle(store, { message: sent.id, as: 'resend' });
    assert.ok(!nothing.ok && nothing.error.code === 'does_not_exist');
    const message = doubtful(store);
    store.now += 60_000;
    const late = settle(store, { message, as: 'resend' });
    assert.ok(!late.ok && late.error.code === 'invalid_parameter');
    assert.equal(store.value("select count(*) from part where state = 'in_doubt'"), 1);
  });
});

/** A message whose parts the carrier may have; it holds what is in doubt. */
function doubtful(store: TestStore, numParts = 1): CommandOf<'settle-doubt'>['message'] {
  store.database.exec("update carrier set in_doubt = 'hold'");
  const sent = store.accept({ numParts, claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
  store.one(sent);
  for (let part = 1; part <= numParts; part++) {
    store.one(store.outcome(sent.id, { part, outcome: 'in_doubt', carrierId: null, carrierIdKey: null }));
  }
  return sent.id;
}

function settle(
  store: TestStore,
  { part = null, ...more }: Pick<CommandOf<'settle-doubt'>, 'message' | 'as'> & { part?: number | null },
): ResultOf<'settle-doubt'> {
  return store.one<'settle-doubt'>({ kind: 'settle-doubt', at: store.now, part, ...more });
}
