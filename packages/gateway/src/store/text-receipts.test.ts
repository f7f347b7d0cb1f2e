import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOwnedNumber } from '../core/owned-number.ts';
import { toMessageId } from '../core/message-id.ts';
import type { Accept, CommandOf } from './commands.ts';
import { TestStore } from './test-store.ts';

const ours = '+41791112233';
const victim = '+41790000002';
const attacker = '+41799999999';

/*
 * What nothing but its text marks as a receipt (esm_class 0, no TLV) may be written by anybody with a phone
 * (smpp-in-the-wild, 20): promise O4 from the side of the store.
 */
describe('what only looks like a receipt', () => {
  it('settles no message of another receiver, and reaches the owner of the number it was sent to (O4)', () => {
    using store = withNumber();
    const sent = send(store, '5004');
    assert.equal(record(store, textReceipt(store, { from: attacker, id: '5004', state: 'REJECTED' })), 'inbound');
    assert.deepEqual([store.event(sent.id), store.value('select count(*) from parked_receipt')], ['sent', 0]);
    assert.deepEqual(store.database.prepare('select account, sender, receiver from inbound').all().map(Object.values), [
      [1, attacker, ours],
    ]);
  });

  it('is a receipt where it comes from the receiver of the message that it names', () => {
    using store = withNumber();
    const sent = send(store, '5004');
    assert.equal(record(store, textReceipt(store, { from: victim, id: '5004' })), 'matched');
    assert.equal(store.event(sent.id), 'delivered');
  });

  it('is parked where the answer to a message to that phone is still to come (D1)', () => {
    using store = withNumber();
    const sent = store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
    store.one(sent);
    assert.equal(record(store, textReceipt(store, { from: victim, id: '5004' })), 'parked');
    store.one(store.outcome(sent.id, { carrierId: '5004', carrierIdKey: '5004' }));
    assert.equal(store.event(sent.id), 'delivered');
  });

  it('is parked once the carrier is known to send such receipts, after a restart too', () => {
    using store = withNumber();
    send(store, '5004');
    record(store, textReceipt(store, { from: victim, id: '5004' }));
    store.restart();
    assert.equal(record(store, textReceipt(store, { from: attacker, id: '5005' })), 'parked');
  });

  it('is parked where nobody owns the number', () => {
    using store = new TestStore();
    assert.equal(record(store, textReceipt(store, { from: attacker, id: '5005' })), 'parked');
  });

  it('settles as before what a carrier marks as a receipt without the phone’s number', () => {
    using store = withNumber();
    const sent = send(store, '5004');
    const { orInbound: _orInbound, ...marked } = textReceipt(store, { from: '+00', id: '5004' });
    assert.equal(record(store, marked), 'matched');
    assert.equal(store.event(sent.id), 'delivered');
  });
});

function withNumber(): TestStore {
  const store = new TestStore();
  const owned = parseOwnedNumber(ours, 'number');
  assert.ok(owned.ok);
  const { number, digits } = owned.value;
  store.one({ kind: 'add-number', at: store.now, number, digits, numberKind: 'number', account: 'acme' });
  return store;
}

/** A message that the carrier has taken under an id. */
function send(store: TestStore, id: string): Accept {
  const sent = store.accept({ receiver: victim, claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
  store.one(sent);
  store.one(store.outcome(sent.id, { carrierId: id, carrierIdKey: id }));
  return sent;
}

function textReceipt(
  store: TestStore,
  { from, id, state = 'DELIVERED' }: { from: string; id: string; state?: 'DELIVERED' | 'REJECTED' },
): CommandOf<'receipt'> {
  return {
    ...store.receipt(id, { sender: ours, receiver: from, carrierIdKey: id, state }),
    orInbound: {
      kind: 'inbound',
      at: store.now,
      id: toMessageId(9_000_000 + Number(id)),
      carrier: 1,
      sender: from,
      receiver: ours,
      dataCoding: 0,
      esmClass: 0,
      octets: new Uint8Array([0x69, 0x64, 0x3a]),
      coding: 'gsm7',
      concatenation: null,
      ports: null,
    },
  };
}

function record(store: TestStore, command: CommandOf<'receipt'>): string {
  const result = store.one<'receipt'>(command);
  assert.ok(result.ok, JSON.stringify(store.faults));
  return result.value.became;
}
