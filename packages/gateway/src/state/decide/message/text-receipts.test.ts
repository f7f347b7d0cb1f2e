import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { write } from '../../../../test/support/clients/inbound-messages.ts';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

const ours = '+41790000001';
const oursToo = '+41791112244';
const attacker = '+41799999999';

/** The account has two numbers and refunds undelivered parts. */
const open = () => opened(`texts on; refunds undelivered; number ${ours}; number ${oursToo}`);

const sent = 'accept alpha; 1 accepted id=5004';

/*
 * Anybody can write a text that nothing but its form marks as a receipt (esm_class 0, no TLV): promise O4 in the store.
 * The carrier's setting says that it is one.
 */
describe('a receipt that nothing but its text marks', () => {
  stories(
    {
      'settles no message of another receiver (O4)': `
        ${sent}; text 5004 REJECTED from=${attacker} -> unmatched; events = sent; rows inbound = 0`,
      'settles the message that it names if it comes from its receiver': `
        ${sent}; text 5004 -> matched; events = delivered`,
      'is unmatched before the answer to its message, and settles it then (D1)': `
        accept alpha; text 5004 -> unmatched; restart; 1 accepted id=5004; events = delivered
        rows unmatched_receipt = 0`,
      "does not change receipts that the carrier marks, even without the receiver's number": `
        ${sent}; receipt 5004 to=+00 -> matched; events = delivered`,
      "settles nothing if it went to a number of ours other than the message's sender, now and later": `
        ${sent}; text 5004 to=${oursToo} -> unmatched; restart; rematch; events = sent
        rows unmatched_receipt is_text=1 = 1`,
      'refunds nothing, and a marked receipt corrects it, once': `
        ${sent}; text 5004 UNDELIVERABLE -> matched; events = undelivered; balance = 90; restart
        receipt 5004 -> matched; events = delivered; balance = 90; receipt 5004 REJECTED -> duplicate
        events = delivered; text 5004 UNDELIVERABLE -> duplicate; events = delivered`,
      'refunds if a marked receipt confirms it, once': `
        ${sent}; text 5004 UNDELIVERABLE; receipt 5004 UNDELIVERABLE -> matched; events = undelivered; balance = 100
        receipt 5004 UNDELIVERABLE -> duplicate; balance = 100`,
      'refunds if a marked receipt contradicts its DELIVERED': `
        ${sent}; text 5004; events = delivered; receipt 5004 UNDELIVERABLE -> matched; events = undelivered
        balance = 100`,
      'is not undone by a marked receipt that says that the message is on its way': `
        ${sent}; text 5004; receipt 5004 ENROUTE -> duplicate; events = delivered`,
      'is corrected in one step if texts ended several parts: with the last of them': `
        accept 2 alpha; 1.1 accepted id=5004; text 5004 UNDELIVERABLE; 1.2 accepted id=5005; text 5005 UNDELIVERABLE
        receipt 5004; events = undelivered; receipt 5005; events = delivered; balance = 80`,
      'refunds nothing either if its answer comes after it (D1)': `
        accept alpha; text 5004 UNDELIVERABLE; restart; 1 accepted id=5004; events = undelivered; balance = 90`,
      'leaves the end to a marked receipt while it says that the message is on its way': `
        ${sent}; text 5004 ENROUTE; receipt 5004 UNDELIVERABLE -> matched; events = undelivered; balance = 100`,
      'ends a doubt by its numbers alone': `
        accept alpha; 1 in_doubt; text 5005 UNDELIVERABLE -> matched; events = undelivered; balance = 90`,
    },
    open,
  );
});

it('a text that looks like a receipt while the setting is off is a message, and counted for the proposal', async () => {
  await using store = await open();
  const text = write(store, ours, 'id:5004 stat:DELIVRD', { looksLikeReceipt: true });
  assert.deepEqual(await store.one(text), { ok: true, value: { became: 'message' } });
  store.now += 1_000;
  await store.one({ ...text, at: store.now, id: store.ownId(), octets: Buffer.from('\0i\0d'), sender: attacker });
  assert.deepEqual(await store.rows('select carrier, trait, seen, last_at, example from dialect'), [
    { carrier: 1, trait: 'unread', seen: 2, last_at: store.now, example: '' },
  ]);
});
