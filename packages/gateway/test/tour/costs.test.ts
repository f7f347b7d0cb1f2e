import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { startSimulator } from '@morsel/simulator';
import { morsel } from '../support/gateway/morsel.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';
import { pricesOf } from '../support/store/prices.ts';
import { toJson } from '../support/json.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';

/* Carrier costs, on real sockets: alpha is cheap in one network, beta in all others. */

const guest = sharedGateway();
const inOneNetwork = '+41791230001';
const elsewhere = '+41781230001';

class Simulated implements AsyncDisposable {
  readonly got: readonly string[];
  readonly #running: Awaited<ReturnType<typeof startSimulator>>;

  constructor(running: Awaited<ReturnType<typeof startSimulator>>, got: readonly string[]) {
    this.#running = running;
    this.got = got;
  }

  static async open(): Promise<Simulated> {
    const got: string[] = [];
    const running = await startSimulator({
      port: 0,
      receiptDelayMs: 20,
      journal: (entry) => {
        if (entry.event === 'submit') got.push(`+${entry.destination}`);
      },
    });
    return new Simulated(running, got);
  }

  get port(): number {
    return this.#running.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.close();
  }
}

/**
 * Both in one rank, by cost, each with its list: of a price of 0.0075 alpha leaves less than beta, except in one
 * network.
 */
async function costed(
  ports: { readonly alpha: number; readonly beta: number },
  { account = {} }: { readonly account?: object } = {},
): Promise<Tour> {
  const route = { by: 'cost' };
  const tour = await guest({
    carriers: [
      { name: 'alpha', prefix: '41', port: ports.alpha, route },
      { name: 'beta', prefix: '41', port: ports.beta, route },
    ],
  });
  const { operator } = tour.gateway;
  await setCosts(tour, 'alpha', { 41: '0.006', 4179: '0.002' });
  await setCosts(tour, 'beta', { 41: '0.004' });
  for (const carrier of ['alpha', 'beta']) {
    const fields = { carrier: tour.carrierName(carrier), costList: `${tour.carrierName(carrier)}-costs` };
    const set = await operatorCalls(operator).carrier.set(fields);
    assert.ok(set.ok, set.ok ? '' : JSON.stringify(set.error));
  }
  if (Object.keys(account).length > 0) {
    const set = await operatorCalls(operator).account.set({ account: tour.account, ...account });
    assert.ok(set.ok, set.ok ? '' : JSON.stringify(set.error));
  }
  await waitUntil('both are bound', () => {
    const names = [tour.carrierName('alpha'), tour.carrierName('beta')];
    const own = [...operator.snapshot().carriers.values()].filter(({ name }) => names.includes(name));
    return own.every(({ id }) =>
      operator
        .links()
        .get(id)
        ?.every(({ state }) => state === 'bound'),
    );
  });
  // The start has finished its look for waiting messages: from now on the choice is by cost.
  await waitUntil('nothing waits', async () => {
    const { carriers } = await explained(tour, elsewhere);
    return carriers.every(({ verdict }) => verdict !== 'behind');
  });
  return tour;
}

async function setCosts(tour: Tour, carrier: string, costs: { readonly [prefix: string]: string }): Promise<void> {
  const list = `${tour.carrierName(carrier)}-costs`;
  done(await operatorCalls(tour.gateway.operator).price.set({ list, currency: 'EUR', prices: pricesOf(costs) }));
}

interface Explained {
  readonly chosen: unknown;
  readonly refusal: unknown;
  readonly carriers: readonly { readonly [member: string]: unknown }[];
}

async function explained(tour: Tour, receiver: string): Promise<Explained> {
  const answer = await json(tour, ['route', 'explain', '--account', tour.account, '--receiver', receiver]);
  assert.ok(Array.isArray(answer['carriers']));
  return { chosen: answer['chosen'], refusal: answer['refusal'], carriers: answer['carriers'].map(toJson) };
}

/** As above, once nothing is known to wait for a better carrier. */
function choice(tour: Tour, receiver: string): Promise<Explained> {
  return waitUntil('a carrier is chosen', async () => {
    const answer = await explained(tour, receiver);
    return answer.chosen === null ? undefined : answer;
  });
}

async function json(tour: Tour, words: readonly string[]): Promise<{ readonly [member: string]: unknown }> {
  const { status: code, out, errors } = await morsel([...words, '--json'], { dataDir: tour.dataDir });
  assert.equal(code, 0, errors);
  return toJson(JSON.parse(out));
}

function aDayBefore(): string {
  return new Date(Date.now() - 86_400_000).toISOString();
}

describe('costs', { concurrency: true }, () => {
  describe('least cost', { concurrency: true }, () => {
    it('each receiver goes through its cheapest carrier; a changed cost list counts from the next message', async () => {
      await using alpha = await Simulated.open();
      await using beta = await Simulated.open();
      await using tour = await costed({ alpha: alpha.port, beta: beta.port });
      const first = await tour.accept({ receiver: inOneNetwork });
      const second = await tour.accept({ receiver: elsewhere });
      await tour.event(first, 'delivered');
      await tour.event(second, 'delivered');
      assert.deepEqual([alpha.got, beta.got], [[inOneNetwork], [elsewhere]]);
      assert.equal((await choice(tour, elsewhere)).chosen, tour.carrierName('beta'));
      await setCosts(tour, 'beta', { 41: '0.0065' });
      const { chosen, carriers } = await choice(tour, elsewhere);
      assert.deepEqual(
        [chosen, carriers.map(({ carrier, cost, costCurrency, margin }) => [carrier, cost, costCurrency, margin])],
        [
          tour.carrierName('alpha'),
          [
            [tour.carrierName('alpha'), 0.006, 'EUR', 0.0015],
            [tour.carrierName('beta'), 0.0065, 'EUR', 0.001],
          ],
        ],
      );
      await tour.event(await tour.accept({ receiver: elsewhere }), 'delivered');
      assert.deepEqual(alpha.got, [inOneNetwork, elsewhere]);
      // Earlier messages keep their cost.
      const before = await json(tour, ['message', 'show', second]);
      assert.deepEqual([before['cost'], before['margin']], [{ amount: 0.004, currency: 'EUR' }, 0.0035]);
      const from = aDayBefore();
      const { costs, totals } = await json(tour, ['carrier', 'cost', tour.carrierName('alpha'), '--from', from]);
      assert.deepEqual(costs, [
        { group: null, unitCost: 0.002, currency: 'EUR', parts: 1, amount: 0.002 },
        { group: null, unitCost: 0.006, currency: 'EUR', parts: 1, amount: 0.006 },
      ]);
      assert.deepEqual(totals, [{ currency: 'EUR', amount: 0.008 }]);
      const shown = await morsel(['carrier', 'cost', tour.carrierName('alpha'), '--from', from], {
        dataDir: tour.dataDir,
      });
      assert.match(shown.out, /cost list +\S+-costs\n[^]*\ntotals:\nCURRENCY +AMOUNT\nEUR +0\.008\n/);
      const alphaCost = ['carrier', 'cost', tour.carrierName('alpha'), '--from', from];
      for (const [by, group] of [
        ['account', tour.account],
        ['prefix', '41'],
        ['day', new Date(tour.clock.now()).toISOString().slice(0, 10)],
      ] as const) {
        const { costs: divided } = await json(tour, [...alphaCost, '--by', by]);
        assert.ok(Array.isArray(divided));
        assert.deepEqual(
          divided.map(toJson).map((each) => [each['group'], each['unitCost'], each['parts']]),
          [
            [group, 0.002, 1],
            [group, 0.006, 1],
          ],
        );
      }
      const listless = { carrier: tour.carrierName('alpha'), costList: null };
      done(await operatorCalls(tour.gateway.operator).carrier.set(listless));
      const without = await morsel(alphaCost, { dataDir: tour.dataDir });
      assert.match(without.out, /cost list +none: costs are known from routes alone\n/);
    });
  });

  describe('the margin guard', { concurrency: true }, () => {
    it('refuse: a carrier with too small a margin gets nothing, not even when the other fails; without any there is no route', async () => {
      await using alpha = await ScriptedCarrier.open();
      await using beta = await Simulated.open();
      const account = { marginMin: '0.004', belowMargin: 'refuse' };
      await using tour = await costed({ alpha: alpha.port, beta: beta.port }, { account });
      const msgId = await tour.accept({ receiver: inOneNetwork });
      (await alpha.submit(0)).respond(statuses.ESME_RSYSERR);
      const again = await alpha.submit(1);
      again.respond(0, { message_id: 'one' });
      await tour.event(msgId, 'sent');
      assert.deepEqual(beta.got, []);
      const refused = await tour.send({ receiver: elsewhere });
      assert.deepEqual([refused.status, refused.body['code']], [422, 'no_route']);
      assert.doesNotMatch(refused.text, /cost|margin|0\.00/i);
      const { refusal, carriers } = await explained(tour, elsewhere);
      assert.match(String(toJson(refusal)['detail']), /less than the lowest margin/);
      assert.deepEqual(
        carriers.map(({ verdict }) => verdict),
        ['margin', 'margin'],
      );
      assert.equal(await tour.balance(), 99.9925);
    });

    it('alert: it goes, and one alarm opens; allow: it goes', async () => {
      await using alpha = await Simulated.open();
      await using beta = await Simulated.open();
      const account = { marginMin: '50%', belowMargin: 'alert' };
      await using tour = await costed({ alpha: alpha.port, beta: beta.port }, { account });
      for (let count = 0; count < 3; count++) await tour.event(await tour.accept({ receiver: elsewhere }), 'delivered');
      await tour.event(await tour.accept({ receiver: inOneNetwork }), 'delivered');
      const { alarm } = operatorCalls(tour.gateway.operator);
      done(await alarm.set({ kind: 'margin-low', forSeconds: '0' }));
      const open = async () => done(await alarm.list({})).items.filter(({ kind }) => kind === 'margin-low');
      await waitUntil('the alarm opens', async () => (await open()).length > 0, 20_000);
      const [{ subject, evidence } = { subject: '', evidence: '' }, ...others] = await open();
      assert.deepEqual([subject, others], [tour.account, []]);
      assert.match(evidence, new RegExp(`price 0.0075, cost 0.004: prefix 41 through ${tour.carrierName('beta')}`));
    });
  });
});
