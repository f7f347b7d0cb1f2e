import type { AnyResult, CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { attemptsSql, TestStore } from '../../../../test/support/store/store.ts';

const byLink1 = { carrier: 1, link: 1, lease: 1, isWhole: false };

function cancel(store: TestStore, message = 1001, account: number | null = 1): CommandOf<'cancel'> {
  return { kind: 'cancel', at: store.now, message: toMessageId(message), account };
}

function claim(store: TestStore, max = 10): CommandOf<'claim'> {
  return { kind: 'claim', at: store.now, ...byLink1, up: [], max };
}

function canceled(parts: number, refundedParts = parts): AnyResult {
  return { ok: true, value: { parts, refunded: toMicros(BigInt(10 * refundedParts)) } };
}

function tooLate(event: string) {
  return { ok: false, error: { code: 'too_late', event } };
}

describe('canceling', () => {
  for (const [name, dueAfterMs] of [
    ['waits', 0],
    ['is scheduled', 3_600_000],
  ] as const) {
    it(`a message that ${name} ends it, all parts in one commit, and refunds it once`, async () => {
      await using store = await TestStore.open();
      const dueAt = store.now + dueAfterMs;
      await store.one(store.accept({ numParts: 3, dueAt, expiresAt: dueAt + 60_000 }));
      assert.deepEqual(await store.one(cancel(store)), canceled(3));
      assert.equal(await store.event(1001), 'canceled');
      assert.equal(await store.value("select count(*) from part where state = 'canceled' and deadline is null"), 3);
      assert.equal(await store.value('select count(*) from queue'), 0);
      assert.equal(
        await store.value("select detail from note where kind = 'canceled'"),
        'the client canceled 3 of 3 parts',
      );
      assert.equal(await store.balance(), 100);
      // A second cancel changes nothing, and nothing that comes late does.
      assert.deepEqual(await store.one(cancel(store)), canceled(0));
      store.now = dueAt + 100 * 3_600_000;
      await store.apply(
        { kind: 'queue-due', at: store.now, messages: [{ message: toMessageId(1001), route: 1 }] },
        { kind: 'expire', at: store.now, max: 10 },
        claim(store),
      );
      assert.deepEqual([await store.event(1001), await store.balance()], ['canceled', 100]);
      assert.equal(await store.value('select count(*) from note'), 1);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  for (const [refundPolicy, back] of [
    ['never', 0],
    ['unsent', 10],
    ['refused', 10],
    ['undelivered', 10],
  ] as const satisfies readonly (readonly [RefundPolicy, number])[]) {
    it(`gives back ${back} under ${refundPolicy}`, async () => {
      await using store = await TestStore.open();
      await store.addAccount('other', 10, { refundPolicy });
      await store.one(store.accept({ account: 2 }));
      await store.one(cancel(store, 1001, 2));
      assert.deepEqual([await store.event(1001), await store.balance(2)], ['canceled', back]);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  it('an unknown message, or that of another account, is not found, and nothing changes; the operator may cancel any', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept());
    const notFound = { ok: false, error: { code: 'message_not_found' } };
    assert.deepEqual(await store.one(cancel(store, 999)), notFound);
    assert.deepEqual(await store.one(cancel(store, 1001, 2)), notFound);
    assert.equal(await store.event(1001), 'queued');
    assert.deepEqual(await store.one(cancel(store, 1001, null)), canceled(1));
    assert.equal(
      await store.value("select detail from note where kind = 'canceled'"),
      'the operator canceled 1 of 1 parts',
    );
  });

  it('a part that waits for its next try is canceled: no carrier has it', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'temporary', commandStatus: 8 }));
    assert.deepEqual(await store.one(cancel(store)), canceled(1));
    assert.deepEqual([await store.event(1001), await store.balance()], ['canceled', 100]);
  });

  const late: readonly (readonly [string, string, (store: TestStore) => Promise<unknown>])[] = [
    ['is claimed', 'queued', async () => {}],
    ['was sent', 'sent', (store) => store.one(store.outcome(1001))],
    ['is in doubt', 'sent', (store) => store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }))],
    [
      'waits to be sent again after a doubt',
      'sent',
      async (store) => {
        await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
        store.now += 30_000;
        await store.one({ kind: 'expire', at: store.now, max: 10 });
        assert.equal(await store.part(1001), 'queued');
      },
    ],
    ['was refused', 'rejected', (store) => store.one(store.outcome(1001, { outcome: 'refused', commandStatus: 11 }))],
    [
      'is delivered',
      'delivered',
      (store) => store.apply(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }), store.receipt('a')),
    ],
    [
      'has expired',
      'expired',
      async (store) => {
        await store.one(store.outcome(1001, { outcome: 'temporary', commandStatus: 8 }));
        await store.one({ kind: 'expire', at: store.now + 60_000, max: 10 });
      },
    ],
  ];
  for (const [name, event, before] of late) {
    it(`a message that ${name} is too late, and changes nothing`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: byLink1 }));
      await before(store);
      const state = await store.part(1001);
      const [balance, notes] = [await store.balance(), await store.value('select count(*) from note')];
      assert.deepEqual(await store.one(cancel(store)), tooLate(event));
      assert.deepEqual([await store.part(1001), await store.balance()], [state, balance]);
      assert.equal(await store.value('select count(*) from note'), notes);
    });
  }

  it('several parts cancels those not yet sent, and the others decide its final event', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 3 }));
    await store.claim(1);
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    assert.deepEqual(await store.one(cancel(store)), canceled(2));
    assert.deepEqual([await store.event(1001), await store.balance()], ['sent', 90]);
    await store.one(store.receipt('a'));
    assert.equal(await store.event(1001), 'canceled', 'it is not delivered: not all of its parts are');
    assert.deepEqual(await store.one(cancel(store)), canceled(0));
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('several parts withdraws the part that waits to be sent again after a doubt; its receipt may still come', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2, expiresAt: store.now + 600_000 }));
    await store.claim(1);
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual(await store.one(cancel(store)), canceled(1));
    assert.deepEqual([await store.part(1001, 1), await store.part(1001, 2)], ['in_doubt', 'canceled']);
    assert.deepEqual([await store.claim(10), await store.balance()], [[], 90]);
    await store.one({ kind: 'expire', at: store.now + 100 * 3_600_000, max: 10 });
    assert.deepEqual(
      [await store.part(1001, 1), await store.event(1001), await store.balance()],
      ['unknown', 'unknown', 90],
    );
    assert.deepEqual(await store.moneyFaults(), []);
  });

  for (const order of ['before', 'after'] as const) {
    it(`in the group of a claim, ${order} it: the first one wins, and only that one`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ numParts: 2 }));
      const commands = [cancel(store), claim(store)];
      const results = await store.apply(...(order === 'before' ? commands : commands.toReversed()));
      const [asked, claimed] = order === 'before' ? results : results.toReversed();
      const parts =
        claimed?.ok && claimed.value !== null && 'nextDue' in claimed.value ? claimed.value.parts.length : 0;
      if (order === 'before') assert.deepEqual([asked, parts], [canceled(2), 0]);
      else assert.deepEqual([asked, parts], [tooLate('queued'), 2]);
      assert.deepEqual(
        [await store.event(1001), await store.balance()],
        order === 'before' ? ['canceled', 100] : ['queued', 80],
      );
      assert.equal(await store.value(`select count(*) from ${attemptsSql} as attempt`), order === 'before' ? 0 : 2);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }
});
