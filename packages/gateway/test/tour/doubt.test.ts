import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alterStore } from '../support/store/store-file.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';

/* In doubt: octets given to the socket, no answer known (architecture.md, "The store"), on real sockets. */

const guest = sharedGateway();
/** At another gateway, for tests that restart it. */
const restarting = sharedGateway();
const ordinary = '+41791230002';

describe('a part in doubt', { concurrency: true }, () => {
  for (const lastDigits of ['9944', '9948'] as const) {
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

  for (const lastDigits of ['9954'] as const) {
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
});

/** Sends at the next start what waits for its delay. Returns how many parts are in doubt. */
function goesAgainNow(tour: Tour): Promise<number> {
  const delayMs = 31_000;
  const own = 'select message.id from message join account on account.id = account where name = ?';
  const change = `update part set deadline = deadline - ? where state = 'in_doubt' and message in (${own})`;
  return alterStore(tour.dataDir, change, delayMs, tour.account);
}
