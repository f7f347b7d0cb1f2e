import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { standardProfile } from '../../../core/routing/carrier-profile.ts';
import { carrierCommand, routeCommand, setCarrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/* A carrier that refuses a sender and has a default one: the part goes to it once more, with that sender. */

const [alpha, beta] = [1, 2];
const own = '+41790000001';
const wrongSender = { outcome: 'refused', commandStatus: 0x0a } as const;
const whole = { carrier: alpha, link: 1, lease: 1, isWhole: true };

/** Alpha has a default sender; with `beta`, the route goes on to a carrier that has none. */
async function storeWith({
  hasBeta = false,
  sender = 'Acme',
}: { hasBeta?: boolean; sender?: string | null } = {}): Promise<TestStore> {
  const store = await TestStore.open();
  await setDefault(store, sender);
  if (hasBeta) {
    await store.one(carrierCommand({ at: store.now, name: 'beta' }));
    await store.one(routeCommand({ at: store.now, carrier: 'beta', rank: 2 }));
  }
  return store;
}

async function setDefault(store: TestStore, sourceAddressDefault: string | null): Promise<void> {
  assert.ok((await store.one(setCarrierCommand({ at: store.now, profile: { sourceAddressDefault } }))).ok);
}

/** The parts that a carrier claims, each with its sender. */
async function claims(
  store: TestStore,
  carrier: number,
  more: { isWhole?: boolean; max?: number } = {},
): Promise<string[]> {
  const { max = 10, isWhole = false } = more;
  const claim = { at: store.now, carrier, link: 1, lease: 1, isWhole, up: [alpha, beta], max };
  const claimed = await store.one<'claim'>({ kind: 'claim', ...claim });
  assert.ok(claimed.ok);
  return claimed.value.parts.map(({ number, sender }) => `${number} ${sender}`);
}

async function notes(store: TestStore): Promise<unknown[]> {
  return (await store.rows("select detail from note where kind = 'sender-replaced'")).map((row) => row['detail']);
}

async function states(store: TestStore): Promise<unknown[]> {
  return (await store.rows('select state from part order by number')).map((row) => row['state']);
}

describe('a part whose sender its carrier refuses', () => {
  for (const [what, sender, commandStatus, expected] of [
    ['goes again with the default sender', 'Acme', 0x0a, ['1 Acme']],
    ['is rejected where there is none', null, 0x0a, []],
    ['is rejected where the default is the same sender', own, 0x0a, []],
    ['is rejected with any other status', 'Acme', 0x0b, []],
  ] as const) {
    it(what, async () => {
      await using store = await storeWith({ sender });
      await store.one(store.accept());
      assert.deepEqual(await claims(store, alpha), [`1 ${own}`]);
      await store.one(store.outcome(1001, { outcome: 'refused', commandStatus }));
      assert.deepEqual(await store.part(1001), expected.length > 0 ? 'queued' : 'rejected');
      await store.restart();
      assert.deepEqual(await claims(store, alpha), expected);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  it('waits for that carrier, whose links learn when, and the time line says why', async () => {
    await using store = await storeWith({ hasBeta: true });
    await store.one(store.accept());
    await claims(store, alpha);
    const recorded = await store.one<'outcome'>(store.outcome(1001, wrongSender));
    assert.equal(recorded.ok && recorded.value.due, store.now);
    assert.deepEqual(await claims(store, beta), []);
    assert.deepEqual(await notes(store), [
      `carrier alpha refused sender ${own}: the part is sent with the carrier's default sender Acme`,
    ]);
    assert.deepEqual(await claims(store, alpha), ['1 Acme']);
    assert.equal(await store.balance(), 90);
  });

  it('keeps the default sender after a busy answer, a restart, and a change of the setting', async () => {
    await using store = await storeWith();
    await store.one(store.accept());
    await claims(store, alpha);
    await store.one(store.outcome(1001, wrongSender));
    await setDefault(store, 'Other');
    await store.restart();
    assert.deepEqual(await claims(store, alpha), ['1 Acme']);
    await store.one(store.outcome(1001, { attempt: 2, outcome: 'busy', commandStatus: 0x58 }));
    assert.deepEqual(await claims(store, alpha), ['1 Acme']);
  });

  it('that is refused again is rejected and refunded, and does not go a third time', async () => {
    await using store = await storeWith();
    await store.one(store.accept());
    await claims(store, alpha);
    await store.one(store.outcome(1001, wrongSender));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { ...wrongSender, attempt: 2 }));
    assert.deepEqual(
      [await store.part(1001), await store.balance(), await claims(store, alpha)],
      ['rejected', 100, []],
    );
  });

  it('that is refused again fails over with the sender of the client', async () => {
    await using store = await storeWith({ hasBeta: true });
    await store.one(store.accept());
    await claims(store, alpha);
    await store.one(store.outcome(1001, wrongSender));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { ...wrongSender, attempt: 2 }));
    assert.deepEqual([await claims(store, alpha), await claims(store, beta)], [[], [`1 ${own}`]]);
    await store.one(store.outcome(1001, { carrier: beta, attempt: 3, carrierId: 'a', carrierIdKey: 'a' }));
    assert.equal(await store.part(1001), 'sent');
  });

  it('is not sent again after its validity, nor once it was in doubt: the carrier may have it', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ expiresAt: store.now + 600_000 }));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    store.now += 30_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual(await claims(store, alpha), [`1 ${own}`]);
    await store.one(store.outcome(1001, { ...wrongSender, attempt: 2 }));
    assert.deepEqual([await store.part(1001), await claims(store, alpha)], ['in_doubt', []]);
    await store.one(store.accept());
    await claims(store, alpha);
    store.now += 60_000;
    await store.one(store.outcome(1002, wrongSender));
    assert.deepEqual([await store.part(1002), await claims(store, alpha)], ['expired', []]);
  });
});

describe('a message of several parts', () => {
  it('has one sender: the parts that wait get the default one, too', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ numParts: 3 }));
    assert.deepEqual(await claims(store, alpha, { max: 1 }), [`1 ${own}`]);
    await store.one(store.outcome(1001, wrongSender));
    assert.deepEqual(await claims(store, alpha), ['1 Acme', '2 Acme', '3 Acme']);
  });

  it('has one sender when its parts are in flight together, and are refused or throttled', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ numParts: 3 }));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { part: 2, ...wrongSender }));
    await store.one(store.outcome(1001, { part: 1, outcome: 'busy', commandStatus: 0x58 }));
    await store.one(store.outcome(1001, { part: 3, ...wrongSender }));
    assert.deepEqual(await claims(store, alpha), ['1 Acme', '2 Acme', '3 Acme']);
  });

  it('of which the carrier has a part with the sender of the client gets no other', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ numParts: 2 }));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { part: 1 }));
    await store.one(store.outcome(1001, { part: 2, ...wrongSender }));
    assert.deepEqual([await states(store), await claims(store, alpha)], [['sent', 'rejected'], []]);
  });

  it('of which the carrier has a part with the default sender gets it for the others', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ numParts: 2 }));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { part: 1, ...wrongSender }));
    assert.deepEqual(await claims(store, alpha), ['1 Acme']);
    await store.one(store.outcome(1001, { part: 1, attempt: 2 }));
    await store.one(store.outcome(1001, { part: 2, ...wrongSender }));
    assert.deepEqual(await claims(store, alpha), ['2 Acme']);
  });

  it('that goes whole goes whole again', async () => {
    await using store = await storeWith();
    await store.one(store.accept({ numParts: 2, claim: whole }));
    await store.one(store.outcome(1001, wrongSender));
    assert.deepEqual(await claims(store, alpha, { isWhole: true }), ['1 Acme']);
    await store.one(store.outcome(1001, { attempt: 2, carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(store.receipt('a', { sender: 'Acme' }));
    assert.deepEqual(await states(store), ['delivered', 'delivered']);
  });
});

describe('receipts name the sender that was sent', () => {
  for (const [what, sender, expected] of [
    ['the default sender', '+41790000009', 'delivered'],
    ['the sender of the client', own, 'in_doubt'],
  ] as const) {
    it(`a part in doubt: a receipt with ${what} leaves it ${expected}`, async () => {
      await using store = await storeWith({ sender: '+41790000009' });
      await store.one(store.accept());
      await claims(store, alpha);
      await store.one(store.outcome(1001, wrongSender));
      await claims(store, alpha);
      await store.one(store.outcome(1001, { attempt: 2, outcome: 'in_doubt', commandStatus: null }));
      await store.restart();
      await store.one(store.receipt('never heard of', { sender }));
      assert.equal(await store.part(1001), expected);
    });
  }

  it('one without the number of the receiver matches by its id alone, while no rule is known', async () => {
    await using store = await storeWith({ sender: '+41790000009' });
    await store.one(setCarrierCommand({ at: store.now, settings: { idRule: 'auto' } }));
    await store.one(store.accept());
    await claims(store, alpha);
    await store.one(store.outcome(1001, wrongSender));
    await claims(store, alpha);
    await store.one(store.outcome(1001, { attempt: 2, carrierId: '12345678', carrierIdKey: '12345678' }));
    await store.one(store.receipt('12345678', { sender: '+41790000009', receiver: '' }));
    assert.equal(await store.part(1001), 'delivered');
  });
});

it('the standard profile has no default sender', () => {
  assert.equal(standardProfile.sourceAddressDefault, null);
});
