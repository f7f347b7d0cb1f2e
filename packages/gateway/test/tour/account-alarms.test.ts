import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { AlarmWatch } from '../../src/flow/alarm/watch.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/gateway/tour.ts';
import { quietLog } from '../support/quiet-log.ts';

/* Alarms for an account's spending, and for rules that its messages break. */

let tour: Tour;
let watch: AlarmWatch;
let sent = 0;

before(async () => {
  tour = await Tour.open({ carriers: [{ name: 'alpha', prefix: '41' }], account: { balance: '1000' } });
  const { operator } = tour.gateway;
  watch = new AlarmWatch({
    ...operator,
    dataDir: tour.dataDir,
    freeSpace: async () => undefined,
    wall: () => operator.clock.now(),
    certificates: [],
    ledger: () => undefined,
    goneMs: 0,
    turned: () => undefined,
    writeCounts: () => operator.counts.write(),
    log: quietLog,
  });
});

after(() => tour[Symbol.asyncDispose]());

async function send(text = `No. ${(sent += 1)}`): Promise<{ readonly status: number; readonly cost: number }> {
  const { status, body } = await tour.send({ receiver: '+41791230001', text });
  return { status, cost: Number(body['totalCost']) };
}

async function open(): Promise<
  readonly { readonly kind: string; readonly subject: string; readonly evidence: string }[]
> {
  await watch.look();
  const { items } = done(await tour.operator.alarm.list({}));
  return items.filter(({ kind }) => /^(?:cap|rule|refusals)-/.test(kind));
}

const named = async () => (await open()).map(({ kind, subject }) => `${kind} ${subject}`);

it('a spending cap opens an alarm at 80 %, when it is spent, and when it refuses a message', async () => {
  const { account } = tour.operator;
  const name = tour.account;
  const { cost } = await send();
  const cap = async (messages: number) => done(await account.set({ account: name, dayCap: String(cost * messages) }));
  await cap(10);
  for (let each = 2; each < 8; each++) await send();
  assert.deepEqual(await named(), []);
  await send();
  assert.deepEqual(await named(), [`cap-near ${name}`]);
  await send();
  await send();
  assert.deepEqual(await named(), [`cap-reached ${name}`, `cap-near ${name}`]);
  const [{ evidence } = { evidence: '' }] = await open();
  assert.match(evidence, /has spent (\S+) of \1 EUR of the day that ends at \S+; messages beyond the cap are refused$/);
  await cap(20);
  assert.deepEqual(await named(), []);
  // What is left of the cap is less than the price of a message.
  await cap(10.5);
  assert.equal((await send()).status, 402);
  assert.deepEqual(await named(), [`cap-reached ${name}`]);
  await cap(100);
  assert.equal((await send()).status, 200);
  assert.deepEqual(await named(), []);
});

it('a rule that messages break repeatedly opens an alarm that names the rule', async () => {
  done(await tour.operator.account.set({ account: tour.account, repeatSeconds: '600' }));
  for (let each = 0; each < 20; each++) await send('Same');
  assert.deepEqual(await named(), [], '19 are repeats');
  await send('Same');
  const [{ kind, subject, evidence } = { kind: '', subject: '', evidence: '' }, ...others] = await open();
  assert.deepEqual([kind, subject, others], ['rule-broken', tour.account, []]);
  assert.match(evidence, /10 to 20 minutes: repeat 20 \(20 refused\)$/);
});
