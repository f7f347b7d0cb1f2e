import assert from 'node:assert/strict';
import { it } from 'node:test';
import { alterStore } from '../support/store/store-file.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';

/* Parts in doubt, which were written to the socket but not answered (architecture.md, "The store"), on real sockets. */

const guest = sharedGateway();

/** The last digits of the receiver, the event before and after a restart, at which the delay of a doubt is over, and how often the part is sent. */
const cases = [
  ['hold', '9944', 'sent', 'sent', 1],
  ['fail', '9944', 'unknown', 'unknown', 1],
  ['resend', '9954', 'sent', 'delivered', 2],
] as const;

it('a part in doubt is held, given up or sent again, as its carrier is set, and charged once (S5)', async () => {
  await using opened = new AsyncDisposableStack();
  const tours: { readonly tour: Tour; readonly msgId: string }[] = [];
  for (const [inDoubt, digits, first] of cases) {
    const tour = opened.use(await guest({ carriers: [{ name: inDoubt, prefix: '41', inDoubt }] }));
    const msgId = await tour.accept({ receiver: `+4179123${digits}` });
    await tour.event(msgId, first);
    tours.push({ tour, msgId });
  }
  await tours[0]?.tour.restart(async () => {
    for (const [at, { tour }] of tours.entries())
      assert.equal(await goesAgainNow(tour), cases[at]?.[0] === 'fail' ? 0 : 1);
  });
  for (const [at, [inDoubt, digits, , last, submits]] of cases.entries()) {
    const { tour, msgId } = tours[at] ?? assert.fail('it is sent');
    await tour.event(await tour.accept({ receiver: '+41791230002' }), 'delivered');
    await tour.event(msgId, last);
    assert.equal(tour.submits(`+4179123${digits}`).length, submits, inDoubt);
    assert.equal(await tour.balance(), 99.985, 'what is in doubt is not refunded');
    const notes = await tour.readStore((store) => store.texts(`select detail from note where message = ${msgId}`));
    assert.equal(/possible duplicate/.test(notes.join(' ')), inDoubt === 'resend');
  }
});

/** Lets parts in doubt be sent again at the next start, without their delay. Returns the number of parts in doubt. */
function goesAgainNow(tour: Tour): Promise<number> {
  const delayMs = 31_000;
  const own = 'select message.id from message join account on account.id = account where name = ?';
  const change = `update part set deadline = deadline - ? where state = 'in_doubt' and message in (${own})`;
  return alterStore(tour.dataDir, change, delayMs, tour.account);
}
