import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HttpAnswer } from '../support/clients/http-client.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * Scheduling, canceling and the final events of messages, and carriers that do not accept a message, on real sockets.
 * These tests advance the gateway's clock. The tests of `state/decide` have all outcomes.
 */

const guest = sharedGateway();
const receiver = '+41791230001';
const other = '+41791230002';

/** The time `seconds` from now, without fractions of a second. */
function inSeconds(tour: Tour, seconds: number): string {
  return `${new Date(tour.clock.now() + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function cancel(tour: Tour, messageId: string): Promise<HttpAnswer> {
  return tour.client.post('/sms/cancel', { auth: tour.token, messageId });
}

describe('a message with sendAt', () => {
  it('is charged at once, and sent at its time; if canceled before, it is refunded and never sent', async () => {
    await using tour = await guest();
    const sendAt = inSeconds(tour, 60);
    const msgId = await tour.accept({ receiver, sendAt, text: 'x'.repeat(161) });
    const withdrawn = await tour.accept({ receiver: other, sendAt, text: 'x'.repeat(400) });
    const report = await tour.report(msgId);
    assert.deepEqual([report['event'], report['sendTime']], ['scheduled', sendAt]);
    assert.equal(await tour.balance(), 99.9625);
    const canceled = await cancel(tour, withdrawn);
    assert.deepEqual([canceled.status, canceled.body['event'], canceled.body['numParts']], [200, 'canceled', 3]);
    assert.deepEqual((await cancel(tour, withdrawn)).body, canceled.body, 'once more, it is answered alike');
    assert.equal(await tour.balance(), 99.985);
    tour.clock.advance(55_000);
    await tour.event(await tour.accept({ receiver: '+41791230003' }), 'delivered');
    assert.deepEqual(tour.submits(receiver), [], 'not before its time');
    tour.clock.advance(6_000);
    const end = await tour.event(msgId, 'delivered');
    assert.equal(end['sendTime'], sendAt);
    assert.ok(String(end['dlrTime']) >= sendAt);
    assert.deepEqual([tour.submits(receiver).length, tour.submits(other).length], [2, 0]);
  });
});

describe('canceling', () => {});

describe('a carrier that refuses', () => {
  it('a message for good: it is rejected at the first try, and refunded by default', async () => {
    await using tour = await guest();
    const refused = '+41791239930';
    const report = await tour.event(await tour.accept({ receiver: refused }), 'rejected');
    assert.equal(report['errorCode'], 'ESME_RINVDSTADR');
    assert.equal(tour.submits(refused).length, 1);
    assert.equal(await tour.balance(), 100);
  });

  it('parts because it is busy gets them again, in order, and no failed try is counted (S6)', async () => {
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
});

describe('a carrier without an answer', () => {
  it('that falls silent with a full window gets no further requests, and the link binds again', async () => {
    const window = 2;
    let unanswered = 0;
    const slow = { answerTimeoutMs: 300, enquireLinkMs: 300, backOffMaxMs: 1_000 };
    await using tour = await guest({
      carriers: [{ name: 'silent', prefix: '41', window, inDoubt: 'hold', ...slow }],
      simulator: {
        holdAnswer: (held) => {
          if (held.session !== 1) return false;
          held.lose();
          // The carrier answers no further request, not even enquire_link.
          if (++unanswered === window) held.end('silence');
          return true;
        },
      },
    });
    for (let count = 0; count < 8; count++) await tour.accept({ receiver: other });
    await waitUntil('it is bound anew', () => tour.simulator.counters.binds === 2);
    const sessions = tour.submits(other).map(({ session }) => session);
    assert.deepEqual(
      sessions.filter((session) => session === 1),
      [1, 1],
    );
  });
});
