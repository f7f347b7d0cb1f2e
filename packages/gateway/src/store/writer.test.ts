import { operate } from '../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeCount, toMessageId } from '../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import type { InDoubtPolicy } from '../core/routing/carrier.ts';
import type { CarrierState } from '../core/message/receipt.ts';
import { retryDelayMs } from '../core/message/retry.ts';
import { StoreRefused } from '../state/sealing/refused.ts';
import { migrate } from './sqlite/database.ts';
import { carrierCommand, routeCommand } from '../../test/support/store/routing-commands.ts';
import { SqliteTestStore, TestStore } from '../../test/support/store/store.ts';

const byLink1 = { carrier: 1, link: 1, lease: 1, isWhole: false };

describe('accepting', () => {
  it('charges the group in one entry, and answers each message with its own balance (M6)', async () => {
    await using store = await TestStore.open();
    const results = await store.apply(store.accept(), store.accept({ numParts: 2 }), store.accept());
    assert.deepEqual(
      results.map((result) => result.ok && 'clientBalance' in (result.value ?? {}) && result.value),
      [90n, 70n, 60n].map((clientBalance, index) => ({ clientBalance, reference: index === 1 ? 1002 % 256 : null })),
    );
    assert.equal(await store.value("select count(*) from entry where kind = 'charge'"), 1);
    assert.equal(await store.balance(), 60);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('refuses what the balance does not cover, and stores nothing of it (A2, M2)', async () => {
    await using store = await TestStore.open();
    const results = await store.apply(...Array.from({ length: 15 }, () => store.accept()));
    assert.equal(results.filter((result) => result.ok).length, 10);
    for (const result of results.slice(10)) {
      assert.deepEqual(!result.ok && result.error, {
        code: 'insufficient_balance',
        totalCost: 10n,
        clientBalance: 0n,
        clientCurrency: 'EUR',
      });
    }
    assert.equal(await store.value('select count(*) from message'), 10);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('allows a balance down to the credit limit and not below it', async () => {
    await using store = await TestStore.open();
    await store.addAccount('postpaid', 0, { creditLimit: toMicros(25n) });
    const results = await store.apply(...Array.from({ length: 3 }, () => store.accept({ account: 2 })));
    assert.deepEqual(
      results.map((result) => result.ok),
      [true, true, false],
    );
    assert.equal(await store.balance(2), -20);
  });

  it('refuses a suspended account in the commit itself', async () => {
    await using store = await TestStore.open();
    const results = await store.apply(operate('account.suspend', { account: 'acme' }, { at: 0 }), store.accept());
    assert.equal(results[1]?.ok === false && results[1].error.code, 'forbidden');
    assert.equal(await store.value('select count(*) from message'), 0);
  });

  it('answers internal_error to the failing command of a group only', async () => {
    await using store = await TestStore.open();
    const results = await store.apply(store.accept(), store.accept({ account: 99 }), store.accept());
    assert.deepEqual(
      results.map((result) => result.ok),
      [true, false, true],
    );
    assert.equal(results[1]?.ok === false && results[1].error.code, 'internal_error');
    assert.equal(store.faults.length, 1);
    assert.equal(await store.balance(), 80);
    assert.deepEqual(await store.moneyFaults(), []);
  });
});

describe('the queue', () => {
  it('gives out parts in order, with accounts in turn', async () => {
    await using store = await TestStore.open();
    await store.addAccount('bulk', 1_000);
    await store.apply(...Array.from({ length: 4 }, () => store.accept({ account: 2 })), store.accept(), store.accept());
    assert.deepEqual(
      (await store.claim(4)).map((part) => part.message),
      [1005, 1001, 1006, 1002],
    );
    assert.deepEqual(
      (await store.claim(4)).map((part) => part.message),
      [1003, 1004],
    );
    assert.deepEqual(await store.claim(4), []);
  });

  it('puts a throttled part back at its head, and counts no failed try (S6)', async () => {
    await using store = await TestStore.open();
    await store.apply(store.accept(), store.accept());
    assert.equal((await store.claim(1))[0]?.message, 1001);
    await store.one(store.outcome(1001, { outcome: 'busy', commandStatus: 0x58 }));
    assert.deepEqual(
      (await store.claim(2)).map((part) => [part.message, part.attempt]),
      [
        [1001, 2],
        [1002, 1],
      ],
    );
    assert.equal(await store.value('select tries from part where message = 1001'), 0);
  });

  it('waits longer after each temporary refusal, until the validity ends', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    const wait = retryDelayMs({ message: toMessageId(1001), tries: 1 });
    const again = await store.one<'outcome'>(store.outcome(1001, { outcome: 'temporary', commandStatus: 8 }));
    assert.deepEqual(again, { ok: true, value: { due: store.now + wait } });
    store.now += wait - 1;
    assert.deepEqual(await store.claim(1), []);
    store.now += 1;
    assert.equal((await store.claim(1))[0]?.attempt, 2);
    store.now += 51_000;
    await store.one(store.outcome(1001, { attempt: 2, outcome: 'temporary', commandStatus: 8 }));
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.equal(await store.event(1001), 'queued');
    store.now += 9_000 - wait;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.equal(await store.event(1001), 'expired');
    assert.equal(await store.balance(), 100);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('names for each carrier of a group the time when its next part is due', async () => {
    await using store = await TestStore.open();
    await store.one(carrierCommand({ at: store.now, name: 'beta' }));
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'temporary', commandStatus: 8 }));
    const claim = { kind: 'claim', at: store.now, ...byLink1, max: 1, up: [] } as const;
    const claimed = await store.apply({ ...claim, carrier: 1 }, { ...claim, carrier: 2 });
    assert.deepEqual(claimed, [
      { ok: true, value: { parts: [], nextDue: await store.value('select due from queue'), skipped: 0, left: null } },
      { ok: true, value: { parts: [], nextDue: null, skipped: 0, left: null } },
    ]);
  });

  it('takes a part in the commit that accepts it, so that no queue row is ever written', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    assert.equal(await store.value('select count(*) from queue'), 0);
    assert.equal(await store.part(1001), 'claimed');
  });
});

describe('a queue that is full for one receiver', () => {
  it('keeps its part at the head three times, and then lets the others pass', async () => {
    await using store = await TestStore.open();
    await store.apply(store.accept(), store.accept());
    for (let attempt = 1; attempt <= 4; attempt++) {
      assert.equal((await store.claim(1))[0]?.message, 1001, `attempt ${attempt}`);
      await store.one(store.outcome(1001, { attempt, outcome: 'busy', commandStatus: 0x14 }));
    }
    assert.equal((await store.claim(1))[0]?.message, 1002);
    store.now += 6_000;
    assert.equal((await store.claim(1))[0]?.message, 1001);
  });
});

describe('a claim', () => {
  it('reports parts that it passed over after an outcome of its own group, so that the next claim looks again', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2 }));
    await store.claim(1);
    const refusal = store.outcome(1001, { outcome: 'refused', commandStatus: 11, errorCode: 'ESME_RINVDSTADR' });
    const [, claimed] = await store.apply(refusal, { kind: 'claim', at: store.now, ...byLink1, up: [], max: 1 });
    assert.deepEqual(claimed, { ok: true, value: { parts: [], nextDue: null, skipped: 1, left: null } });
  });
});

describe('receipts', () => {
  const states: readonly (readonly [CarrierState, string])[] = [
    ['DELIVERED', 'delivered'],
    ['UNDELIVERABLE', 'undelivered'],
    ['DELETED', 'undelivered'],
    ['SKIPPED', 'undelivered'],
    ['REJECTED', 'rejected'],
    ['EXPIRED', 'expired'],
    ['UNKNOWN', 'unknown'],
    ['ENROUTE', 'sent'],
    ['ACCEPTED', 'sent'],
    ['SCHEDULED', 'buffered'],
  ];
  for (const [state, event] of states) {
    it(`${state} makes ${event}`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: byLink1 }));
      await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
      await store.one(store.receipt('a', { state }));
      assert.equal(await store.event(1001), event);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  for (const gap of ['in one group', 'in two groups', 'across a restart'] as const) {
    it(`that come before the answer are kept as unmatched and matched, ${gap} (D1)`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: byLink1 }));
      const early = store.receipt('a');
      const answer = store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' });
      if (gap === 'in one group') await store.apply(early, answer);
      else {
        assert.deepEqual(await store.one(early), { ok: true, value: { became: 'unmatched' } });
        if (gap === 'across a restart') await store.restart();
        await store.one(answer);
      }
      assert.equal(await store.event(1001), 'delivered');
      assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
    });
  }

  it('that come before the answer are matched, whatever else was stored and matched meanwhile (D1)', async () => {
    await using store = await TestStore.open();
    await store.apply(store.accept({ claim: byLink1 }), store.accept({ claim: byLink1 }));
    await store.one(store.receipt('a'));
    await store.apply(store.receipt('b'), store.outcome(1002, { carrierId: 'b', carrierIdKey: 'b' }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['delivered', 'delivered']);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });

  it('change nothing when they come twice, or late (D4)', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.apply(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }), store.receipt('a'));
    assert.deepEqual(await store.one(store.receipt('a')), { ok: true, value: { became: 'duplicate' } });
    assert.deepEqual(await store.one(store.receipt('a', { state: 'ENROUTE' })), {
      ok: true,
      value: { became: 'duplicate' },
    });
    await store.one(store.receipt('a', { state: 'UNDELIVERABLE' }));
    assert.equal(await store.event(1001), 'delivered');
  });

  it('go to the newest message that is not final when a carrier repeats its id', async () => {
    await using store = await TestStore.open();
    for (const id of [1001, 1002]) {
      await store.one(store.accept({ claim: byLink1 }));
      await store.one(store.outcome(id, { carrierId: 'same', carrierIdKey: 'same' }));
    }
    await store.one(store.receipt('same'));
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['sent', 'delivered']);
    await store.one(store.receipt('same'));
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['delivered', 'delivered']);
  });

  it('that cannot be read are kept as unmatched, whatever id they name', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.receipt('a', { state: null }));
    assert.equal(await store.event(1001), 'sent');
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 1);
  });

  it('correct an end that the gateway set without a receipt, once', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one({ kind: 'expire', at: store.now + 80 * 3_600_000, max: 10 });
    assert.equal(await store.event(1001), 'unknown');
    await store.one(store.receipt('a'));
    assert.equal(await store.event(1001), 'delivered');
    await store.one(store.receipt('a', { state: 'EXPIRED' }));
    assert.equal(await store.event(1001), 'delivered');
  });
});

describe('receipts and numbers', () => {
  it('a receipt goes to the message of its receiver when two have one id', async () => {
    for (const [receiver, events] of [
      ['+41790000003', ['delivered', 'sent']],
      ['+41790000004', ['sent', 'delivered']],
      ['079 nobody', ['sent', 'delivered']],
    ] as const) {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: byLink1, receiver: '+41790000003' }));
      await store.one(store.accept({ claim: byLink1, receiver: '+41790000004' }));
      await store.one(store.outcome(1001, { carrierId: 'same', carrierIdKey: 'same' }));
      await store.one(store.outcome(1002, { carrierId: 'same', carrierIdKey: 'same' }));
      await store.one(store.receipt('same', { receiver: receiver }));
      assert.deepEqual([await store.event(1001), await store.event(1002)], events);
    }
  });

  it('an unmatched receipt is not given to a message of another receiver, nor to one claimed after it came', async () => {
    await using store = await TestStore.open();
    await store.one(store.receipt('a', { receiver: '+41790000009' }));
    await store.one(store.receipt('b'));
    store.now += 1_000;
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.outcome(1002, { carrierId: 'b', carrierIdKey: 'b' }));
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['sent', 'sent']);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 2);
  });

  it('a message answered without an id is found by its numbers', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001));
    await store.one(store.receipt('whatever'));
    assert.equal(await store.event(1001), 'delivered');
    assert.equal(await store.value('select count(*) from doubt'), 0);
  });

  it('a receipt whose source and destination are not swapped settles a doubt too', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    await store.one(store.receipt('x', { sender: '+41790000002', receiver: '+41790000001' }));
    assert.equal(await store.event(1001), 'delivered');
  });

  it('a doubt is not settled by a receipt that may be of a part in flight between the same numbers', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.receipt('early'));
    await store.one(store.outcome(1002, { carrierId: 'early', carrierIdKey: 'early' }));
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['sent', 'delivered']);
  });
});

describe('several parts', () => {
  it('are delivered when all of them are', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2, claim: byLink1 }));
    await store.apply(
      store.outcome(1001, { part: 1, carrierId: 'a', carrierIdKey: 'a' }),
      store.outcome(1001, { part: 2, carrierId: 'b', carrierIdKey: 'b' }),
    );
    await store.one(store.receipt('b'));
    assert.equal(await store.event(1001), 'sent');
    await store.one(store.receipt('a', { state: 'UNDELIVERABLE', errorCode: '042' }));
    assert.equal(await store.event(1001), 'undelivered');
    assert.equal(await store.value('select report_error_code from part where number = 1'), '042');
  });

  it('one of which is refused for good are refunded, and those not sent yet are canceled', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 3 }));
    await store.claim(1);
    await store.one(store.outcome(1001, { outcome: 'refused', commandStatus: 11, errorCode: 'ESME_RINVDSTADR' }));
    assert.deepEqual(
      [await store.part(1001, 1), await store.part(1001, 2), await store.part(1001, 3)],
      ['rejected', 'canceled', 'canceled'],
    );
    assert.equal(await store.event(1001), 'rejected');
    assert.equal(await store.value('select report_error_code from part where number = 1'), 'ESME_RINVDSTADR');
    assert.equal(await store.balance(), 100);
    assert.equal(await store.value('select count(*) from queue'), 0);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('one of which is refused for good are refunded, with those that come back unsent later', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 3, claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'refused', commandStatus: 11, errorCode: 'ESME_RINVDSTADR' }));
    await store.one(store.outcome(1001, { part: 2, outcome: 'busy', commandStatus: 0x58 }));
    await store.one(store.outcome(1001, { part: 3, outcome: 'temporary', commandStatus: 8 }));
    assert.deepEqual([await store.part(1001, 2), await store.part(1001, 3)], ['canceled', 'canceled']);
    assert.equal(await store.event(1001), 'rejected');
    assert.equal(await store.balance(), 100);
    assert.deepEqual(await store.claim(3), []);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('never share a reference with the next long message between the same numbers', async () => {
    await using store = await TestStore.open();
    await store.apply(store.accept({ numParts: 2 }), store.accept({ numParts: 2 }));
    await store.restart();
    await store.one(store.accept({ numParts: 2 }));
    assert.equal(await store.value('select count(distinct reference) from message'), 3);
  });
});

describe('refunds', () => {
  const policies: readonly (readonly [RefundPolicy, { unsent: number; undelivered: number }])[] = [
    ['never', { unsent: 0, undelivered: 0 }],
    ['unsent', { unsent: 10, undelivered: 0 }],
    ['refused', { unsent: 10, undelivered: 0 }],
    ['undelivered', { unsent: 10, undelivered: 10 }],
  ];
  for (const [refundPolicy, back] of policies) {
    it(`under ${refundPolicy}`, async () => {
      await using store = await TestStore.open();
      await store.addAccount('other', 10, { refundPolicy });
      await store.addAccount('third', 10, { refundPolicy });
      await store.apply(store.accept({ account: 2 }), store.accept({ account: 3, claim: byLink1 }));
      await store.apply(
        store.outcome(1002, { carrierId: 'a', carrierIdKey: 'a' }),
        store.receipt('a', { state: 'UNDELIVERABLE' }),
      );
      await store.one({ kind: 'expire', at: store.now + 60_000, max: 10 });
      assert.deepEqual([await store.event(1001), await store.event(1002)], ['expired', 'undelivered']);
      assert.deepEqual([await store.balance(2), await store.balance(3)], [back.unsent, back.undelivered]);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }
});

async function doubted(inDoubt: InDoubtPolicy): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(carrierCommand({ name: 'beta', inDoubt }));
  await store.one(routeCommand({ carrier: 'beta' }));
  await store.one(store.accept({ claim: { ...byLink1, carrier: 2 } }));
  await store.one(store.outcome(1001, { carrier: 2, outcome: 'in_doubt', commandStatus: null }));
  return store;
}

describe('parts in doubt', () => {
  it('are sent again after a delay under resend, and count as sent meanwhile', async () => {
    await using store = await doubted('resend');
    assert.deepEqual([await store.part(1001), await store.event(1001)], ['in_doubt', 'sent']);
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual([await store.part(1001), await store.event(1001)], ['queued', 'sent']);
    assert.equal((await store.claim(1, { carrier: 2 }))[0]?.attempt, 2);
  });

  it('are sent again twice at most, later each time, and then held', async () => {
    await using store = await doubted('resend');
    for (const [attempt, waitMs] of [
      [2, 30_000],
      [3, 120_000],
    ] as const) {
      store.now += waitMs;
      await store.one({ kind: 'expire', at: store.now, max: 10 });
      if ((await store.part(1001)) === 'in_doubt') break;
      await store.claim(1, { carrier: 2 });
      await store.one(store.outcome(1001, { carrier: 2, attempt, outcome: 'in_doubt', commandStatus: null }));
    }
    assert.equal(await store.part(1001), 'in_doubt');
    await store.one({ kind: 'expire', at: store.now + 3_600_000, max: 10 });
    assert.equal(await store.part(1001), 'in_doubt');
  });

  it('whose second attempt is refused stay in doubt, and the receipt of the first still counts', async () => {
    await using store = await doubted('resend');
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    await store.claim(1, { carrier: 2 });
    await store.one(
      store.outcome(1001, { carrier: 2, attempt: 2, outcome: 'refused', commandStatus: 0x45, errorCode: 'X' }),
    );
    assert.deepEqual(
      [await store.part(1001), await store.value('select report_error_code from part where number = 1')],
      ['in_doubt', null],
    );
    await store.one(store.receipt('of the first', { carrier: 2 }));
    assert.equal(await store.event(1001), 'delivered');
  });

  it('that are delivered before their second attempt is refused stay delivered, without an error', async () => {
    await using store = await doubted('resend');
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    await store.claim(1, { carrier: 2 });
    await store.one(store.outcome(1001, { carrier: 2, carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.receipt('a', { carrier: 2 }));
    await store.one(
      store.outcome(1001, { carrier: 2, attempt: 2, outcome: 'refused', commandStatus: 0x45, errorCode: 'X' }),
    );
    assert.deepEqual(
      [await store.event(1001), await store.value('select report_error_code from part where number = 1')],
      ['delivered', null],
    );
  });

  it('are settled by a late refusal, too, and then the refund is certain', async () => {
    await using store = await doubted('hold');
    await store.one(store.outcome(1001, { carrier: 2, outcome: 'refused', commandStatus: 11, errorCode: 'X' }));
    assert.equal(await store.event(1001), 'rejected');
  });

  it('wait for a receipt under hold, until the end of the wait', async () => {
    await using store = await doubted('hold');
    await store.one({ kind: 'expire', at: store.now + 72 * 3_600_000, max: 10 });
    assert.equal(await store.part(1001), 'in_doubt');
    await store.one({ kind: 'expire', at: store.now + 73 * 3_600_000, max: 10 });
    assert.equal(await store.event(1001), 'unknown');
    assert.equal(await store.balance(), 90, 'what is in doubt is not refunded');
  });

  it('end as unknown under fail', async () => {
    await using store = await doubted('fail');
    assert.equal(await store.event(1001), 'unknown');
    assert.equal(await store.value('select count(*) from doubt'), 0);
  });

  it('are settled by the late answer', async () => {
    await using store = await doubted('resend');
    await store.one(store.outcome(1001, { carrier: 2, carrierId: 'a', carrierIdKey: 'a' }));
    assert.equal(await store.part(1001), 'sent');
    await store.one(store.receipt('a', { carrier: 2 }));
    assert.equal(await store.event(1001), 'delivered');
    assert.equal(await store.value('select count(*) from doubt'), 0);
  });

  it('are settled by a receipt with an unknown id and their numbers, if no other part fits', async () => {
    await using store = await doubted('hold');
    await store.one(store.receipt('never learned', { carrier: 2 }));
    assert.equal(await store.event(1001), 'delivered');
    assert.equal(await store.value("select kind from note where kind = 'matched-in-doubt'"), 'matched-in-doubt');
  });

  it('are settled by it once, even if it comes twice in one group', async () => {
    await using store = await doubted('hold');
    const receipt = store.receipt('never learned', { carrier: 2 });
    const results = await store.apply(receipt, receipt);
    assert.deepEqual(
      results.map((result) => result.ok && result.value && 'became' in result.value && result.value.became),
      ['matched', 'duplicate'],
    );
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });

  it('are left alone by such a receipt if two parts fit', async () => {
    await using store = await doubted('hold');
    await store.one(store.accept({ claim: { ...byLink1, carrier: 2 } }));
    await store.one(store.outcome(1002, { carrier: 2, outcome: 'in_doubt', commandStatus: null }));
    assert.deepEqual(await store.one(store.receipt('never learned', { carrier: 2 })), {
      ok: true,
      value: { became: 'unmatched' },
    });
    assert.deepEqual([await store.event(1001), await store.event(1002)], ['sent', 'sent']);
  });

  it('are what a crash leaves of claims without an answer; the old lease no longer counts (S4)', async () => {
    await using store = await TestStore.open();
    const { lease } = store;
    await store.apply(store.accept({ claim: { ...byLink1, lease } }), store.accept());
    await store.restart();
    const begun = await store.one<'begin'>({ kind: 'begin', at: store.now });
    const lastMessageId = begun.ok ? begun.value.lastMessageId : 0;
    assert.ok(lastMessageId >= 1002);
    const value = {
      node: lease % nodeCount,
      lease: lease + nodeCount,
      lastMessageId,
      inDoubt: 1,
      seenAt: store.now,
      untrustedFrom: null,
    };
    assert.deepEqual(begun, { ok: true, value });
    assert.deepEqual([await store.part(1001), await store.part(1002)], ['in_doubt', 'queued']);
    await store.one(store.outcome(1002, { lease }));
    assert.equal(await store.part(1002), 'queued');
  });
});

it('a database newer than the program is refused with a sentence', async () => {
  await using store = await SqliteTestStore.open();
  store.database.exec('pragma user_version = 99');
  assert.throws(
    () => migrate(store.database),
    (fault) => fault instanceof StoreRefused && /newer program/.test(fault.message),
  );
});
