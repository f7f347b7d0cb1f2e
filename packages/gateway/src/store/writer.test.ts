import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeCount } from '../core/base/message-id.ts';
import { eventOfReceipt } from '../core/message/receipt.ts';
import { carrierCommand } from '../../test/support/store/routing-commands.ts';
import { TestStore } from '../../test/support/store/store.ts';
import { opened, stories, tell } from '../../test/support/store/stories/story.ts';

describe('accepting', () => {
  stories({
    'charges the group in one entry, and answers each message with its own balance (M6)': `
      accept & accept 2 & accept -> 90 & 70 & 60
      rows entry kind=charge = 1; balance = 60`,
    'allows a balance down to the credit limit and not below it, and stores nothing of the refused (A2, M2)': `
      accept 5 & accept 4 & accept & accept -> 50 & 10 & 0 & insufficient_balance
      rows message = 3; balance = 0`,
  });

  it('answers internal_error to the failing command of a group only', async () => {
    await using store = await TestStore.open();
    await tell(store, 'accept & accept account=99 & accept -> 90 & internal_error & 80; balance = 80');
    assert.equal(store.faults.length, 1);
    assert.deepEqual(await store.moneyFaults(), []);
  });
});

describe('the queue', () => {
  stories({
    'gives out parts in order, with accounts in turn': `
      account bulk 1000
      accept account=2 & accept account=2 & accept account=2 & accept account=2 & accept & accept
      claim 4 -> 5.1 1.1 6.1 2.1; claim 4 -> 3.1 4.1; claim 4 ->`,
    'gets a throttled part back at its head, and counts no failed try (S6)': `
      accept & accept; claim 1 -> 1.1; 1 busy; claim 2 -> 1.1 2.1; part attempts = 2 1; part tries = 0 0`,
    'is never written for a part that is taken in the commit that accepts it': `
      accept alpha; rows queue = 0; states = claimed`,
    'that is full for one receiver keeps its part at the head three times, and then lets the others pass': `
      accept & accept
      claim 1 -> 1.1; 1 busy scope=message; claim 1 -> 1.1; 1 busy scope=message; claim 1 -> 1.1; 1 busy scope=message
      claim 1 -> 1.1; 1 busy scope=message; claim 1 -> 2.1; wait 6s; claim 1 -> 1.1`,
  });

  stories({});

  it('returns for each carrier of a group the time when the carrier’s next part is due', async () => {
    await using store = await TestStore.open();
    await store.one(carrierCommand({ at: store.now, name: 'beta' }));
    await tell(store, 'accept alpha; 1 temporary');
    const claim = { kind: 'claim', at: store.now, link: 1, lease: 1, isWhole: false, max: 1, up: [] } as const;
    const value = { parts: [], skipped: 0, left: null };
    assert.deepEqual(await store.apply({ ...claim, carrier: 1 }, { ...claim, carrier: 2 }), [
      { ok: true, value: { ...value, nextDue: await store.value('select due from queue') } },
      { ok: true, value: { ...value, nextDue: null } },
    ]);
  });

  it('reports parts that a claim skipped because of an outcome in its group, so that the next claim looks again', async () => {
    await using store = await opened('accept 2; claim 1');
    const { lease } = store;
    const refusal = store.outcome(1001, { lease, outcome: 'refused' });
    const by = { carrier: 1, link: 1, lease, isWhole: false };
    const [, claimed] = await store.apply(refusal, { kind: 'claim', at: store.now, ...by, up: [], max: 1 });
    assert.deepEqual(claimed, { ok: true, value: { parts: [], nextDue: null, skipped: 1, left: null } });
  });
});

const answered = 'accept alpha; 1 accepted id=a';

describe('receipts', () => {
  stories(
    Object.fromEntries(
      Object.entries(eventOfReceipt).map(([state, event]) => [
        `${state} makes ${event}`,
        `${answered}; receipt a ${state}; events = ${event}`,
      ]),
    ),
  );

  const matched = 'events = delivered; rows unmatched_receipt = 0';
  stories({
    'that come before the answer are kept as unmatched and matched, across a restart (D1)': `
      accept alpha; receipt a -> unmatched; restart; 1 accepted id=a; ${matched}`,
    'that come before the answer are matched, whatever else was stored and matched meanwhile (D1)': `
      accept alpha & accept alpha; receipt a; receipt b & 2 accepted id=b; 1 accepted id=a
      events = delivered delivered; rows unmatched_receipt = 0`,
    'change nothing when they come twice, or late (D4)': `
      accept alpha; 1 accepted id=a & receipt a; receipt a -> duplicate; receipt a ENROUTE -> duplicate
      receipt a UNDELIVERABLE; events = delivered`,
    'go to the newest message that is not final when a carrier repeats its id': `
      accept alpha; 1 accepted id=a; accept alpha; 2 accepted id=a
      receipt a; events = sent delivered; receipt a; events = delivered delivered`,
    'that cannot be read are kept as unmatched, whatever id they name': `
      ${answered}; receipt a unreadable; events = sent; rows unmatched_receipt = 1`,
    'correct an end that the gateway set without a receipt, once': `
      ${answered}; expire 80h; events = unknown; receipt a; events = delivered; receipt a EXPIRED; events = delivered`,
  });
});

describe('receipts and numbers', () => {
  const [third, fourth] = ['+41790000003', '+41790000004'];
  const sameId = `accept alpha receiver=${third}; accept alpha receiver=${fourth}; 1 accepted id=a; 2 accepted id=a`;
  stories({
    'a receipt goes to the message of its receiver when two have one id: the first': `
      ${sameId}; receipt a to=${third}; events = delivered sent`,
    'a receipt goes to the message of its receiver when two have one id: the second': `
      ${sameId}; receipt a to=${fourth}; events = sent delivered`,
    'a receipt of no number goes to the last message of its id': `
      ${sameId}; receipt a to=nobody; events = sent delivered`,
    'an unmatched receipt is not given to a message of another receiver, nor to one claimed after it came': `
      receipt a to=+41790000009; receipt b; wait 1s; accept alpha; accept alpha
      1 accepted id=a; 2 accepted id=b; events = sent sent; rows unmatched_receipt = 2`,
    'a message answered without an id is found by its numbers': `
      accept alpha; 1 accepted; receipt whatever; events = delivered; rows doubt = 0`,
    'a receipt whose source and destination are not swapped settles a doubt too': `
      accept alpha; 1 in_doubt; receipt x from=+41790000002 to=+41790000001; events = delivered`,
    'a doubt is not settled by a receipt that may be of a part in flight between the same numbers': `
      accept alpha; 1 in_doubt; accept alpha; receipt early; 2 accepted id=early; events = sent delivered`,
  });
});

describe('several parts', () => {
  stories({
    'are delivered when all of them are': `
      accept 2 alpha; 1.1 accepted id=a & 1.2 accepted id=b; receipt b; events = sent
      receipt a UNDELIVERABLE error=042; events = undelivered; errors = 042`,
    'one of which is refused for good are refunded, and those not sent yet are canceled': `
      accept 3; claim 1; 1 refused error=ESME_RINVDSTADR; states = rejected canceled canceled; events = rejected
      errors = ESME_RINVDSTADR; balance = 100; rows queue = 0`,
    'one of which is refused for good are refunded, with those that come back unsent later': `
      accept 3 alpha; 1.1 refused; 1.2 busy; 1.3 temporary; states = rejected canceled canceled; events = rejected
      balance = 100; claim ->`,
    'never share a reference with the next long message between the same numbers': `
      accept 2 & accept 2; restart; accept 2
      rows message reference=233 = 1; rows message reference=234 = 1; rows message reference=235 = 1`,
  });
});

function doubted(policy: string): string {
  return `carrier beta inDoubt=${policy}; route beta; accept beta; 1 in_doubt; states = in_doubt; events = sent`;
}

describe('parts in doubt', () => {
  const again = 'wait 30s; expire; states = queued; events = sent; claim beta 1 -> 1.1';
  stories({
    'are sent again after a delay under resend, and count as sent meanwhile': `
      ${doubted('resend')}; ${again}; part attempts = 2`,
    'are sent again twice at most, later each time, and then held': `
      ${doubted('resend')}; ${again}; 1 in_doubt; wait 30s; expire; claim beta 1 ->; wait 90s; expire
      states = in_doubt; expire 1h; states = in_doubt`,
    'whose second attempt is refused stay in doubt, and the receipt of the first still counts': `
      ${doubted('resend')}; ${again}; 1 refused scope=carrier error=X; states = in_doubt; errors = -
      receipt first by=beta; events = delivered`,
    'that are delivered before their second attempt is refused stay delivered, without an error': `
      ${doubted('resend')}; ${again}; 1 accepted attempt=1 id=a; receipt a by=beta
      1 refused attempt=2 scope=carrier error=X; events = delivered; errors = -`,
    'are settled by a late refusal, too, and then the refund is certain': `
      ${doubted('hold')}; 1 refused; events = rejected; balance = 100`,
    'wait for a receipt under hold, until the end of the wait, and are not refunded': `
      ${doubted('hold')}; expire 72h; states = in_doubt; expire 73h; events = unknown; balance = 90`,
    'end as unknown under fail': `
      carrier beta inDoubt=fail; accept beta; 1 in_doubt; events = unknown; rows doubt = 0`,
    'are settled by the late answer': `
      ${doubted('resend')}; 1 accepted id=a; states = sent; receipt a by=beta; events = delivered; rows doubt = 0`,
    'are settled by a receipt with an unknown id and their numbers, if no other part fits': `
      ${doubted('hold')}; receipt never by=beta; events = delivered; rows note kind=matched-in-doubt = 1`,
    'are settled by it once, even if it comes twice in one group': `
      ${doubted('hold')}; receipt never by=beta & receipt never by=beta -> matched & duplicate
      rows unmatched_receipt = 0`,
    'are left alone by such a receipt if two parts fit': `
      ${doubted('hold')}; accept beta; 2 in_doubt; receipt never by=beta -> unmatched; events = sent sent`,
  });

  it('are left by a crash in claims without an answer; the old lease no longer counts (S4)', async () => {
    await using store = await opened('accept alpha & accept; restart');
    const { lease } = store;
    const begun = await store.one<'begin'>({ kind: 'begin', at: store.now });
    const lastMessageId = begun.ok ? begun.value.lastMessageId : 0;
    assert.ok(lastMessageId >= 1002);
    const ids = { node: lease % nodeCount, lease: lease + nodeCount, lastMessageId };
    assert.deepEqual(begun, { ok: true, value: { ...ids, inDoubt: 1, seenAt: store.now, untrustedFrom: null } });
    await store.one(store.outcome(1002, { lease }));
    await tell(store, 'states = in_doubt queued');
  });
});
