import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import { explainRoute } from '../../src/edge/admin/resources/routing/explain-route.ts';
import { done } from '../support/done.ts';
import { sharedGateway, type Tour, type TourOptions } from '../support/gateway/tour.ts';
import { pricesOf } from '../support/store/prices.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Two carriers in one route by cost, on real sockets. The tests of core/routing have each choice. */

const guest = sharedGateway();

/** Opens a carrier that accepts everything; `got` has the receivers. */
async function simulated() {
  const got: string[] = [];
  const simulator = await startSimulator({
    port: 0,
    receiptDelayMs: 20,
    journal: (entry) => {
      if (entry.event === 'submit') got.push(`+${entry.destination}`);
    },
  });
  return { got, port: simulator.port, [Symbol.asyncDispose]: () => simulator.close() };
}

type Ports = Readonly<Record<'alpha' | 'beta', { readonly port: number }>>;

const one = '+41791230001';
/** A receiver for which beta is the cheap carrier; for `one`, alpha is. */
const elsewhere = '+41781230001';

/** Starts a tour with two carriers by cost, and waits until both are bound and routing may choose them. */
async function pair(ports: Ports): Promise<Tour> {
  const tour = await guest({
    carriers: (['alpha', 'beta'] as const).map((name) => ({
      name,
      prefix: '41',
      port: ports[name].port,
      window: 100,
      route: { by: 'cost' },
    })),
  });
  const { links, snapshot } = tour.gateway.operator;
  const names = [tour.carrierName('alpha'), tour.carrierName('beta')];
  const own = [...snapshot().carriers.values()].filter(({ name }) => names.includes(name));
  await waitUntil('both are bound', () =>
    own.every(({ id }) =>
      links()
        .get(id)
        ?.every(({ state }) => state === 'bound'),
    ),
  );
  // Routing is free once the start has looked for waiting messages.
  await waitUntil('nothing waits', () => verdicts(tour, one).every((each) => each !== 'behind'));
  return tour;
}

function verdicts(tour: Tour, receiver: string): readonly string[] {
  const explained = explainRoute(tour.gateway.operator, { account: tour.account, receiver });
  assert.ok(explained.ok);
  return explained.value.carriers.map(({ verdict }) => verdict);
}

/** A tour whose carriers have cost lists: alpha costs more than beta, except in one network. The price is 0.0075. */
async function costed(ports: Ports, account: TourOptions['account'] = {}): Promise<Tour> {
  const tour = await pair(ports);
  const { carrier, account: accounts } = tour.operator;
  await setCosts(tour, 'alpha', { 41: '0.006', 4179: '0.002' });
  await setCosts(tour, 'beta', { 41: '0.004' });
  for (const name of [tour.carrierName('alpha'), tour.carrierName('beta')]) {
    done(await carrier.set({ carrier: name, costList: `${name}-costs` }));
  }
  if (Object.keys(account).length > 0) done(await accounts.set({ account: tour.account, ...account }));
  return tour;
}

async function setCosts(tour: Tour, carrier: string, costs: { readonly [prefix: string]: string }): Promise<void> {
  const list = `${tour.carrierName(carrier)}-costs`;
  done(await tour.operator.price.set({ list, currency: 'EUR', prices: pricesOf(costs) }));
}

describe('least cost', { concurrency: true }, () => {
  it('each receiver goes through its cheapest carrier; a changed cost list counts from the next message', async () => {
    await using alpha = await simulated();
    await using beta = await simulated();
    await using tour = await costed({ alpha, beta });
    const first = await tour.accept({ receiver: one });
    const second = await tour.accept({ receiver: elsewhere });
    await tour.event(first, 'delivered');
    await tour.event(second, 'delivered');
    assert.deepEqual([alpha.got, beta.got], [[one], [elsewhere]]);
    await setCosts(tour, 'beta', { 41: '0.0065' });
    await tour.event(await tour.accept({ receiver: elsewhere }), 'delivered');
    assert.deepEqual(alpha.got, [one, elsewhere]);
  });

  it('with belowMargin `alert`, the message is sent, and one alarm opens', async () => {
    await using alpha = await simulated();
    await using beta = await simulated();
    await using tour = await costed({ alpha, beta }, { marginMin: '50%', belowMargin: 'alert' });
    for (const receiver of [elsewhere, elsewhere, one]) await tour.event(await tour.accept({ receiver }), 'delivered');
    const { alarm } = tour.operator;
    done(await alarm.set({ kind: 'margin-low', forSeconds: '0' }));
    const open = async () => done(await alarm.list({})).items.filter(({ kind }) => kind === 'margin-low');
    await waitUntil('the alarm opens', async () => (await open()).length > 0, 20_000);
    const [{ subject, evidence } = { subject: '', evidence: '' }, ...others] = await open();
    assert.deepEqual([subject, others], [tour.account, []]);
    assert.match(evidence, new RegExp(`price 0.0075, cost 0.004: prefix 41 through ${tour.carrierName('beta')}`));
  });
});
