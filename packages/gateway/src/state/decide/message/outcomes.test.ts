import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { retryDelayMs } from '../../../core/message/retry.ts';
import { carrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

const byLink1 = { carrier: 1, link: 1, lease: 1, isWhole: false };
const refusal = { outcome: 'refused', commandStatus: 0x0b, errorCode: 'ESME_RINVDSTADR' } as const;
const trouble = { outcome: 'temporary', commandStatus: 0x08 } as const;

describe('a part refused for the moment', () => {
  it('is tried again after growing waits, until the validity ends; then it is expired and refunded, once', async () => {
    await using store = await TestStore.open();
    const begin = store.now;
    const expiresAt = begin + 600_000;
    await store.one(store.accept({ claim: byLink1, expiresAt }));
    const tries: number[] = [];
    for (let attempt = 1; (await store.part(1001)) !== 'expired'; attempt++) {
      assert.ok(attempt < 20, 'it ends');
      tries.push(store.now - begin);
      const recorded = await store.one<'outcome'>(store.outcome(1001, { attempt, ...trouble }));
      const due = recorded.ok ? recorded.value.due : null;
      assert.ok(due !== null && due <= expiresAt);
      store.now = due;
      await store.one({ kind: 'expire', at: store.now, max: 10 });
      assert.equal((await store.claim(1)).length, due < expiresAt ? 1 : 0);
    }
    const waits = [1, 2, 3, 4, 5, 6].map((each) => retryDelayMs({ message: toMessageId(1001), tries: each }));
    const after = [0];
    for (const wait of waits) after.push((after.at(-1) ?? 0) + wait);
    // The last one, ten seconds before the end, replaces one that would come too late.
    assert.deepEqual(tries, [...after, 590_000]);
    assert.equal(await store.balance(), 100);
    assert.equal(await store.value("select count(*) from entry where kind = 'refund'"), 1);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('is not sent after its validity, even before `expire` has run: its claim ends it', async () => {
    await using store = await TestStore.open();
    await store.apply(store.accept(), store.accept({ expiresAt: store.now + 120_000 }));
    store.now += 60_000;
    assert.deepEqual(
      (await store.claim(2)).map((part) => part.message),
      [1002],
    );
    assert.equal(await store.event(1001), 'expired');
    assert.equal(await store.balance(), 90);
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.equal(await store.balance(), 90);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  for (const late of ['accepted', 'temporary', 'busy', 'refused', 'in_doubt'] as const) {
    it(`has expired, and a second ${late} of its last attempt changes nothing (S3)`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: byLink1, expiresAt: store.now + 10_000 }));
      await store.one(store.outcome(1001, trouble));
      await store.one({ kind: 'expire', at: store.now + 10_000, max: 10 });
      assert.deepEqual([await store.event(1001), await store.balance()], ['expired', 100]);
      await store.one(store.outcome(1001, { outcome: late, carrierId: 'a', carrierIdKey: 'a' }));
      assert.deepEqual([await store.event(1001), await store.balance()], ['expired', 100]);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  it('does not wait again if another part of its message was canceled', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2 }));
    await store.claim(1);
    await store.one({ kind: 'cancel', at: store.now, message: toMessageId(1001), account: 1 });
    assert.deepEqual([await store.part(1001, 1), await store.part(1001, 2)], ['claimed', 'canceled']);
    assert.deepEqual(await store.one(store.outcome(1001, trouble)), { ok: true, value: { due: null } });
    assert.deepEqual([await store.event(1001), await store.balance()], ['canceled', 100]);
    assert.deepEqual(await store.moneyFaults(), []);
  });
});

/** Two parts of one message: the first is in doubt, and may wait to be sent again; the second waits. */
async function halfInDoubt(isQueuedAgain: boolean): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(store.accept({ numParts: 2, expiresAt: store.now + 600_000 }));
  await store.claim(1);
  await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
  await store.claim(1);
  if (isQueuedAgain) {
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.equal(await store.part(1001, 1), 'queued');
  }
  return store;
}

describe('a part in doubt', () => {
  it('is not sent again after the validity of its message: it waits for its receipt', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1, expiresAt: store.now + 20_000 }));
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual([await store.part(1001), await store.claim(1)], ['in_doubt', []]);
    await store.one(store.receipt('77'));
    assert.equal(await store.event(1001), 'delivered');
  });

  for (const isQueuedAgain of [false, true]) {
    it(`${isQueuedAgain ? 'that waits to be sent again ' : ''}is sent no more when another part is refused, and is no canceled one`, async () => {
      await using store = await halfInDoubt(isQueuedAgain);
      await store.one(store.outcome(1001, { part: 2, ...refusal }));
      assert.deepEqual([await store.part(1001, 1), await store.part(1001, 2)], ['in_doubt', 'rejected']);
      store.now += 120_000;
      await store.one({ kind: 'expire', at: store.now, max: 10 });
      assert.equal(await store.part(1001, 1), 'in_doubt');
      assert.deepEqual(await store.claim(2), []);
      assert.equal(await store.balance(), 90, 'the refused part is refunded, and the one in doubt is not');
      await store.one(store.receipt('of the first'));
      assert.equal(await store.part(1001, 1), 'delivered');
      assert.equal(await store.event(1001), 'rejected');
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  for (const [outcome, commandStatus, state] of [
    ['refused', 0x0b, 'rejected'],
    ['temporary', 0x08, 'queued'],
    ['busy', 0x58, 'queued'],
  ] as const) {
    it(`that a late ${outcome} settles is in doubt no more: ${state}, and no receipt is guessed to be its own`, async () => {
      await using store = await TestStore.open();
      await store.one(carrierCommand({ name: 'beta', inDoubt: 'hold' }));
      await store.one(store.accept({ claim: { ...byLink1, carrier: 2 } }));
      await store.one(store.outcome(1001, { carrier: 2, outcome: 'in_doubt', commandStatus: null }));
      assert.equal(await store.value('select count(*) from doubt'), 1);
      await store.one(store.outcome(1001, { carrier: 2, outcome, commandStatus }));
      assert.deepEqual([await store.part(1001), await store.value('select count(*) from doubt')], [state, 0]);
      assert.deepEqual(await store.one(store.receipt('of another', { carrier: 2 })), {
        ok: true,
        value: { became: 'unmatched' },
      });
    });
  }

  it('that a late answer settled for the moment expires, and is refunded: it certainly never reached a phone', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: byLink1 }));
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    await store.one(store.outcome(1001, trouble));
    await store.one({ kind: 'expire', at: store.now + 60_000, max: 10 });
    assert.deepEqual([await store.event(1001), await store.balance()], ['expired', 100]);
    assert.deepEqual(await store.moneyFaults(), []);
  });
});
