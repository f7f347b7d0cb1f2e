import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstIdAt, toMessageId } from '../../../core/base/message-id.ts';
import {
  carrierStatusCommand,
  removeRouteCommand,
  routeCommand,
} from '../../../../test/support/store/routing-commands.ts';
import { SqliteTestStore, TestStore } from '../../../../test/support/store/store.ts';
import { readDueMessages } from '../../../store/views/message/scheduled.ts';

const hour = 3_600_000;

/** A message of two parts that is scheduled for an hour from now, with a validity of a minute from then. */
async function planned(store: TestStore, afterMs = hour): Promise<void> {
  const dueAt = store.now + afterMs;
  await store.one(store.accept({ numParts: 2, dueAt, expiresAt: dueAt + 60_000 }));
}

async function queueDue(store: TestStore, route: number | null, ...ids: number[]): Promise<void> {
  const messages = ids.map((id) => ({ message: toMessageId(id), route }));
  assert.deepEqual(await store.one({ kind: 'queue-due', at: store.now, messages }), { ok: true, value: null });
}

async function due(store: TestStore, limit = 10, after = { dueAt: 0, id: firstIdAt(0) }): Promise<number[]> {
  return (await readDueMessages(store.queries, { at: store.now, after, limit })).map(({ id }) => id);
}

describe('a scheduled message', () => {
  it('is charged when it is accepted, is in no queue, and no claim finds it', async () => {
    await using store = await TestStore.open();
    await planned(store);
    assert.equal(await store.balance(), 80);
    assert.deepEqual(
      [await store.event(1001), await store.part(1001, 1), await store.part(1001, 2)],
      ['scheduled', 'scheduled', 'scheduled'],
    );
    assert.equal(await store.value('select count(*) from queue'), 0);
    assert.deepEqual(await store.claim(10, { at: store.now + 2 * hour }), []);
    assert.equal(await store.value('select due_at from message'), store.now + hour);
    assert.equal(await store.value('select report_event_at from part where number = 1'), store.now);
  });

  it('is due at its time and not before, also after a restart', async () => {
    await using store = await TestStore.open();
    await planned(store);
    await store.restart();
    store.now += hour - 1;
    assert.deepEqual(await due(store), []);
    store.now += 1;
    assert.deepEqual(await due(store), [1001]);
  });

  it('is queued when it is due, with its event at that time, and is not due again', async () => {
    await using store = await TestStore.open();
    await planned(store);
    const acceptedAt = store.now;
    store.now += hour + 700;
    await queueDue(store, 1, 1001);
    assert.equal(await store.event(1001), 'queued');
    assert.equal(await store.value('select report_event_at from part where number = 1'), store.now);
    assert.equal(await store.value('select due_at from message'), acceptedAt + hour);
    assert.deepEqual(await due(store), []);
    assert.deepEqual(
      (await store.claim(10)).map((part) => [part.message, part.number, part.attempt]),
      [
        [1001, 1, 1],
        [1001, 2, 1],
      ],
    );
    // Due, and written twice, by a process that did not hear of the first.
    await queueDue(store, 1, 1001);
    assert.equal(await store.part(1001), 'claimed');
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('takes its place among waiting messages by its scheduled time', async () => {
    await using store = await TestStore.open();
    await planned(store, 2 * hour);
    await planned(store, hour);
    store.now += 3 * hour;
    await store.one(store.accept());
    assert.deepEqual(await due(store), [1002, 1001]);
    const more = store.now + 60_000;
    await store.run(`update message set expires_at = ${more}; update part set deadline = ${more}`);
    await store.restart();
    await queueDue(store, 1, 1001, 1002);
    assert.deepEqual(
      (await store.claim(10)).map((part) => part.message),
      [1002, 1002, 1001, 1001, 1003],
    );
  });

  it('takes the route at its due time, not the one at its acceptance', async () => {
    await using store = await TestStore.open();
    await planned(store);
    await store.one(routeCommand({ at: store.now, prefix: '4179', carrier: 'alpha' }));
    store.now += hour;
    await queueDue(store, 2, 1001);
    assert.deepEqual(await store.rows('select distinct route from queue'), [{ route: 2 }]);
    assert.equal((await store.claim(10)).length, 2);
    assert.equal(await store.value('select route from message'), 2);
  });

  it('without a route stays scheduled with an error code, and goes when there is one', async () => {
    await using store = await TestStore.open();
    await planned(store);
    store.now += hour;
    await queueDue(store, null, 1001);
    assert.deepEqual(
      [await store.event(1001), await store.value('select report_error_code from part where number = 1')],
      ['scheduled', 'no_route'],
    );
    assert.deepEqual(await due(store), [1001]);
    store.now += 30_000;
    await queueDue(store, 1, 1001);
    assert.deepEqual(
      [await store.event(1001), await store.value('select report_error_code from part where number = 1')],
      ['queued', null],
    );
    assert.equal((await store.claim(10)).length, 2);
  });

  it('without a route expires when its validity ends, counted from its due time, and is refunded', async () => {
    await using store = await TestStore.open();
    await planned(store);
    store.now += hour;
    await queueDue(store, null, 1001);
    await store.one({ kind: 'expire', at: store.now + 59_999, max: 10 });
    assert.equal(await store.event(1001), 'scheduled');
    store.now += 60_000;
    await queueDue(store, 1, 1001);
    assert.equal(await store.event(1001), 'scheduled', 'it is too late to send it');
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual(
      [await store.event(1001), await store.value('select report_error_code from part where number = 1')],
      ['expired', 'no_route'],
    );
    assert.equal(await store.balance(), 100);
    assert.deepEqual(await due(store), []);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('does not keep a carrier from being removed: its route is chosen when it is due', async () => {
    await using store = await TestStore.open();
    await planned(store);
    await store.one(removeRouteCommand({ at: store.now, prefix: '41' }));
    const removed = await store.one(carrierStatusCommand('alpha', 'removed', store.now));
    assert.ok(removed.ok);
  });

  it('is found by its time, in pages in the order of due times, whatever else is scheduled', async () => {
    await using store = await SqliteTestStore.open();
    await store.addAccount('rich', 100_000);
    const dueHours = [3, 1, 2, 1, 5, 1];
    await store.apply(
      ...dueHours.map((hours) =>
        store.accept({ account: 2, dueAt: store.now + hours * hour, expiresAt: store.now + 9 * hour }),
      ),
      ...Array.from({ length: 500 }, () => store.accept({ account: 2 })),
    );
    store.now += 4 * hour;
    const pages: number[][] = [];
    for (let after = { dueAt: 0, id: firstIdAt(0) }; ;) {
      const page = await readDueMessages(store.queries, { at: store.now, after, limit: 2 });
      const last = page.at(-1);
      if (!last) break;
      pages.push(page.map(({ id }) => id));
      after = last;
    }
    assert.deepEqual(pages, [[1002, 1004], [1006, 1003], [1001]]);
    const plan = store.database
      .prepare(
        `explain query plan select message from scheduled where due_at <= ?
          and (due_at, message) > (?, ?) order by due_at, message limit ?`,
      )
      .all(store.now, 0, 0, 1)
      .map((row) => String(row['detail']));
    assert.equal(plan.length, 1, plan.join('; '));
    assert.match(plan[0] ?? '', /^SEARCH scheduled USING PRIMARY KEY/);
  });
});
