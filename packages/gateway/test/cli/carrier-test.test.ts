import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stepFields } from '@morsel/api/admin/routing/carrier.ts';
import { listen, statuses } from '@morsel/smpp';
import { testCarrier } from '../../src/edge/admin/resources/routing/control.ts';
import { answer, answered, morsel } from '../support/gateway/morsel.ts';
import { RawCarrier } from '../support/carriers/raw-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { toJson, type Json } from '../support/json.ts';

/* `carrier test` checks a carrier's settings step by step, while its links stay bound. */

const guest = sharedGateway();
const nameIn = (tour: Tour) => tour.carrierName('alpha');
const test = (tour: Tour) => `carrier test ${nameIn(tour)}`;

/** The state of each link of the carrier, and the time from which the link has it. */
async function linksOf(tour: Tour): Promise<readonly unknown[][]> {
  const { linkStates } = await answered(`carrier show ${nameIn(tour)}`, { dataDir: tour.dataDir });
  assert.ok(Array.isArray(linkStates));
  return linkStates.map(toJson).map(({ state, since }) => [state, since]);
}

function stepsIn(tested: unknown): readonly Json[] {
  const { steps } = toJson(tested);
  assert.ok(Array.isArray(steps));
  return steps.map(toJson);
}

async function drain(tour: Tour): Promise<void> {
  assert.ok((await tour.operator.carrier.drain({ carrier: nameIn(tour) })).ok);
}

describe('a tested carrier', { concurrency: true }, () => {
  for (const [preset, binds] of [
    ['standard', ['bind_transceiver']],
    ['pair', ['bind_receiver', 'bind_transmitter']],
  ] as const) {
    it(`with ${binds.join(' and ')} gets a line with the time of each step, and its links stay bound`, async () => {
      await using tour = await guest({
        carriers: [{ name: 'alpha', prefix: '41', preset }],
        sessions: binds.length,
      });
      const links = () => linksOf(tour);
      // The carrier has answered the binds, but the answers may still be under way.
      await waitUntil('the links are bound', async () => (await links()).every(([state]) => state === 'bound'));
      const atFirst = await links();
      const tested = await answer(test(tour), { dataDir: tour.dataDir });
      const steps = stepsIn(tested);
      assert.deepEqual(
        steps.map(({ step }) => step),
        [...binds.flatMap((bind) => ['connect', bind, 'enquire_link']), ...binds.map(() => 'unbind')],
      );
      for (const { isDone, ms, says } of steps) {
        assert.ok(isDone === true && typeof ms === 'number' && ms >= 0 && typeof says === 'string');
      }
      assert.equal(stepFields.ms.schema['type'], 'number', 'a time has tenths');
      assert.deepEqual([toJson(tested)['isDone'], await links()], [true, atFirst]);
      const shown = await morsel(test(tour), { dataDir: tour.dataDir });
      assert.match(
        shown.out,
        /\nSTEP +ADDRESS +TOOK +OK +WHAT HAPPENED\nconnect +127\.0\.0\.1:\d+ +[\d.]+ ms +true +connected\n/,
      );
      assert.equal(shown.status, 0);
      await tour.event(await tour.accept({ receiver: '+41791230001' }), 'delivered');
      await tour.bound(binds.length);
    });
  }

  it('that allows no more binds is reported with its bound links', async () => {
    await using tour = await guest({ simulator: { bindsMax: 1 } });
    const { errors } = await morsel(test(tour), { dataDir: tour.dataDir });
    assert.match(
      errors,
      /bound already.*; 1 of its links is bound, so the carrier may allow no more binds: to test without them, run carrier drain/,
    );
    await tour.event(await tour.accept({ receiver: '+41791230001' }), 'delivered');
  });

  it('loses no receipt that it sends during the test', async () => {
    await using server = await listen({
      port: 0,
      host: '127.0.0.1',
      system_id: 'eager',
      authenticate: async () => ({
        kind: 'admitted',
        handlers: (session) => {
          const short_message = Buffer.from('id:4711 sub:001 dlvrd:001 stat:DELIVRD err:000 text:');
          const addresses = { source_addr: '41791230001', destination_addr: '41790000001' };
          setImmediate(
            () => void session.request({ command: 'deliver_sm', ...addresses, esm_class: 4, short_message }),
          );
          return { onRequest: (_pdu, respond) => respond(0) };
        },
      }),
    });
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: server.port }] });
    await drain(tour);
    const unmatched = async () => {
      const { items } = toJson(await answer(`receipt unmatched --carrier ${nameIn(tour)}`, { dataDir: tour.dataDir }));
      return Array.isArray(items) ? items.length : 0;
    };
    await waitUntil('the receipt of the link is kept', async () => (await unmatched()) > 0);
    const atFirst = await unmatched();
    assert.equal((await morsel(test(tour), { dataDir: tour.dataDir })).status, 0);
    await waitUntil('the receipt of the test is kept', async () => (await unmatched()) > atFirst);
  });
});

describe('a carrier with a fault', () => {
  let carrier: RawCarrier;
  let tour: Tour;

  before(async () => {
    carrier = await RawCarrier.open();
    tour = await guest({
      carriers: [
        { name: 'alpha', prefix: '41', port: carrier.port },
        { name: 'nowhere', prefix: '43', port: 1 },
      ],
      sessions: 0,
    });
    await drain(tour);
  });
  after(async () => {
    await tour[Symbol.asyncDispose]();
    await carrier[Symbol.asyncDispose]();
  });

  for (const [manner, last, words] of [
    ['http', 'bind_transceiver', /does not speak SMPP: check host and port/],
    ['hang up', 'bind_transceiver', /closes the connection and does not answer the bind: it may want TLS/],
    [statuses.ESME_RINVPASWD, 'bind_transceiver', /refuses our system_id or password: check both.*\(ESME_RINVPASWD\)/],
  ] as const) {
    it(`that answers a bind with "${manner}" makes the test say what to do, and end with status 1, even when drained`, async () => {
      carrier.manner = manner;
      const refused = await morsel(`${test(tour)} --json`, { dataDir: tour.dataDir });
      const failed = stepsIn(JSON.parse(refused.out)).at(-1);
      assert.deepEqual([refused.status, failed?.['step'], failed?.['isDone']], [1, last, false]);
      assert.match(String(failed?.['says']), words);
      const plain = await morsel(test(tour), { dataDir: tour.dataDir });
      assert.match(plain.errors, words);
      const [[state] = []] = await linksOf(tour);
      assert.equal(state, 'stopped');
    });
  }

  it('on whose port no server listens is reported before any step with a bind', async () => {
    const { out, errors } = await morsel(`carrier test ${tour.carrierName('nowhere')}`, { dataDir: tour.dataDir });
    assert.match(
      out,
      /\nconnect +127\.0\.0\.1:1 +[\d.]+ ms +false +nothing listens at the carrier's address: check host and port/,
    );
    assert.match(errors, /^morsel: carrier \S+-nowhere, connect: nothing listens at the carrier's address/);
  });

  it('can have only one test at a time', async () => {
    carrier.manner = 'bound';
    const { operator } = tour.gateway;
    const [first, second] = await Promise.all([
      testCarrier(operator, { carrier: nameIn(tour) }),
      testCarrier(operator, { carrier: nameIn(tour) }),
    ]);
    assert.ok(first.ok && first.value.isDone);
    assert.ok(!second.ok && second.error.code === 'unavailable');
    assert.match(second.error.detail, /another test of carrier \S+-alpha is under way/);
  });
});
