import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses, type StatusName } from '@morsel/smpp';
import { startSimulator } from '@morsel/simulator';
import { explainRoute } from '../../src/edge/admin/resources/routing/explain-route.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';

/* Several carriers in one route, on real sockets. The tests wait side by side. */

const guest = sharedGateway();

/** A carrier that accepts everything, and can go away and come back on its port. */
class Simulated implements AsyncDisposable {
  readonly got: string[] = [];
  port = 0;
  #running: Awaited<ReturnType<typeof startSimulator>> | undefined;

  static async open(): Promise<Simulated> {
    const carrier = new Simulated();
    await carrier.start();
    return carrier;
  }

  async start(): Promise<void> {
    this.#running = await startSimulator({
      port: this.port,
      receiptDelayMs: 20,
      journal: (entry) => {
        if (entry.event === 'submit') this.got.push(`+${entry.destination}`);
      },
    });
    this.port = this.#running.port;
  }

  async stop(): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
  }

  get links(): number {
    return this.#running?.sessions ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const receivers = [1, 2, 3].map((place) => `+4179123000${place}`);
const [one = '', two = '', three = ''] = receivers;

/** Alpha first, beta behind it. */
async function ranked(
  ports: { alpha: number; beta: number },
  settings: { alpha?: object; route?: object } = {},
): Promise<Tour> {
  const tour = await guest({
    carriers: [
      { name: 'alpha', prefix: '41', port: ports.alpha, ...settings.alpha, route: { ...settings.route } },
      { name: 'beta', prefix: '41', port: ports.beta, route: { rank: '2' } },
    ],
  });
  const { links, snapshot } = tour.gateway.operator;
  const names = [tour.carrierName('alpha'), tour.carrierName('beta')];
  await waitUntil('both are bound', () =>
    [...snapshot().carriers.values()]
      .filter(({ name }) => names.includes(name))
      .every(({ id }) =>
        links()
          .get(id)
          ?.every(({ state }) => state === 'bound'),
      ),
  );
  return tour;
}

function whyOf(tour: Tour): readonly string[] {
  const explained = explainRoute(tour.gateway.operator, { account: tour.account, receiver: one });
  assert.ok(explained.ok);
  return explained.value.carriers.map(({ verdict }) => verdict);
}

describe('ordered fail-over', { concurrency: true }, () => {
  it('by link state: the second takes messages while the first is away; when it is back, the first again', async () => {
    await using alpha = await Simulated.open();
    await using beta = await Simulated.open();
    await using tour = await ranked({ alpha: alpha.port, beta: beta.port });
    await waitUntil('the first is chosen', () => whyOf(tour)[0] === 'chosen');
    await tour.event(await tour.accept({ receiver: one }), 'delivered');
    await alpha.stop();
    await waitUntil('the link is known to be down', () => whyOf(tour)[0] === 'not-bound');
    await tour.event(await tour.accept({ receiver: two }), 'delivered');
    assert.deepEqual(whyOf(tour), ['not-bound', 'chosen']);
    await alpha.start();
    await waitUntil('the first is chosen again', () => whyOf(tour)[0] === 'chosen');
    await tour.event(await tour.accept({ receiver: three }), 'delivered');
    assert.deepEqual([alpha.got, beta.got], [[one, three], [two]]);
  });

  it('by pause: the second takes messages sent meanwhile, and waiting ones', async () => {
    await using alpha = await Simulated.open();
    await using beta = await Simulated.open();
    await using tour = await ranked({ alpha: alpha.port, beta: beta.port });
    const { operator } = tour.gateway;
    assert.ok((await operatorCalls(operator).carrier.pause({ carrier: tour.carrierName('beta') })).ok);
    assert.ok((await operatorCalls(operator).carrier.pause({ carrier: tour.carrierName('alpha') })).ok);
    const waiting = await tour.accept({ receiver: one });
    assert.deepEqual(whyOf(tour), ['paused', 'paused']);
    assert.ok((await operatorCalls(operator).carrier.resume({ carrier: tour.carrierName('beta') })).ok);
    await tour.event(waiting, 'delivered');
    await tour.event(await tour.accept({ receiver: two }), 'delivered');
    assert.deepEqual([alpha.got, beta.got], [[], [one, two]]);
  });

  const refusals: readonly (readonly [name: StatusName, goesOn: boolean])[] = [
    ['ESME_RSYSERR', true],
    ['ESME_RINVDSTADR', false],
  ];
  for (const [name, goesOn] of refusals) {
    it(`by refusal: after ${name} ${goesOn ? 'the next rank tries at once' : 'nobody tries again'}`, async () => {
      await using alpha = await ScriptedCarrier.open();
      await using beta = await Simulated.open();
      await using tour = await ranked({ alpha: alpha.port, beta: beta.port });
      const msgId = await tour.accept({ receiver: one });
      (await alpha.submit(0)).respond(statuses[name]);
      await tour.event(msgId, goesOn ? 'delivered' : 'rejected');
      assert.deepEqual([alpha.held.length, beta.got], [1, goesOn ? [one] : []]);
      assert.equal(await tour.balance(), goesOn ? 99.9925 : 100);
    });
  }
});

it('two of one rank share messages by their weights, and one without room does not hold back the other', async () => {
  await using alpha = await Simulated.open();
  await using beta = await Simulated.open();
  await using tour = await guest({
    carriers: [
      { name: 'alpha', prefix: '41', port: alpha.port, window: 100, route: { weight: '3' } },
      { name: 'beta', prefix: '41', port: beta.port, window: 100 },
    ],
  });
  await waitUntil('both are bound', () => alpha.links + beta.links === 2);
  await waitUntil('both are chosen from', () => whyOf(tour).every((kind) => kind === 'chosen' || kind === 'next'));
  const sendAll = async (from: number) => {
    for (let count = from; count < from + 200; count += 5) {
      const batch = [0, 1, 2, 3, 4].map((each) => `+4179124${String(count + each).padStart(4, '0')}`);
      await Promise.all(batch.map((receiver) => tour.accept({ receiver })));
    }
  };
  await sendAll(1_000);
  await waitUntil('all were sent', () => alpha.got.length + beta.got.length === 200);
  assert.ok(Math.abs(beta.got.length - 50) <= 15, `beta got ${beta.got.length} of 200, and 50 are its share`);
  const before = beta.got.length;
  assert.ok((await operatorCalls(tour.gateway.operator).carrier.pause({ carrier: tour.carrierName('alpha') })).ok);
  await sendAll(2_000);
  await waitUntil('all went through beta', () => beta.got.length === before + 200);
});
