import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Carriers that do not accept a message, on real sockets. The clock of the gateway is advanced. */

const guest = sharedGateway();
/** At another gateway, for tests that restart it. */
const restarting = sharedGateway();
const receiver = '+41791230001';
const ordinary = '+41791230002';

describe('a carrier', () => {
  describe('a carrier that refuses', () => {
    for (const [lastDigits, errorCode] of [
      ['9930', 'ESME_RINVDSTADR'],
      ['9949', 'ESME_RINVCMDID'],
    ] as const) {
      it(`for good, with ${errorCode}: rejected at the first try, and refunded by default`, async () => {
        await using tour = await guest();
        const msgId = await tour.accept({ receiver: `+4179123${lastDigits}` });
        const report = await tour.event(msgId, 'rejected');
        assert.equal(report['errorCode'], errorCode);
        assert.equal(tour.submits(`+4179123${lastDigits}`).length, 1);
        assert.equal(await tour.balance(), 100);
      });
    }

    it('the first part of three: it is refunded, and the others are canceled, refunded and never sent', async () => {
      await using tour = await guest({ carriers: [{ name: 'narrow', prefix: '41', window: 1 }] });
      const msgId = await tour.accept({ receiver: '+41791239930', text: 'x'.repeat(400) });
      const report = await tour.event(msgId, 'rejected');
      await waitUntil('three refunds', async () => (await tour.balance()) === 100);
      assert.ok(Array.isArray(report['parts']));
      // A later message has gone: nothing of this one is left in the queue.
      await tour.event(await tour.accept({ receiver: ordinary }), 'delivered');
      assert.equal(tour.submits('+41791239930').length, 1);
      const states = await tour.readStore((store) =>
        store.texts(`select state from part where message = ${msgId} order by number`),
      );
      assert.deepEqual(states, ['rejected', 'canceled', 'canceled']);
    });
  });

  describe('a carrier that falls silent', () => {
    it('with a full window gets no second one, and is bound again', async () => {
      const window = 2;
      let unanswered = 0;
      const slow = { answerTimeoutMs: 300, enquireLinkMs: 300, backOffMaxMs: 1_000 };
      await using tour = await guest({
        carriers: [{ name: 'silent', prefix: '41', window, inDoubt: 'hold', ...slow }],
        simulator: {
          holdAnswer: (held) => {
            if (held.session !== 1) return false;
            held.lose();
            // It answers nothing more, not even an enquire_link.
            if (++unanswered === window) held.end('silence');
            return true;
          },
        },
      });
      for (let count = 0; count < 8; count++) await tour.accept({ receiver: ordinary });
      await waitUntil('it is bound anew', () => tour.simulator.counters.binds === 2);
      const sessions = tour.submits(ordinary).map(({ session }) => session);
      assert.deepEqual(
        sessions.filter((session) => session === 1),
        [1, 1],
      );
    });
  });

  describe('a carrier that is busy', () => {
    it('gets its parts again, in order, and no failed try is counted (S6)', async () => {
      await using tour = await guest({ carriers: [{ name: 'narrow', prefix: '41', window: 1 }] });
      const throttled = '+41791239933';
      const behind = [1, 2, 3].map((place) => `+4179123000${place}`);
      const messages: string[] = [];
      for (const each of [throttled, ...behind]) messages.push(await tour.accept({ receiver: each }));
      for (const msgId of messages) await tour.event(msgId, 'delivered');
      const order = tour.journal.flatMap((entry) => (entry.event === 'submit' ? [`+${entry.destination}`] : []));
      assert.deepEqual(order, [throttled, throttled, throttled, throttled, ...behind]);
      const tries = await tour.readStore((store) =>
        store.texts(`select tries from part where message in (${messages.join()})`),
      );
      assert.deepEqual(tries, ['0', '0', '0', '0']);
    });

    it('for one part only gets that one again before those that wait behind it (S6)', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'two', prefix: '41', port: carrier.port, window: 2 }] });
      await waitUntil('the link is bound', () => carrier.links === 1);
      for (const place of [1, 2, 3]) await tour.accept({ receiver: `+4179123000${place}` });
      const [first, second] = [await carrier.submit(0), await carrier.submit(1)];
      // Both answers in one read.
      first.respond(0, { message_id: 'first' });
      second.respond(statuses.ESME_RTHROTTLED);
      const [third, fourth] = [await carrier.submit(2), await carrier.submit(3)];
      third.respond(0, { message_id: 'third' });
      fourth.respond(0, { message_id: 'fourth' });
      assert.deepEqual(
        [third, fourth].map(({ pdu }) => pdu.destination_addr),
        ['41791230002', '41791230003'],
      );
    });

    it('for the moment gets each part again after its delay, however many others fail meanwhile', async () => {
      const tries: { readonly to: string; readonly at: number }[] = [];
      await using tour: Tour = await guest({
        onEntry: (entry) => {
          if (entry.event === 'submit') tries.push({ to: `+${entry.destination}`, at: tour.clock.now() });
        },
      });
      const failing = [1, 2, 3].map((place) => `+417912${place}9939`);
      const triesOf = (receiverOf: string) => tries.filter(({ to }) => to === receiverOf);
      for (const each of failing) {
        await tour.accept({ receiver: each });
        await waitUntil('it is tried', () => triesOf(each).length === 1);
        tour.clock.advance(1_200);
      }
      const areAllTriedAgain = () => failing.every((each) => triesOf(each).length === 2);
      await tour.clock.advanceUntil('all are tried again', areAllTriedAgain, 100);
      for (const each of failing) {
        const [first, second] = triesOf(each);
        assert.ok(first && second);
        const waitedMs = second.at - first.at;
        assert.ok(waitedMs >= 4_900 && waitedMs < 9_000, `${waitedMs} ms and not five seconds and a fifth`);
      }
    });

    it('is waited for at a stop; answered requests are not in doubt (P2)', async () => {
      await using tour = await Tour.open({ carriers: [{ name: 'slow', prefix: '41' }] });
      await tour.accept({ receiver: '+41791239940' });
      await waitUntil('it is submitted', () => tour.submits('+41791239940').length === 1);
      const outcomes = await tour.readStore((store) => store.texts('select outcome from attempt'));
      assert.deepEqual(outcomes, ['accepted']);
    });
  });

  describe('an unreachable carrier', () => {
    it('lets the validity run out: expired, and refunded because it was never sent', async () => {
      await using tour = await guest({ carriers: [{ name: 'down', prefix: '41', port: await closedPort() }] });
      const msgId = await tour.accept({ receiver, text: 'x'.repeat(161), validity: 60 });
      assert.equal((await tour.report(msgId))['event'], 'queued');
      tour.clock.advance(61_000);
      await tour.event(msgId, 'expired');
      assert.equal(await tour.balance(), 100);
    });

    it('comes back, and gets waiting messages, in order, over a restart', async () => {
      const port = await closedPort();
      await using tour = await restarting({ carriers: [{ name: 'back', prefix: '41', port }] });
      const receivers = [1, 2, 3].map((place) => `+4179123000${place}`);
      for (const each of receivers) await tour.accept({ receiver: each });
      await tour.restart();
      await using carrier = await ScriptedCarrier.open({ port });
      await carrier.submit(2);
      assert.deepEqual(
        carrier.held.map(({ pdu }) => `+${pdu.destination_addr}`),
        receivers,
      );
      for (const { respond } of carrier.held) respond(0, { message_id: 'id' });
    });
  });

  describe('a carrier without a receipt', () => {
    it('makes the message unknown at the end of the wait; a later receipt corrects that, once (A3, A4)', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'mute', prefix: '41', port: carrier.port }] });
      await waitUntil('the link is bound', () => carrier.links === 1);
      const msgId = await tour.accept({ receiver });
      const { pdu, respond } = await carrier.submit(0);
      respond(0, { message_id: '77' });
      await tour.event(msgId, 'sent');
      tour.clock.advance(5 * 24 * 3_600_000);
      await tour.event(msgId, 'unknown');
      assert.equal(await tour.balance(), 99.9925);
      await carrier.session().request(receiptFor(pdu, '77'));
      await tour.event(msgId, 'delivered');
      await carrier.session().request(receiptFor(pdu, '77', 'UNDELIVERABLE'));
      assert.equal((await tour.report(msgId))['event'], 'delivered');
    });
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address === null || typeof address === 'string' ? 1 : address.port;
}
