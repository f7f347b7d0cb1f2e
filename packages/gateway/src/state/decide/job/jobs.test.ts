import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayMs } from '@morsel/api/values/time.ts';
import { everyWaiting, type WaitingFilter } from '../../../store/views/message/waiting.ts';
import { readBulkRows, readRunningJobs } from '../../../store/views/running/jobs.ts';
import { operate, viewOf } from '../../../../test/support/store/operate.ts';
import { tell } from '../../../../test/support/store/stories/story.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import type { BulkName } from './bulk.ts';

const common = { reason: 'the carrier lost them', given: '{}', rows: 3 };

/** Starts a job, and returns its id. */
async function start(store: TestStore, operation: BulkName, filter: object): Promise<number> {
  const given = { all: true, ...(operation === 'message.settleMany' && { as: 'unknown' }) };
  const made = { ...common, filter };
  const started = await store.one(operate(operation, given, { at: store.now, made }));
  assert.ok(started?.ok);
  return Number(Object(started.value)['job']);
}

const settle = (store: TestStore) =>
  start(store, 'message.settleMany', { as: 'unknown', carrier: null, account: null, until: store.now });
const cancel = (store: TestStore, filter: Partial<WaitingFilter> = {}) =>
  start(store, 'message.cancelMany', { ...everyWaiting, ...filter });

/** The command for the next step of a job, as the flow makes it. */
async function stepOf(store: TestStore, id: number, limit = 2) {
  const [job] = await readRunningJobs(store.queries);
  const { operation: name, filter, place: after } = job ?? assert.fail('no job runs');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only bulk operations start jobs
  const operation = name as BulkName;
  assert.ok(filter);
  const { rows: found, next } = await readBulkRows(store.queries, { operation, filter, after, limit });
  return { kind: 'work-job', at: store.now, id, operation, after, found, next } as const;
}

const shown = (store: TestStore, job: number) => viewOf(store.queries, 'job.show', { job });

async function withDoubts(): Promise<TestStore> {
  const store = await TestStore.open();
  await tell(store, 'doubts alpha hold');
  for (const message of [1, 2, 3]) await tell(store, `accept alpha; ${message} in_doubt`);
  return store;
}

describe('a job', () => {
  it('changes its rows in steps, and ends with what became of them', async () => {
    await using store = await withDoubts();
    const id = await settle(store);
    await store.one(await stepOf(store, id));
    const half = await shown(store, id);
    assert.deepEqual([half.state, half.decided, half.endedAt], ['running', 2, null]);
    await store.one(await stepOf(store, id));
    const { state, decided, outcomes, endedAt } = await shown(store, id);
    assert.deepEqual(
      { state, decided, outcomes, endedAt },
      {
        state: 'done',
        decided: 3,
        outcomes: [{ outcome: 'settled', rows: 3 }],
        endedAt: store.now,
      },
    );
    await tell(store, 'events = unknown unknown unknown');
    // The filter may have phone numbers.
    assert.equal(await store.value('select filter from job'), null);
  });

  it('takes a step once, even if the step comes twice in one commit, or again after a restart', async () => {
    await using store = await withDoubts();
    const id = await settle(store);
    const step = await stepOf(store, id);
    await store.apply(step, step);
    await store.restart();
    await store.one(step);
    assert.equal((await shown(store, id)).decided, 2);
    assert.equal(await store.value("select count(*) from note where kind = 'settled'"), 2);
  });

  it('leaves rows that changed after they were read, and counts them', async () => {
    await using store = await withDoubts();
    const id = await settle(store);
    const step = await stepOf(store, id, 3);
    await tell(store, 'settle 2 sent');
    await store.one(step);
    const outcomes = [
      { outcome: 'settled', rows: 2 },
      { outcome: 'changed meanwhile', rows: 1 },
    ];
    assert.deepEqual((await shown(store, id)).outcomes, outcomes);
    await tell(store, 'events = unknown sent unknown');
  });

  it('leaves parts that came into doubt after its start', async () => {
    await using store = await withDoubts();
    const id = await settle(store);
    await tell(store, 'wait 1s; accept alpha; 4 in_doubt');
    await store.one(await stepOf(store, id, 9));
    assert.equal((await shown(store, id)).decided, 3);
    await tell(store, 'events = unknown unknown unknown sent; part state = unknown unknown unknown in_doubt');
  });

  it('adds up the refunds of canceled messages', async () => {
    await using store = await TestStore.open();
    await tell(store, 'accept 2; accept; accept alpha; balance = 60');
    const id = await cancel(store);
    const step = await stepOf(store, id, 9);
    await tell(store, 'claim alpha 1');
    await store.one(step);
    const { outcomes, refunds } = await shown(store, id);
    await tell(store, 'balance = 80');
    assert.deepEqual(outcomes, [{ outcome: 'canceled', rows: 2 }]);
    assert.deepEqual(refunds, [{ currency: 'EUR', amount: 20n }]);
  });

  it('can be stopped, and then does nothing more', async () => {
    await using store = await withDoubts();
    const id = await settle(store);
    const step = await stepOf(store, id);
    await store.one(operate('job.stop', { job: id }, { at: store.now }));
    await store.one(step);
    const { state, decided } = await shown(store, id);
    assert.deepEqual([state, decided], ['stopped', 0]);
    const [again] = await store.apply(operate('job.stop', { job: id }, { at: store.now }));
    assert.ok(again && !again.ok && again.error.code === 'conflict');
  });

  it('is refused while too many jobs run, and ended ones are deleted after 90 days', async () => {
    await using store = await TestStore.open();
    for (let count = 0; count < 20; count++) await cancel(store);
    const made = { ...common, filter: everyWaiting };
    const starts = operate('message.cancelMany', { all: true }, { at: store.now, made });
    const [refused] = await store.apply(starts);
    assert.ok(refused && !refused.ok && refused.error.code === 'conflict');
    await store.one(operate('job.stop', { job: 1 }, { at: store.now }));
    store.now += 90 * dayMs;
    await cancel(store);
    await store.one(operate('job.stop', { job: 2 }, { at: store.now }));
    assert.equal(await store.value('select min(id) from job'), 1);
    store.now += 1;
    await cancel(store);
    assert.equal(await store.value('select min(id) from job'), 2);
  });
});
