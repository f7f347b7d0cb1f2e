import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';
import { readDueMessages } from '../../../store/views/message/scheduled.ts';

const hour = 3_600_000;
/** Two parts for an hour from now, with a validity of a minute from then. */
const planned = 'accept 2 due=1h';

async function due(store: TestStore, limit = 10, after = { dueAt: 0, id: firstIdAt(0) }): Promise<number[]> {
  return (await readDueMessages(store.queries, { at: store.now, after, limit })).map(({ id }) => id);
}

describe('a scheduled message', () => {
  stories({
    'is charged when it is accepted, is in no queue, and no claim finds it': `
      ${planned} -> 80; events = scheduled; states = scheduled scheduled; rows queue = 0; wait 2h; claim ->`,
    'is queued when it is due, once': `
      ${planned}; wait 1h; queue-due 1; events = queued; claim -> 1.1 1.2; part attempts = 1 1
      queue-due 1; states = claimed claimed`,
    'without a route stays scheduled with an error code, and goes when there is one': `
      ${planned}; wait 1h; queue-due 1 route=null; events = scheduled; errors = no_route; wait 30s; queue-due 1
      events = queued; errors = -; claim -> 1.1 1.2`,
    'without a route expires when its validity ends, counted from its due time, and is refunded': `
      ${planned}; wait 1h; queue-due 1 route=null; expire 59999ms; events = scheduled; wait 60s; queue-due 1
      events = scheduled; expire; events = expired; errors = no_route; balance = 100; rows scheduled = 0`,
  });

  it('is due at its time and not before, also after a restart, and its event is of the time when it is queued', async () => {
    await using store = await opened(`${planned}; restart`);
    const dueAt = store.now + hour;
    const eventAt = () => store.value('select report_event_at from part where number = 1');
    assert.equal(await eventAt(), store.now);
    store.now = dueAt - 1;
    assert.deepEqual(await due(store), []);
    store.now = dueAt + 700;
    assert.deepEqual(await due(store), [1001]);
    await tell(store, 'queue-due 1');
    assert.deepEqual([await eventAt(), await store.value('select due_at from message')], [store.now, dueAt]);
    assert.deepEqual(await due(store), []);
  });

  it('takes its place among waiting messages by its scheduled time', async () => {
    await using store = await opened('accept 2 due=2h expires=2h; accept 2 due=1h expires=3h; wait 3h; accept');
    assert.deepEqual(await due(store), [1002, 1001]);
    await tell(store, 'queue-due 1 & queue-due 2; claim -> 2.1 2.2 1.1 1.2 3.1');
  });

  stories({
    'takes the route at its due time, not the one at its acceptance': `
      ${planned}; route alpha prefix=4179; wait 1h; queue-due 1 route=2; rows queue route=2 = 2
      rows message route=2 = 1; claim -> 1.1 1.2`,
    'does not keep a carrier from being removed: its route is chosen when it is due': `
      ${planned}; no-route; carrier-is alpha removed -> ok`,
  });

  it('is found by its time, in pages in the order of due times, whatever else is scheduled', async () => {
    await using store = await TestStore.open();
    await tell(store, 'account rich 100000');
    const dueAt = (hours: number) => store.now + hours * hour;
    await store.apply(
      ...[3, 1, 2, 1, 5, 1].map((hours) => store.accept({ account: 2, dueAt: dueAt(hours), expiresAt: dueAt(9) })),
      ...Array.from({ length: 50 }, () => store.accept({ account: 2 })),
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
  });
});
