import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiptFor, ScriptedCarrier } from '../support/scripted-carrier.ts';
import { alterStore } from '../support/store-file.ts';
import { sharedGateway, type Tour } from '../support/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* In doubt: octets given to the socket, no answer known (architecture.md, "The store"), on real sockets. */

const guest = sharedGateway();
/** At another gateway, for tests that restart it. */
const restarting = sharedGateway();
const receiver = '+41791230001';
const ordinary = '+41791230002';

describe('a part in doubt', { concurrency: true }, () => {
  for (const lastDigits of ['9944', '9945', '9948'] as const) {
    it(`under hold stays as it is, and is not sent again (${lastDigits})`, async () => {
      await using tour = await restarting({ carriers: [{ name: 'hold', prefix: '41', inDoubt: 'hold' }] });
      const inDoubt = `+4179123${lastDigits}`;
      const msgId = await tour.accept({ receiver: inDoubt });
      await tour.event(msgId, 'sent');
      await tour.restart(async () => assert.equal(await goesAgainNow(tour), 1));
      await tour.event(await tour.accept({ receiver: ordinary }), 'delivered');
      assert.equal((await tour.report(msgId))['event'], 'sent');
      assert.equal(tour.submits(inDoubt).length, 1);
      assert.equal(await tour.balance(), 99.985, 'what is in doubt is not refunded');
      const counted = await tour.readStore((store) =>
        store.count(`select count(*) from doubt where message = ${msgId}`),
      );
      assert.equal(counted, 1);
    });
  }

  it('under fail is unknown, and not refunded', async () => {
    await using tour = await guest({ carriers: [{ name: 'fail', prefix: '41', inDoubt: 'fail' }] });
    const msgId = await tour.accept({ receiver: '+41791239944' });
    await tour.event(msgId, 'unknown');
    assert.equal(await tour.balance(), 99.9925);
  });

  for (const lastDigits of ['9954', '9955'] as const) {
    it(`under resend goes again after a delay, noted as a possible duplicate (${lastDigits}, S5)`, async () => {
      await using tour = await restarting({ carriers: [{ name: 'resend', prefix: '41', inDoubt: 'resend' }] });
      const inDoubt = `+4179123${lastDigits}`;
      const msgId = await tour.accept({ receiver: inDoubt });
      await tour.event(msgId, 'sent');
      await tour.restart(async () => assert.equal(await goesAgainNow(tour), 1));
      await tour.event(msgId, 'delivered');
      assert.equal(tour.submits(inDoubt).length, 2);
      assert.equal(await tour.balance(), 99.9925, 'charged once');
      const notes = await tour.readStore((store) => store.texts(`select detail from note where message = ${msgId}`));
      assert.match(notes.join(' '), /possible duplicate/);
    });
  }

  it('is in no doubt if the whole answer came before the end of the connection', async () => {
    await using tour = await guest({ carriers: [{ name: 'hold', prefix: '41', inDoubt: 'hold' }] });
    const msgId = await tour.accept({ receiver: '+41791239946' });
    await tour.event(msgId, 'delivered');
    assert.equal(
      await tour.readStore((store) => store.count(`select sum(in_doubt) from part where message = ${msgId}`)),
      0,
    );
  });

  it('is settled by a receipt with an unknown id and its numbers, over the next connection', async () => {
    await using tour = await guest({ carriers: [{ name: 'hold', prefix: '41', inDoubt: 'hold' }] });
    const msgId = await tour.accept({ receiver: '+41791239947' });
    await tour.event(msgId, 'delivered');
    assert.equal(tour.submits('+41791239947').length, 1);
    const left = await tour.readStore((store) => [
      store.count(`select sum(in_doubt) from part where message = ${msgId}`),
      store.count(`select count(*) from doubt where message = ${msgId}`),
      store.count("select count(*) from unmatched_receipt where receiver = '+41791239947'"),
    ]);
    assert.deepEqual(left, [1, 0, 0]);
  });

  it('is settled by a receipt that came before the doubt, and was unmatched until then (D1)', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await guest({
      carriers: [{ name: 'hold', prefix: '41', port: carrier.port, inDoubt: 'hold' }],
    });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const msgId = await tour.accept({ receiver });
    const { pdu, session } = await carrier.submit(0);
    const early = await session.request(receiptFor(pdu, 'early'));
    assert.equal(early.kind === 'answered' && early.pdu.command_status, 0);
    session.destroy();
    await tour.event(msgId, 'delivered', 5_000);
  });

  it('of a long message is settled by one receipt for each part, and nothing is sent again', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await restarting({
      carriers: [{ name: 'resend', prefix: '41', port: carrier.port, inDoubt: 'resend', window: 3 }],
    });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const msgId = await tour.accept({ receiver, text: 'long '.repeat(150) });
    const { session } = await carrier.submit(2);
    session.destroy();
    // The two unsent parts follow, in flight while the receipts of the first three come.
    const last = await carrier.submit(4);
    for (const [place, { pdu }] of carrier.held.entries()) {
      if (place < 3) await carrier.session().request(receiptFor(pdu, `unknown-${3 - place}`));
    }
    for (const [place, { respond }] of carrier.held.entries()) respond(0, { message_id: `known-${place}` });
    for (const place of [3, 4]) await last.session.request(receiptFor(last.pdu, `known-${place}`));
    await tour.event(msgId, 'delivered', 5_000);
    await tour.restart(() => goesAgainNow(tour));
    await waitUntil('the link is bound again', () => carrier.links === 1);
    await tour.event(msgId, 'delivered');
    assert.equal(carrier.held.length, 5);
  });

  it('is not settled by such a receipt if it fits two parts', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await guest({
      carriers: [{ name: 'hold', prefix: '41', port: carrier.port, inDoubt: 'hold' }],
    });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const messages = [await tour.accept({ receiver }), await tour.accept({ receiver })];
    const { pdu, session } = await carrier.submit(1);
    session.destroy();
    for (const msgId of messages) await tour.event(msgId, 'sent');
    await waitUntil('the link is bound again', () => carrier.links === 1);
    const answer = await carrier.session().request(receiptFor(pdu, 'whose?'));
    assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0);
    for (const msgId of messages) assert.equal((await tour.report(msgId))['event'], 'sent');
    assert.equal(
      await tour.readStore((store) =>
        store.count("select count(*) from unmatched_receipt where carrier_id = 'whose?'"),
      ),
      1,
    );
  });
});

/** Sends at the next start what waits for its delay. Returns how many parts are in doubt. */
function goesAgainNow(tour: Tour): Promise<number> {
  const delayMs = 31_000;
  const own = 'select message.id from message join account on account.id = account where name = ?';
  const change = `update part set deadline = deadline - ? where state = 'in_doubt' and message in (${own})`;
  return alterStore(tour.dataDir, change, delayMs, tour.account);
}
