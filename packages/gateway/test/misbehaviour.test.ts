import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAGIC } from '@morsel/smpp';
import { Tour } from './tour.ts';
import { waitUntil } from './wait-until.ts';

/*
 * The simulator errs in every way it knows (smpp-in-the-wild, 1 to 24), each in the middle of ordinary traffic over one link
 * with a window, and the promises are looked at from outside: in its journal, in the reports, and in the store (tour.ts
 * asks for M1 to M3, A1, A5 and S3 at the end of each).
 */

const ordinary = '+41791230001';
const ordinaryCount = 12;
const unitPrice = 0.0075;

/** What becomes of the message that meets it, where it is not delivered. */
const events: { readonly [suffix: string]: string } = {
  '9902': 'undelivered',
  '9903': 'expired',
  '9904': 'rejected',
  '9905': 'undelivered',
  '9906': 'unknown',
  '9907': 'undelivered',
  '9908': 'undelivered',
  '9912': 'sent',
  '9915': 'sent',
  '9926': 'rejected',
  '9928': 'undelivered',
  '9930': 'rejected',
  '9931': 'queued',
  '9932': 'queued',
  '9934': 'rejected',
  '9935': 'rejected',
  '9936': 'rejected',
  '9937': 'queued',
  '9939': 'queued',
  '9942': 'sent',
  '9944': 'sent',
  '9945': 'sent',
  '9948': 'sent',
  '9949': 'rejected',
  '9952': 'sent',
  '9953': 'rejected',
  '9954': 'sent',
  '9955': 'sent',
  '9956': 'rejected',
  '9959': 'sent',
  '9973': 'sent',
  '9974': 'sent',
  '9976': 'sent',
  '9977': 'sent',
  '9978': 'sent',
  '9979': 'sent',
  '9980': 'sent',
  '9990': 'undelivered',
  '9991': 'undelivered',
  '9992': 'undelivered',
};

/** Waits that the link or the part has to sit out until others go on. */
const slow: { readonly [suffix: string]: number } = { '9932': 12_000, '9933': 8_000, '9938': 8_000 };
const quietMs = 1_500;

/** They take down the link with a window of others: those are in doubt, and held. */
const takesOthersAlong = new Set(['9976', '9977', '9978']);

/** Ids that the answer and the receipt spell differently. */
const needsLearning = new Set(['9916', '9917', '9984', '9989']);

/** One link that gives up soon on what is not answered, and holds what is in doubt, so that nothing goes twice. */
const carrier = {
  name: 'wild',
  prefix: '41',
  window: 5,
  inDoubt: 'hold',
  answerTimeoutMs: 400,
  enquireLinkMs: 300,
  backOffMinMs: 20,
  backOffMaxMs: 100,
};

describe('a carrier that errs in one way', { concurrency: 8 }, () => {
  for (const [suffix, { about, inbound }] of Object.entries(MAGIC)) {
    it(`${suffix}: ${about}`, { timeout: 120_000 }, async () => {
      const own = needsLearning.has(suffix) ? { idRule: 'auto', answerTimeoutMs: 5_000 } : { idRule: 'same' };
      await using tour = await Tour.open({
        carriers: [{ ...carrier, ...own }],
        simulator: { receiptDelayMs: 20 },
      });
      const wild = `+4179123${suffix}`;
      const others: string[] = [];
      let wildId = '';
      for (let number = 1; number <= ordinaryCount; number++) {
        others.push(await tour.accept({ receiver: ordinary, text: `number ${number}` }));
        if (number === ordinaryCount / 2) wildId = await tour.accept({ receiver: wild });
      }
      await settle(tour, {
        ids: [...others, wildId],
        quietMs: slow[suffix] ?? (needsLearning.has(suffix) ? 4_000 : quietMs),
      });

      const mayBe = takesOthersAlong.has(suffix) ? ['delivered', 'sent'] : ['delivered'];
      for (const id of others) assert.ok(mayBe.includes(String((await tour.report(id))['event'])), `another, ${id}`);
      assert.equal((await tour.report(wildId))['event'], events[suffix] ?? 'delivered');
      assert.equal(await tour.balance(), 100 - (ordinaryCount + 1) * unitPrice, 'M3: one charge each, and no refund');

      const texts = tour.submits(ordinary).map(({ text }) => Number(text?.split(' ')[1]));
      assert.deepEqual(
        texts,
        texts.toSorted((one, other) => one - other),
        'S6: in order for one account and receiver',
      );
      const accepted = tour
        .submits(wild)
        .filter(({ command_status, message_id }) => command_status === 0 && message_id);
      assert.ok(accepted.length <= 1, `S5: accepted ${accepted.length} times`);

      const inboundRows = await tour.readStore(
        (store) => store.count('select count(*) from inbound') + store.count('select count(*) from inbound_part'),
      );
      if (inbound === undefined) assert.equal(inboundRows, 0, 'O4: a receipt is no message');
      else assert.ok(inboundRows > 0, 'O1: what was acknowledged is kept');
    });
  }
});

/** Waits until nothing changes any more, though everybody has had the time to answer, bind again and bring receipts. */
async function settle(tour: Tour, { ids, quietMs: wait }: { ids: readonly string[]; quietMs: number }): Promise<void> {
  let before = '';
  let since = performance.now();
  await waitUntil(
    'nothing changes any more',
    async () => {
      const reports = await Promise.all(ids.map((id) => tour.report(id)));
      const now = reports.map((report) => report['event']).join(' ');
      if (now !== before) since = performance.now();
      before = now;
      return reports.every(({ event }) => event === 'delivered') || performance.now() - since > wait;
    },
    100_000,
  );
}
