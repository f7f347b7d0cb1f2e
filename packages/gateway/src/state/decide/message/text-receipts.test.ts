import { operate } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextReceipts } from '../../../core/routing/carrier-profile.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { CarrierState } from '../../../core/message/receipt.ts';
import { setCarrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { addNumber } from '../../../../test/support/clients/inbound-messages.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

const ours = '+41791112233';
const oursToo = '+41791112244';
const victim = '+41790000002';
const attacker = '+41799999999';

/*
 * Anybody can write a text that nothing but its form marks as a receipt (esm_class 0, no TLV):
 * promise O4 in the store.
 */
describe('an unmarked text that looks like a receipt', () => {
  it('settles no message of another receiver, and reaches the account of the number it was sent to (O4)', async () => {
    await using store = await withNumber();
    const sent = await send(store, '5004');
    assert.equal(await record(store, textReceipt(store, { from: attacker, id: '5004', state: 'REJECTED' })), 'inbound');
    assert.deepEqual(
      [await store.event(sent.id), await store.value('select count(*) from unmatched_receipt')],
      ['sent', 0],
    );
    assert.deepEqual((await store.rows('select account, sender, receiver from inbound')).map(Object.values), [
      [1, attacker, ours],
    ]);
  });

  it('is a receipt if it comes from the receiver of the message that it names', async () => {
    await using store = await withNumber();
    const sent = await send(store, '5004');
    assert.equal(await record(store, textReceipt(store, { from: victim, id: '5004' })), 'matched');
    assert.equal(await store.event(sent.id), 'delivered');
  });

  it('is unmatched if the answer to a message to that number is still to come (D1)', async () => {
    await using store = await withNumber();
    const sent = store.accept({ sender: ours, claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
    await store.one(sent);
    assert.equal(await record(store, textReceipt(store, { from: victim, id: '5004' })), 'unmatched');
    await store.one(store.outcome(sent.id, { carrierId: '5004', carrierIdKey: '5004' }));
    assert.equal(await store.event(sent.id), 'delivered');
  });

  it('is unmatched once the carrier is known to send such receipts, after a restart, too', async () => {
    await using store = await withNumber();
    await send(store, '5004');
    await record(store, textReceipt(store, { from: victim, id: '5004' }));
    await store.restart();
    assert.equal(await record(store, textReceipt(store, { from: attacker, id: '5005' })), 'unmatched');
  });

  it('is unmatched if no account has the number', async () => {
    await using store = await TestStore.open();
    assert.equal(await record(store, textReceipt(store, { from: attacker, id: '5005' })), 'unmatched');
  });

  it("does not change receipts that the carrier marks, even without the receiver's number", async () => {
    await using store = await withNumber();
    const sent = await send(store, '5004');
    assert.equal(await record(store, marked(store, { from: '+00', id: '5004' })), 'matched');
    assert.equal(await store.event(sent.id), 'delivered');
  });

  it("is a message if it went to a number of ours other than the message's sender", async () => {
    await using store = await withNumber();
    const sent = await send(store, '5004');
    assert.equal(await record(store, textReceipt(store, { from: victim, to: oursToo, id: '5004' })), 'inbound');
    assert.equal(await store.event(sent.id), 'sent');
  });
});

describe('an unmarked text of a carrier that marks its receipts', () => {
  it('is an inbound message, whatever its id, in the same group and after a restart (O4)', async () => {
    await using store = await withNumber();
    const [first, second] = [await send(store, '5004'), await send(store, '5005')];
    const texts = [marked(store, { id: '5004' }), textReceipt(store, { id: '5005', state: 'UNDELIVERABLE' })];
    const became = (await store.apply(...texts)).map((result) => result.ok && Object.entries(result.value ?? {})[0]);
    assert.deepEqual(became, [
      ['became', 'matched'],
      ['became', 'inbound'],
    ]);
    await store.restart();
    assert.equal(await record(store, textReceipt(store, { id: '5005', state: 'REJECTED', place: 2 })), 'inbound');
    assert.equal(await record(store, marked(store, { id: '5005' })), 'matched');
    assert.deepEqual([await store.event(first.id), await store.event(second.id)], ['delivered', 'delivered']);
    assert.deepEqual([await store.value('select count(*) from inbound'), await store.balance()], [2, 80]);
  });

  it('was unmatched before the first marked receipt came, and is an inbound message then', async () => {
    await using store = await withNumber();
    const [first, second] = [await send(store, '5004'), await claimed(store)];
    assert.equal(await record(store, textReceipt(store, { id: '5005', state: 'UNDELIVERABLE' })), 'unmatched');
    await record(store, marked(store, { id: '5004' }));
    await store.restart();
    await store.one({ kind: 'rematch', at: store.now, max: 10 });
    await store.one(store.outcome(second.id, { carrierId: '5005', carrierIdKey: '5005' }));
    assert.deepEqual([await store.event(first.id), await store.event(second.id)], ['delivered', 'sent']);
    assert.deepEqual(
      [await store.value('select count(*) from unmatched_receipt'), await store.value('select count(*) from inbound')],
      [0, 1],
    );
  });

  for (const [mode, becomes] of [
    ['auto', 'inbound'],
    ['off', 'inbound'],
    ['on', 'matched'],
  ] as const) {
    it(`under --text-receipts ${mode} it is ${becomes}`, async () => {
      await using store = await withNumber(mode);
      for (const id of ['5004', '5005']) await send(store, id);
      await record(store, marked(store, { id: '5004' }));
      assert.equal(await record(store, textReceipt(store, { id: '5005' })), becomes);
    });
  }

  it('is an inbound message under --text-receipts off before any receipt was marked', async () => {
    await using store = await withNumber('off');
    await send(store, '5004');
    assert.equal(await record(store, textReceipt(store, { id: '5004' })), 'inbound');
  });
});

describe('an unmarked text that was read as a receipt', () => {
  for (const mode of ['auto', 'on'] as const) {
    it(`refunds nothing under ${mode}, and a marked receipt corrects it, once`, async () => {
      await using store = await withNumber(mode);
      const sent = await send(store, '5004');
      assert.equal(await record(store, textReceipt(store, { id: '5004', state: 'UNDELIVERABLE' })), 'matched');
      assert.deepEqual([await store.event(sent.id), await store.balance()], ['undelivered', 90]);
      await store.restart();
      assert.equal(await record(store, marked(store, { id: '5004' })), 'matched');
      assert.deepEqual([await store.event(sent.id), await store.balance()], ['delivered', 90]);
      assert.equal(await record(store, marked(store, { id: '5004', state: 'REJECTED' })), 'duplicate');
      assert.equal(await store.event(sent.id), 'delivered');
      // A text that a marked receipt contradicts was an inbound message, unless the operator says otherwise.
      assert.equal(await store.value('select count(*) from inbound where account = 1'), mode === 'auto' ? 1 : 0);
    });
  }

  it('is confirmed by a marked receipt, which refunds', async () => {
    await using store = await withNumber();
    const sent = await send(store, '5004');
    await record(store, textReceipt(store, { id: '5004', state: 'UNDELIVERABLE' }));
    assert.equal(await record(store, marked(store, { id: '5004', state: 'UNDELIVERABLE' })), 'matched');
    assert.deepEqual([await store.event(sent.id), await store.balance()], ['undelivered', 100]);
    assert.equal(await record(store, marked(store, { id: '5004', state: 'UNDELIVERABLE' })), 'duplicate');
    assert.equal(await store.balance(), 100);
    assert.equal(await store.value('select count(*) from inbound'), 0);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('is corrected in one step if texts ended several parts: with the last of them', async () => {
    await using store = await withNumber();
    const sent = await claimed(store, { numParts: 2 });
    for (const [place, id] of ['5004', '5005'].entries()) {
      await store.one(store.outcome(sent.id, { part: place + 1, carrierId: id, carrierIdKey: id }));
      await record(store, textReceipt(store, { id, state: 'UNDELIVERABLE' }));
    }
    await record(store, marked(store, { id: '5004' }));
    assert.equal(await store.event(sent.id), 'undelivered');
    await record(store, marked(store, { id: '5005' }));
    assert.equal(await store.event(sent.id), 'delivered');
    assert.equal(await store.balance(), 80);
  });

  it('ends no doubt by its numbers alone, and the marked receipt does', async () => {
    await using store = await withNumber();
    const sent = await doubted(store);
    assert.equal(await record(store, textReceipt(store, { id: '5005', state: 'UNDELIVERABLE' })), 'unmatched');
    await store.restart();
    assert.equal(await record(store, marked(store, { id: '5004' })), 'matched');
    assert.deepEqual([await store.event(sent.id), await store.balance()], ['delivered', 90]);
    await store.one({ kind: 'rematch', at: store.now, max: 10 });
    assert.deepEqual(
      [await store.value('select count(*) from unmatched_receipt'), await store.value('select count(*) from inbound')],
      [0, 1],
    );
  });

  it('ends a doubt by its numbers alone once the carrier is known to send such receipts', async () => {
    await using store = await withNumber();
    const sent = await doubted(store);
    assert.equal(await record(store, textReceipt(store, { id: '5005' })), 'unmatched');
    const other = store.accept({ sender: oursToo, receiver: attacker, claim });
    await store.apply(other, store.outcome(other.id, { carrierId: '5006', carrierIdKey: '5006' }));
    await record(store, textReceipt(store, { from: attacker, to: oursToo, id: '5006' }));
    await store.one({ kind: 'rematch', at: store.now, max: 10 });
    assert.deepEqual([await store.event(other.id), await store.event(sent.id)], ['delivered', 'delivered']);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });

  it('does not refund either if its answer comes after it (D1)', async () => {
    await using store = await withNumber();
    const sent = await claimed(store);
    await record(store, textReceipt(store, { id: '5004', state: 'UNDELIVERABLE' }));
    await store.restart();
    await store.one(store.outcome(sent.id, { carrierId: '5004', carrierIdKey: '5004' }));
    assert.deepEqual([await store.event(sent.id), await store.balance()], ['undelivered', 90]);
  });
});

/** A store whose account has two numbers and refunds undelivered parts. */
async function withNumber(textReceipts: TextReceipts = 'auto'): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(setCarrierCommand({ at: store.now, profile: { textReceipts } }));
  await store.one(
    operate('account.set', { account: 'acme', refundPolicy: 'undelivered' }, { at: store.now, made: {} }),
  );
  for (const each of [ours, oursToo]) await store.one(addNumber(each, 'acme'));
  return store;
}

const claim = { carrier: 1, link: 1, lease: 1, isWhole: false };

/** A message that a carrier has, without an answer yet. */
async function claimed(store: TestStore, more: Partial<CommandOf<'accept'>> = {}): Promise<CommandOf<'accept'>> {
  const sent = store.accept({ sender: ours, receiver: victim, claim, ...more });
  await store.one(sent);
  return sent;
}

/** A message whose answer was lost. */
async function doubted(store: TestStore): Promise<CommandOf<'accept'>> {
  const sent = await claimed(store);
  await store.one(store.outcome(sent.id, { outcome: 'in_doubt', commandStatus: null }));
  return sent;
}

/** A message that the carrier has accepted under an id. */
async function send(store: TestStore, id: string): Promise<CommandOf<'accept'>> {
  const sent = await claimed(store);
  await store.one(store.outcome(sent.id, { carrierId: id, carrierIdKey: id }));
  return sent;
}

interface Said {
  readonly from?: string;
  readonly to?: string;
  readonly id: string;
  readonly state?: CarrierState;
  /** Its place among several with one id. */
  readonly place?: number;
}

function marked(store: TestStore, said: Said): CommandOf<'receipt'> {
  const { orInbound: _orInbound, ...receipt } = textReceipt(store, said);
  return receipt;
}

function textReceipt(
  store: TestStore,
  { from = victim, to = ours, id, state = 'DELIVERED', place = 1 }: Said,
): CommandOf<'receipt'> {
  return {
    ...store.receipt(id, { sender: to, receiver: from, carrierIdKey: id, state }),
    orInbound: {
      at: store.now,
      id: toMessageId(9_000_000 + Number(id) * 10 + place),
      carrier: 1,
      sender: from,
      receiver: to,
      dataCoding: 0,
      esmClass: 0,
      octets: new Uint8Array([0x69, 0x64, 0x3a]),
      coding: 'gsm7',
      concatenation: null,
      ports: null,
    },
  };
}

async function record(store: TestStore, command: CommandOf<'receipt'>): Promise<string> {
  const result = await store.one<'receipt'>(command);
  assert.ok(result.ok, JSON.stringify(store.faults));
  return result.value.became;
}
