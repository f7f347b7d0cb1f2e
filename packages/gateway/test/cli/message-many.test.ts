import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import { answer, morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { toJson } from '../support/json.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Commands that act on many messages. Nothing listens at carrier alpha; beta accepts everything. */

/** A port on which no server listens: only root may listen there, and no test runs as root. */
const deadPort = 1;
/** More messages than a job changes in one commit, which is 100. */
const many = 260;
const why = ['--reason', 'a wrong text'] as const;

function receiver(prefix: string, number: number): string {
  return `+${prefix}${String(number).padStart(10 - prefix.length + 1, '0')}`;
}

describe('waiting messages', () => {
  let beta: Awaited<ReturnType<typeof startSimulator>>;
  let tour: Tour;
  const got: string[] = [];

  before(async () => {
    beta = await startSimulator({
      port: 0,
      receiptDelayMs: 5,
      journal: (entry) => {
        if (entry.event === 'submit') got.push(`+${entry.destination}`);
      },
    });
    tour = await Tour.open({
      carriers: [
        ...['41', '43', '49'].map((prefix) => ({ name: `alpha${prefix}`, prefix, port: deadPort })),
        { name: 'beta', prefix: '33', port: beta.port },
      ],
      sessions: 0,
      account: { balance: '1000' },
    });
    await waitUntil('beta is bound', () => beta.sessions === 1);
  });

  after(async () => {
    await tour[Symbol.asyncDispose]();
    await beta.close();
  });

  function cli(...words: string[]): Promise<Awaited<ReturnType<typeof morsel>>> {
    return morsel(words, { dataDir: tour.dataDir });
  }

  async function acceptMany(prefix: string, count: number, more: object = {}): Promise<string[]> {
    const numbers = Array.from({ length: count }, (_, number) => receiver(prefix, number));
    return Promise.all(numbers.map((to) => tour.accept({ receiver: to, ...more })));
  }

  it('message reroute counts, asks on a terminal, and then moves messages of a removed route to current routes', async () => {
    const ids = await acceptMany('43664', many);
    assert.ok((await tour.operator.route.remove({ prefix: '43' })).ok);
    assert.ok((await tour.operator.route.add({ prefix: '43', carrier: 'beta' })).ok);
    const words = ['message', 'reroute', '--route', '43', '--prefix', '43664', '--account', 'acme', ...why];
    const sentence = `${many} waiting messages`;
    const needsYes = `morsel: ${sentence}: nothing was changed; repeat the command with --yes to make the change\n`;
    assert.deepEqual(await cli(...words), { status: 1, out: '', errors: needsYes });
    const dry = await cli(...words, '--dry-run', '--yes');
    assert.equal(dry.out, `${sentence}: nothing was changed, because of --dry-run\n`);
    const question = `Move ${sentence} to the current routes?`;
    const asked = (isYes: boolean) =>
      morsel(words, { dataDir: tour.dataDir, confirm: async (each) => isYes && each === question });
    assert.deepEqual(await asked(false), { status: 1, out: '', errors: `morsel: ${sentence}: nothing was changed\n` });
    assert.equal(got.filter((to) => to.startsWith('+43664')).length, 0);
    assert.equal((await asked(true)).out, `job 1 is done: ${many} moved\n`);
    const [first = ''] = ids;
    await tour.event(first, 'delivered');
    await waitUntil('each went once', () => got.filter((to) => to.startsWith('+43664')).length === many);
  });

  it('message cancel takes filters, refunds each message once, and leaves the others', async () => {
    const atFirst = Number(await tour.balance());
    const [kept = ''] = await acceptMany('49151', 1);
    const canceled = await acceptMany('49160', many);
    const [planned = ''] = await acceptMany('49161', 1, { sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    const words = ['message', 'cancel', '--carrier', 'alpha49', '--prefix', '4916', ...why];
    const unasked = await cli(...words);
    assert.equal(unasked.status, 1);
    assert.match(unasked.errors, /with --yes to make the change\n$/);
    const queued = await answer([...words, '--state', 'queued', '--yes'], { dataDir: tour.dataDir });
    const refunds = [{ currency: 'EUR', amount: (many * 75) / 10_000 }];
    const outcomes = [{ outcome: 'canceled', rows: many }];
    const { state, rows, decided, reason, outcomes: became, refunds: refunded } = toJson(queued);
    assert.deepEqual({ state, rows, decided, reason }, { state: 'done', rows: many, decided: many, reason: why[1] });
    assert.deepEqual([became, refunded], [outcomes, refunds]);
    const rest = await cli(...words, '--yes');
    assert.equal(rest.out, 'job 3 is done: 1 canceled, 0.0075 EUR refunded\n');
    const none = await cli(...words, '--yes');
    assert.equal(none.out, 'no waiting message matches: nothing is changed\n');
    for (const id of [canceled[0], canceled.at(-1), planned]) await tour.event(id ?? '', 'canceled');
    await tour.event(kept, 'queued');
    assert.equal(await tour.balance(), Math.round((atFirst - 0.0075) * 1e6) / 1e6);
  });

  const refusals: readonly (readonly [command: string, says: RegExp])[] = [
    ['message cancel', /--all must be given if there is no filter by account, carrier, route, prefix, sender or since/],
    ['message reroute', /--all must be given if there is no filter/],
    ['message cancel --all --account acme', /--all must not be combined with filters, because it means every message/],
    ['message cancel 904907980800001 --account acme', /give a message id or a filter, not both/],
    ['message reroute 904907980800001 --account acme', /give a message id or a filter, not both/],
    ['message settle --as sent', /--all must be given if there is no filter/],
    ['message settle 904907980800001 --as sent --carrier alpha', /give a message id or a filter, not both/],
    ['message settle 904907980800001', /--as/],
    ['message settle --all --as sent --part 1', /give --part with the id of a message/],
    ['message cancel --account acme --state sent', /queued, scheduled/],
  ];
  for (const [command, says] of refusals) {
    it(`is refused: morsel ${command}`, async () => {
      const { status, out, errors } = await cli(...command.split(' '));
      assert.deepEqual([status, out], [2, '']);
      assert.match(errors, says);
    });
  }
});
