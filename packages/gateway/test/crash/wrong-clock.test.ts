import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect, ConnectError, statuses } from '@morsel/smpp';
import { hourMs } from '@morsel/api/values/time.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';

/* A start compares the clock with the newest record in its store. */

const yearMs = 365 * 24 * hourMs;
const receiver = '+41790000002';

/**
 * Queues a message for a paused carrier, and restarts the gateway with a clock that is wrong by `byMs`.
 */
async function restart(tour: Tour, byMs: number): Promise<string> {
  done(await operatorCalls(tour.gateway.operator).carrier.pause({ carrier: 'alpha' }));
  const waiting = await tour.accept({ receiver, validity: '3600' });
  tour.clock.wallAheadMs = byMs;
  await tour.restart();
  done(await operatorCalls(tour.gateway.operator).carrier.resume({ carrier: 'alpha' }));
  return waiting;
}

function troubles(tour: Tour): readonly string[] {
  return tour.gateway.operator.readiness.troubles.map(({ kind }) => kind);
}

async function isReady(tour: Tour): Promise<boolean> {
  return (await tour.client.ask({ path: '/ready' })).status === 200;
}

/** Lets the gateway look twice for expired parts: advances its clock, and gives its threads real time. */
async function looks(tour: Tour): Promise<void> {
  for (let each = 0; each < 2; each++) {
    tour.clock.advance(1_100);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('a clock that is a year ahead at the start', { concurrency: true }, () => {
  it('expires and refunds nothing, sends new messages, and goes on when the operator confirms it', async () => {
    await using tour = await Tour.open();
    const waiting = await restart(tour, yearMs);
    const balance = await tour.balance();
    assert.deepEqual(troubles(tour), ['clock-ahead']);
    assert.ok(await isReady(tour));
    await looks(tour);
    assert.equal((await tour.report(waiting))['event'], 'queued');
    assert.equal(await tour.balance(), balance);
    await tour.event(await tour.accept({ receiver: '+41790000003' }), 'delivered');
    assert.equal(tour.submits(receiver).length, 0);

    const shown = await morsel(['status'], { dataDir: tour.dataDir });
    assert.match(
      shown.out,
      /\nready +true\n[^]*\ntroubles:\nKIND +SINCE +DETAIL\nclock-ahead +\S+ +the clock of this machine is 365 d ahead .* "morsel clock confirm"/,
    );
    const confirmed = await morsel(['clock', 'confirm'], { dataDir: tour.dataDir });
    assert.equal(confirmed.out, 'the clock is trusted: messages that were held are now sent, or expire\n');
    await tour.event(waiting, 'expired');
    assert.deepEqual(troubles(tour), []);
  });

  it('delays no message once the clock is correct again, and current prices apply meanwhile', async () => {
    await using tour = await Tour.open();
    const effective = new Date(Date.now() + yearMs / 2).toISOString();
    const set = ['price', 'set', '--prefix', '41', '--price', '0.5', '--effective', effective, '--yes'];
    assert.equal((await morsel(set, { dataDir: tour.dataDir })).status, 0);
    await restart(tour, yearMs);
    done(await operatorCalls(tour.gateway.operator).carrier.pause({ carrier: 'alpha' }));
    assert.equal((await tour.send({ receiver })).body['totalCost'], 0.0075);
    const waiting = await tour.accept({ receiver, validity: '3600' });
    tour.clock.wallAheadMs = 0;
    await waitUntil('the clock is trusted again', () => troubles(tour).length === 0);
    done(await operatorCalls(tour.gateway.operator).carrier.resume({ carrier: 'alpha' }));
    await tour.event(waiting, 'delivered');
  });
});

describe('a clock that is a year behind at the start', { concurrency: true }, () => {
  it('makes the gateway refuse messages over HTTP and SMPP, until the clock is corrected', async () => {
    await using tour = await Tour.open();
    const waiting = await restart(tour, -yearMs);
    assert.deepEqual(troubles(tour), ['clock-behind']);
    const ready = await tour.client.ask({ path: '/ready' });
    assert.deepEqual([ready.status, ready.body['detail']], [503, 'the clock of the service is wrong']);
    const refused = await tour.send({ receiver });
    assert.deepEqual([refused.status, refused.body['code']], [503, 'unavailable']);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    const bind = { command: 'bind_transmitter', system_id: 'acme', password: 'secret' } as const;
    await assert.rejects(
      connect({ host: '127.0.0.1', port: tour.gateway.smppPort ?? 0, bind, onRequest: () => undefined }),
      (fault) => fault instanceof ConnectError && fault.command_status === statuses.ESME_RSYSERR,
    );
    // Messages accepted earlier are still sent: time continues from the newest record.
    await tour.event(waiting, 'delivered');
    tour.clock.wallAheadMs = 0;
    await waitUntil('it is ready', () => isReady(tour));
    await tour.event(await tour.accept({ receiver }), 'delivered');
  });

  it('is accepted when the operator confirms it a second time, and at later starts', async () => {
    await using tour = await Tour.open();
    await restart(tour, -yearMs);
    const refused = await operatorCalls(tour.gateway.operator).gateway.confirmClock();
    assert.ok(!refused.ok && 'field' in refused.error && refused.error.field === 'behind');
    const unsure = await morsel(['clock', 'confirm'], tour);
    assert.equal(unsure.status, 1);
    assert.match(
      unsure.errors,
      /behind the newest record: until the clock has passed that record, .*repeat the command with --yes/,
    );
    assert.deepEqual(troubles(tour), ['clock-behind']);
    assert.equal((await morsel(['clock', 'confirm', '--yes'], tour)).status, 0);
    assert.ok(await isReady(tour));
    await tour.restart();
    assert.ok(await isReady(tour));
  });
});
