import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpAnswer, HttpClient } from '../support/clients/http-client.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, unitPrice, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Scheduling, canceling and the final events of messages, on real sockets. The clock of the gateway is advanced. */

const guest = sharedGateway();
const receiver = '+41791230001';
const other = '+41791230002';

/** The time in this many seconds, to the second. */
function inSeconds(tour: Tour, seconds: number): string {
  return `${new Date(tour.clock.now() + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function cancel(tour: Tour, messageId: string): Promise<HttpAnswer> {
  return tour.client.post('/sms/cancel', { auth: tour.token, messageId });
}

describe('the result of a message', () => {
  describe('a message with sendAt', () => {
    it('is charged at once, scheduled until its time, and goes then', async () => {
      await using tour = await guest();
      const sendAt = inSeconds(tour, 60);
      const msgId = await tour.accept({ receiver, sendAt, text: 'x'.repeat(161) });
      const report = await tour.report(msgId);
      assert.deepEqual([report['event'], report['sendTime']], ['scheduled', sendAt]);
      assert.ok(String(report['dlrTime']) < sendAt, 'when it was accepted');
      assert.equal(await tour.balance(), 99.985);
      tour.clock.advance(55_000);
      await tour.event(await tour.accept({ receiver: other }), 'delivered');
      assert.deepEqual(tour.submits(receiver), [], 'not before its time');
      tour.clock.advance(6_000);
      const end = await tour.event(msgId, 'delivered');
      assert.equal(end['sendTime'], sendAt);
      assert.ok(String(end['dlrTime']) >= sendAt);
      assert.equal(tour.submits(receiver).length, 2);
    });

    it('is canceled before it: refunded, and never sent', async () => {
      await using tour = await guest();
      const sendAt = inSeconds(tour, 60);
      const msgId = await tour.accept({ receiver, sendAt, text: 'x'.repeat(400) });
      const kept = await tour.accept({ receiver: other, sendAt });
      const canceled = await cancel(tour, msgId);
      assert.deepEqual([canceled.status, canceled.body['event'], canceled.body['numParts']], [200, 'canceled', 3]);
      assert.equal(await tour.balance(), 99.9925);
      assert.deepEqual((await cancel(tour, msgId)).body, canceled.body, 'once more, it is answered alike');
      tour.clock.advance(61_000);
      await tour.event(kept, 'delivered');
      assert.equal((await tour.report(msgId))['event'], 'canceled');
      assert.deepEqual(tour.submits(receiver), []);
      assert.equal(await tour.balance(), 99.9925);
    });

    it(
      'hundreds of them, due at one moment, go in the order in which they were scheduled',
      { timeout: 60_000 },
      async () => {
        await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', window: 100 }] });
        const client = new HttpClient(tour.gateway.httpPort, 50);
        // More than are read at once.
        const count = 600;
        const sendAt = inSeconds(tour, 600);
        const fields = { auth: tour.token, sender: 'Plan', text: 'x', dcs: 'GSM', sendAt };
        const answers = await Promise.all(
          Array.from({ length: count }, (_, index) =>
            client.post('/sms/send', { ...fields, receiver: `+4179${String(1_000_000 + index)}` }),
          ),
        );
        client.close();
        for (const answer of answers) assert.equal(answer.status, 200, answer.text);
        tour.clock.advance(600_000);
        const submitted = () => tour.journal.flatMap((entry) => (entry.event === 'submit' ? [entry.destination] : []));
        await waitUntil(
          () => `all are submitted, but ${submitted().length}`,
          () => submitted().length === count,
          30_000,
        );
        const planned = answers
          .map((answer, index) => ({
            id: Number(answer.body['msgId']),
            destination: `4179${String(1_000_000 + index)}`,
          }))
          .toSorted((a, b) => a.id - b.id);
        assert.deepEqual(
          submitted(),
          planned.map(({ destination }) => destination),
        );
        await waitUntil(
          'all are delivered',
          () => tour.journal.filter(({ event }) => event === 'receipt').length >= count,
        );
      },
    );
  });

  describe('a flash message', () => {
    it('goes with class 0 in its data coding', async () => {
      await using tour = await guest();
      for (const fields of [
        { receiver, flash: true },
        { receiver, flash: true, text: 'ж', dcs: 'UCS' },
        { receiver, flash: false },
      ]) {
        await tour.event(await tour.accept(fields), 'delivered');
      }
      assert.deepEqual(
        tour.submits(receiver).map((submit) => submit.data_coding),
        [0x10, 0x18, 0x00],
      );
    });
  });

  describe('canceling', () => {
    it('cancels and refunds a waiting message; a sent one is too late', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'slow', prefix: '41', port: carrier.port, window: 1 }] });
      await waitUntil('the link is bound', () => carrier.links === 1);
      const first = await tour.accept({ receiver });
      const second = await tour.accept({ receiver });
      const held = await carrier.submit(0);
      const early = await cancel(tour, first);
      assert.deepEqual([early.status, early.body['code'], early.body['event']], [409, 'too_late', 'queued']);
      assert.equal((await cancel(tour, second)).body['event'], 'canceled');
      held.respond(0, { message_id: '1' });
      await tour.event(first, 'sent');
      assert.deepEqual((await cancel(tour, first)).body['event'], 'sent');
      assert.equal(await tour.balance(), 99.9925);
      assert.equal(carrier.held.length, 1);
    });

    it(
      'hundreds at once while a slow carrier takes them: each is sent or canceled, never both, and the money adds up',
      {
        timeout: 120_000,
      },
      async () => {
        const count = 200;
        await using tour = await guest({
          carriers: [{ name: 'slow', prefix: '41', window: 3, throughput: 30, links: 2 }],
        });
        const client = new HttpClient(tour.gateway.httpPort, 50);
        const outcomes = await Promise.all(
          Array.from({ length: count }, async (_, index) => {
            const to = `+4179${String(1_000_000 + index)}`;
            const fields = { auth: tour.token, sender: 'Race', receiver: to, text: 'x', dcs: 'GSM' };
            const { body } = await client.post('/sms/send', fields);
            const messageId = String(body['msgId']);
            // Twice at one moment, like impatient clients.
            await sleep((index % 20) * 100);
            const asked = { auth: tour.token, messageId };
            const answers = await Promise.all([client.post('/sms/cancel', asked), client.post('/sms/cancel', asked)]);
            return { messageId, to, answers };
          }),
        );
        client.close();
        let delivered = 0;
        for (const { messageId, to, answers } of outcomes) {
          const answered = answers.map((answer) => answer.status);
          for (const each of answered) assert.ok(each === 200 || each === 409, String(each));
          const isCanceled = answered.includes(200);
          if (!isCanceled) delivered += 1;
          await tour.event(messageId, isCanceled ? 'canceled' : 'delivered', 30_000);
          assert.equal(tour.submits(to).length, isCanceled ? 0 : 1, to);
        }
        assert.ok(delivered > 0 && delivered < count, `${delivered} of ${count} went, so both sides were tried`);
        const stored = await tour.readStore((store) => ({
          balance: store.texts('select balance from account where name = ?', tour.account),
          refunds: store.count(
            "select count(*) from entry join account on account.id = account where kind = 'refund' and name = ?",
            tour.account,
          ),
        }));
        assert.equal(stored.refunds, count - delivered);
        assert.deepEqual(stored.balance, [String(100_000_000n - BigInt(delivered) * unitPrice)]);
      },
    );
  });

  describe("a carrier's own error code", () => {
    const vendor = '+41791239934';

    it('is a refusal for good', async () => {
      await using tour = await guest();
      await tour.event(await tour.accept({ receiver: vendor }), 'rejected');
      assert.equal(tour.submits(vendor).length, 1);
    });

    it('is what its profile says', async () => {
      await using tour = await guest({
        carriers: [{ name: 'own', prefix: '41', statusClasses: '0x410=temporary' }],
      });
      const msgId = await tour.accept({ receiver: vendor });
      await tour.clock.advanceUntil('it is tried again', () => tour.submits(vendor).length >= 2);
      assert.equal((await cancel(tour, msgId)).status, 200);
    });
  });
});
