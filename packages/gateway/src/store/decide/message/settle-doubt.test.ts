import type { CommandOf, ResultOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InDoubtPolicy } from '../../../core/routing/carrier.ts';
import { TestStore } from '../../../../test/support/store.ts';

describe('a part in doubt that the operator settles', () => {
  it('as resend: waits again, at once, and is sent once more', () => {
    using store = new TestStore();
    const message = doubtful(store);
    assert.deepEqual(settle(store, { message, as: 'resend' }), { ok: true, value: { parts: 1, isWaiting: true } });
    const [claimed] = store.claim(1);
    assert.deepEqual([claimed?.message, claimed?.attempt], [message, 2]);
  });

  it('as sent: waits for its receipt, which its numbers find', () => {
    using store = new TestStore();
    const message = doubtful(store);
    settle(store, { message, as: 'sent' });
    assert.equal(store.event(message), 'sent');
    store.one(store.receipt('77'));
    assert.equal(store.event(message), 'delivered');
  });

  it('as unknown: ends without a refund, and a later receipt corrects it', () => {
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

  it('is refused where nothing is in doubt, and a resend after the end of the validity', () => {
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

describe('receipts with unknown ids for a long message in doubt', () => {
  const count = 5;

  for (const together of [true, false]) {
    it(`settle as many parts as they are, ${together ? 'in one group' : 'one by one'}, and nothing is sent again`, () => {
      using store = new TestStore();
      const message = doubtful(store, count, 'resend');
      store.restart();
      const receipts = Array.from({ length: count }, (_, place) => store.receipt(`r${count - place}`));
      if (together) store.apply(...receipts);
      else for (const receipt of receipts) store.one(receipt);
      assert.equal(store.event(message), 'delivered');
      assert.deepEqual(goAgain(store), []);
      assert.deepEqual(store.one(store.receipt('r1')), { ok: true, value: { became: 'duplicate' } });
      assert.equal(store.value('select count(*) from doubt'), 0);
    });
  }

  it('settle the parts in their order, whatever their states', () => {
    using store = new TestStore();
    const message = doubtful(store, 3);
    for (const [place, state] of (['UNDELIVERABLE', 'ENROUTE', 'DELIVERED', 'DELIVERED'] as const).entries()) {
      store.one(store.receipt(place === 3 ? 'r1' : `r${place}`, { state }));
    }
    assert.deepEqual(
      [1, 2, 3].map((part) => store.part(message, part)),
      ['undelivered', 'delivered', 'delivered'],
    );
    assert.deepEqual([store.event(message), store.balance()], ['undelivered', 70]);
  });

  it('wait while one of its parts is in flight, and are looked at again after its answer', () => {
    using store = new TestStore();
    const message = doubtful(store, 2, 'resend', 3);
    for (const id of ['r1', 'r2']) store.one(store.receipt(id));
    assert.equal(store.value('select count(*) from unmatched_receipt'), 2);
    store.one(store.outcome(message, { part: 3, carrierId: 'r3', carrierIdKey: 'r3' }));
    store.one({ kind: 'rematch', at: store.now, max: 10 });
    store.one(store.receipt('r3'));
    assert.equal(store.event(message), 'delivered');
    assert.deepEqual(goAgain(store), []);
  });

  for (const then of ['the next receipt comes', 'a part would be sent again'] as const) {
    it(`wait while two messages could be meant, and are looked at again when ${then}`, () => {
      using store = new TestStore();
      const message = doubtful(store, 2, 'resend');
      const other = doubtful(store, 1, 'resend');
      for (const id of ['r1', 'r2']) store.one(store.receipt(id));
      // A late answer: this one is in doubt no more.
      store.one(store.outcome(other, { carrierId: 'r3', carrierIdKey: 'r3' }));
      store.restart();
      if (then === 'the next receipt comes') store.one(store.receipt('r4'));
      assert.deepEqual(goAgain(store), []);
      assert.deepEqual([store.event(message), store.event(other)], ['delivered', 'sent']);
    });
  }

  it('settle first the parts without a later accepted attempt', () => {
    using store = new TestStore();
    const message = doubtful(store, 2, 'resend');
    assert.equal(goAgain(store, 1).length, 1);
    store.one(store.outcome(message, { attempt: 2, carrierId: 'r3', carrierIdKey: 'r3' }));
    store.one(store.receipt('r2'));
    assert.deepEqual([store.part(message, 1), store.part(message, 2)], ['sent', 'delivered']);
    store.one(store.receipt('r3'));
    assert.equal(store.event(message), 'delivered');
  });
});

/** Sends parts again whose time has come. */
function goAgain(store: TestStore, max = 10): readonly unknown[] {
  store.now += 31_000;
  store.one({ kind: 'expire', at: store.now, max: 10 });
  return store.claim(max);
}

/**
 * A message of which the carrier may have the first parts, with others in flight. Parts in doubt are held or sent
 * again.
 */
function doubtful(
  store: TestStore,
  doubts = 1,
  policy: InDoubtPolicy = 'hold',
  numParts = doubts,
): CommandOf<'settle-doubt'>['message'] {
  store.database.exec(`update carrier set in_doubt = '${policy}'`);
  const sent = store.accept({ numParts, claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
  store.one(sent);
  for (let part = 1; part <= doubts; part++) {
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
