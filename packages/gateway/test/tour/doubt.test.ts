import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alterStore } from '../support/store/store-file.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';

/* Parts in doubt, which were written to the socket but not answered (architecture.md, "The store"), on real sockets. */

/** Makes a guest. All guests restart their gateway together. */
const guest = sharedGateway();

interface Case {
  readonly inDoubt: 'hold' | 'resend' | 'fail';
  readonly lastDigits: string;
  /** The message's event before and after a restart, at which the delay of the part in doubt is over. */
  readonly events: readonly [string, string];
  readonly submits: number;
  readonly note: RegExp;
}

const cases: readonly Case[] = [
  { inDoubt: 'hold', lastDigits: '9944', events: ['sent', 'sent'], submits: 1, note: /^[^]*$/ },
  { inDoubt: 'fail', lastDigits: '9944', events: ['unknown', 'unknown'], submits: 1, note: /^[^]*$/ },
  { inDoubt: 'resend', lastDigits: '9954', events: ['sent', 'delivered'], submits: 2, note: /possible duplicate/ },
];

describe('a part in doubt', { concurrency: true }, () => {
  for (const { inDoubt, lastDigits, events, submits, note } of cases) {
    it(`under ${inDoubt} is ${events.join(', and then ')}, and charged once (S5)`, async () => {
      await using tour = await guest({ carriers: [{ name: inDoubt, prefix: '41', inDoubt }] });
      const receiver = `+4179123${lastDigits}`;
      const msgId = await tour.accept({ receiver });
      await tour.event(msgId, events[0]);
      await tour.restart(async () => assert.equal(await goesAgainNow(tour), inDoubt === 'fail' ? 0 : 1));
      await tour.event(await tour.accept({ receiver: '+41791230002' }), 'delivered');
      await tour.event(msgId, events[1]);
      assert.equal(tour.submits(receiver).length, submits);
      assert.equal(await tour.balance(), 99.985, 'what is in doubt is not refunded');
      const notes = await tour.readStore((store) => store.texts(`select detail from note where message = ${msgId}`));
      assert.match(notes.join(' '), note);
    });
  }

  it('is settled by a receipt with an unknown id but the right numbers, over the next connection', async () => {
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

/** Lets parts in doubt be sent again at the next start, without their delay. Returns the number of parts in doubt. */
function goesAgainNow(tour: Tour): Promise<number> {
  const delayMs = 31_000;
  const own = 'select message.id from message join account on account.id = account where name = ?';
  const change = `update part set deadline = deadline - ? where state = 'in_doubt' and message in (${own})`;
  return alterStore(tour.dataDir, change, delayMs, tour.account);
}
