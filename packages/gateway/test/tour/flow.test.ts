import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import type { ShownCarrier } from '../../src/edge/admin/carrier-rows.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';

/* Links under load, with throttling carriers and with commands of the operator, on real sockets. */

const guest = sharedGateway();

/** Runs an operation as the operator's API does. */
async function operate(
  tour: Tour,
  verb: 'show' | 'pause' | 'resume' | 'drain' | 'rebind',
  fields: Readonly<Record<string, string>> = {},
) {
  const carrier = tour.carrierName('alpha');
  return done(await tour.operator.carrier[verb]({ carrier, ...fields }));
}

async function link(tour: Tour, number = 1): Promise<ShownCarrier['linkStates'][number]> {
  const state = (await operate(tour, 'show')).linkStates[number - 1];
  assert.ok(state);
  return state;
}

/** A carrier that accepts all messages, each after `answerMs`, and notes when it came. */
async function openPaced(answerMs: number) {
  const takenAt: number[] = [];
  const carrier = await ScriptedCarrier.open({
    onSubmit: ({ respond }) => {
      const id = String(takenAt.push(performance.now()));
      setTimeout(() => respond(0, { message_id: id }), answerMs);
    },
  });
  return { carrier, takenAt, [Symbol.asyncDispose]: () => carrier.close() };
}

/** Opens a guest of the gateway that the tests of this file share. */
function opened(carrier: ScriptedCarrier, more: Record<string, number> = {}) {
  return boundTour(guest, carrier, more);
}

/** Opens a new gateway, which the test may stop, and whose store it may read. */
function alone(carrier: ScriptedCarrier, more: Record<string, number> = {}) {
  return boundTour((options) => Tour.open(options), carrier, more);
}

async function boundTour(open: typeof guest, carrier: ScriptedCarrier, more: Record<string, number>) {
  const tour = await open({
    account: { balance: '1000' },
    carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, ...more }],
  });
  await waitUntil('the links are bound', () => carrier.links === (more['links'] ?? 1));
  return tour;
}

/** Sends `count` messages to a few receivers at the same time. For each, `number` is in the order of acceptance. */
async function sendMany(tour: Tour, count: number, receivers = 5): Promise<void> {
  const lanes = Array.from({ length: receivers }, async (_each, lane) => {
    for (let at = lane; at < count; at += receivers) await tour.accept({ receiver: receiverOf(lane), text: `${at}` });
  });
  await Promise.all(lanes);
}

/** SQL for the ids of all messages of an account, by the account's name. */
const ownMessages = 'select message.id from message join account on account.id = account where name = ?';

function receiverOf(lane: number): string {
  return `+4179123${String(1_000 + lane)}`;
}

describe('links', { concurrency: true }, () => {
  it('gives a busy carrier its parts again, in order, and counts no failed try (S6)', async () => {
    await using tour = await guest({ carriers: [{ name: 'narrow', prefix: '41', window: 1 }] });
    const throttled = '+41791239933';
    const behind = [1, 2, 3].map(receiverOf);
    const messages: string[] = [];
    for (const receiver of [throttled, ...behind]) messages.push(await tour.accept({ receiver }));
    for (const msgId of messages) await tour.event(msgId, 'delivered');
    const order = tour.journal.flatMap((entry) => (entry.event === 'submit' ? [`+${entry.destination}`] : []));
    assert.deepEqual(order, [throttled, throttled, throttled, throttled, ...behind]);
    const sql = `select distinct tries from part where message in (${messages.join()})`;
    assert.deepEqual(await tour.readStore((store) => store.texts(sql)), ['0']);
  });

  describe('the operator', { concurrency: true }, () => {
    it('pauses a carrier: its links stay bound for receipts, bind again when they end, and send nothing until resume', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await opened(carrier);
      const msgId = await tour.accept({ receiver: receiverOf(1) });
      const { pdu, respond } = await carrier.submit(0);
      respond(0, { message_id: '77' });
      await tour.event(msgId, 'sent');
      assert.equal((await operate(tour, 'pause')).status, 'paused');
      const waiting = await tour.accept({ receiver: receiverOf(2) });
      carrier.session().destroy();
      await waitUntil('it is bound again', () => carrier.links === 1);
      await carrier.session().request(receiptFor(pdu, '77'));
      await tour.event(msgId, 'delivered');
      assert.equal(carrier.held.length, 1);
      assert.equal((await tour.report(waiting))['event'], 'queued');
      await operate(tour, 'resume');
      (await carrier.submit(1)).respond(0, { message_id: '78' });
      await tour.event(waiting, 'sent');
    });

    it('drains a carrier: open requests are answered, the links stay down over a restart, and resume binds them', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await alone(carrier, { links: 2 });
      const msgId = await tour.accept({ receiver: receiverOf(1) });
      const held = await carrier.submit(0);
      const draining = operate(tour, 'drain');
      await waitUntil('it drains', async () =>
        (await operate(tour, 'show')).linkStates.some((each) => each.state === 'draining'),
      );
      const waiting = await tour.accept({ receiver: receiverOf(2) });
      held.respond(0, { message_id: '77' });
      const drained = await draining;
      assert.equal(drained.status, 'drained');
      assert.deepEqual(
        drained.linkStates.map(({ state }) => state),
        ['stopped', 'stopped'],
      );
      await tour.event(msgId, 'sent');
      await tour.restart();
      assert.deepEqual(
        (await operate(tour, 'show')).linkStates.map(({ state }) => state),
        ['stopped', 'stopped'],
      );
      assert.equal(carrier.links, 0);
      assert.equal((await tour.report(waiting))['event'], 'queued');
      await operate(tour, 'resume');
      (await carrier.submit(1)).respond(0, { message_id: '78' });
      await tour.event(waiting, 'sent');
    });

    it('rebinds one link after the other under load: no message is lost or sent twice', async () => {
      await using paced = await openPaced(40);
      const { carrier, takenAt } = paced;
      await using tour = await opened(carrier, { links: 2 });
      const before = [...carrier.sessions];
      const sending = sendMany(tour, 200, 8);
      let fewest = 2;
      const watching = setInterval(() => (fewest = Math.min(fewest, carrier.links)), 5);
      const rebound = await operate(tour, 'rebind');
      assert.deepEqual(
        rebound.linkStates.map(({ state }) => state),
        ['bound', 'bound'],
      );
      const first = carrier.bindsAt.length;
      await operate(tour, 'rebind', { link: '2' });
      assert.equal(carrier.bindsAt.length, first + 1);
      clearInterval(watching);
      await sending;
      assert.ok(fewest >= 1, 'one link carried on');
      assert.ok(before.every((session) => !carrier.sessions.includes(session)));
      await waitUntil('all are taken', () => takenAt.length >= 200);
      await waitUntil('all are answered', async () => {
        const { linkStates } = await operate(tour, 'show');
        return linkStates.reduce((sum, each) => sum + each.accepted, 0) === 200;
      });
      assert.equal(takenAt.length, 200);
      // The last answers may not be stored yet. An attempt is `busy` if its link began to drain before it sent the part.
      const sql = `select distinct coalesce(outcome, 'open') from attempt where message in (${ownMessages})`;
      await waitUntil('all are accepted, and none is in doubt', async () => {
        const outcomes = await tour.readStore((store) => store.texts(sql, tour.account));
        return outcomes.every((each) => each === 'accepted' || each === 'busy');
      });
    });
  });

  describe('a refused bind', { concurrency: true }, () => {
    it('with a wrong password is reported and not tried again soon; rebind by the operator reports it until the link is bound', async () => {
      await using carrier = await ScriptedCarrier.open({
        refusal: () => (carrier.bindsAt.length <= 2 ? statuses.ESME_RINVPASWD : undefined),
      });
      // This test needs its own gateway, because it advances the clock.
      await using tour = await Tour.open({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }] });
      await waitUntil('it is refused', async () => (await link(tour)).state === 'waiting');
      const { lastError, nextTryAt } = await link(tour);
      assert.match(String(lastError), /system_id or password: check both/);
      assert.ok((nextTryAt ?? 0) > tour.clock.now());
      tour.clock.advance(40_000);
      await tour.balance();
      assert.equal(carrier.bindsAt.length, 1);
      const refused = await tour.operator.carrier.rebind({ carrier: 'alpha' });
      assert.ok(!refused.ok && refused.error.code === 'unavailable');
      assert.match(refused.error.detail, /link 1 of carrier alpha is not bound: .*system_id or password/);
      assert.equal((await operate(tour, 'rebind')).linkStates[0]?.state, 'bound');
    });
  });
});
