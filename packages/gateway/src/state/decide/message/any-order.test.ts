import { operate } from '../../../../test/support/store/operate.ts';
import type { Command } from '../../commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { refundPolicies } from '@morsel/api/values/account.ts';
import { messageEvents, type MessageEvent } from '@morsel/api/values/message.ts';
import { type MessageId, nodeCount, toMessageId } from '../../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { CarrierState } from '../../../core/message/receipt.ts';
import { propertyRuns, TestStore } from '../../../../test/support/store/store.ts';

const byLink1 = { carrier: 1, link: 1, lease: 1 };

it('in any order of commands, the money is right at every commit and events move forward (M1 to M4, A4, A5); in the end all are final (A3)', async () => {
  const step = fc.record({
    what: fc.constantFrom(
      'accept',
      'long',
      'planned',
      'queue-due',
      'cancel',
      'reroute',
      'late',
      'claim',
      'accepted',
      'busy',
      'temporary',
      'refused',
      'doubt',
      'receipt',
      'expire',
      'top-up',
      'begin',
    ),
    which: fc.nat(20),
    part: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom<CarrierState>('DELIVERED', 'UNDELIVERABLE', 'EXPIRED', 'ENROUTE', 'UNKNOWN', 'REJECTED'),
    isDirect: fc.boolean(),
    isWhole: fc.boolean(),
  });
  const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(groups, fc.constantFrom(...refundPolicies), async (script, refundPolicy) => {
      await using store = await TestStore.open({ isCompared: true });
      await store.addAccount('subject', 70, { refundPolicy });
      let { lease } = store;
      for (const group of script) {
        store.now += 7_000;
        const attempts = await attemptsOf(store);
        const due = await dueOf(store);
        const commands = group.flatMap((each): Command[] => {
          const message = 1_001 + each.which;
          const id = `${message}.${each.part}`;
          const attempt = attempts.get(id) ?? 1;
          const answer = { part: each.part, attempt, lease };
          const claim = each.isDirect ? { ...byLink1, lease, isWhole: each.isWhole } : null;
          switch (each.what) {
            case 'accept':
              return [store.accept({ account: 2, claim })];
            case 'long':
              return [store.accept({ account: 2, numParts: 3, claim })];
            case 'planned': {
              const dueAt = store.now + 1 + each.which * 3_000;
              return [store.accept({ account: 2, numParts: each.part, dueAt, expiresAt: dueAt + 60_000 })];
            }
            case 'queue-due':
              return [
                {
                  kind: 'queue-due',
                  at: store.now,
                  messages: due.map((planned) => ({ message: planned, route: each.isDirect ? 1 : null })),
                },
              ];
            case 'cancel':
              return [
                { kind: 'cancel', at: store.now, message: toMessageId(message), account: each.isDirect ? 2 : null },
              ];
            case 'reroute':
              return [
                {
                  kind: 'reroute',
                  at: store.now,
                  messages: [{ message: toMessageId(message), route: 1, eligible: each.isWhole ? '' : '<1' }],
                  forgets: each.isDirect ? 'all' : 'nothing',
                },
              ];
            case 'late':
              // For an attempt that was followed by others, or has its outcome already.
              return [
                store.outcome(message, {
                  ...answer,
                  attempt: 1 + (each.which % Math.max(1, attempt)),
                  outcome: each.isDirect ? 'accepted' : 'refused',
                  carrierId: `late ${id}`,
                  carrierIdKey: `late ${id}`,
                }),
              ];
            case 'claim':
              return [
                {
                  kind: 'claim',
                  at: store.now,
                  ...byLink1,
                  lease,
                  isWhole: each.isWhole,
                  up: [],
                  max: each.which,
                },
              ];
            case 'accepted':
              return [store.outcome(message, { ...answer, carrierId: id, carrierIdKey: id })];
            case 'busy':
            case 'temporary':
            case 'refused':
              return [store.outcome(message, { ...answer, outcome: each.what })];
            case 'doubt':
              return [store.outcome(message, { ...answer, outcome: 'in_doubt' })];
            case 'receipt':
              return [store.receipt(id, { state: each.state })];
            case 'expire':
              return [{ kind: 'expire', at: store.now + each.which * 20_000_000, max: 50 }];
            case 'top-up':
              return [operate('posting.topUp', { account: 'subject', amount: toMicros(5n) }, { at: store.now })];
            case 'begin':
              lease += nodeCount;
              return [{ kind: 'begin', at: store.now }];
          }
        });
        if (group.some((each) => each.what === 'begin')) await store.restart();
        const before = await eventsOf(store);
        const results = await store.apply(...commands);
        assert.deepEqual(store.faults, []);
        assert.equal(results.length, commands.length);
        assert.deepEqual(await store.moneyFaults(), []);
        assert.deepEqual(setBack(before, await eventsOf(store)), []);
        assert.deepEqual(await misplaced(store), []);
      }
      await end(store);
      assert.deepEqual(
        [...(await eventsOf(store))].filter(([, { event }]) => rank[event] < final),
        [],
      );
      assert.deepEqual(await store.moneyFaults(), []);
    }),
    { numRuns: propertyRuns(80) },
  );
});

interface EventNow {
  readonly event: MessageEvent;
  readonly eventAt: number;
  readonly corrected: boolean;
}

const final = 4;
const rank: Record<MessageEvent, number> = {
  scheduled: 0,
  queued: 1,
  sent: 2,
  buffered: 3,
  delivered: final,
  undelivered: final,
  rejected: final,
  expired: final,
  unknown: final,
  canceled: final,
};

/** The number of attempts of each part. */
async function attemptsOf(store: TestStore): Promise<ReadonlyMap<string, number>> {
  const rows = await store.rows('select message, number, attempts from part');
  return new Map(rows.map((row) => [`${Number(row['message'])}.${Number(row['number'])}`, Number(row['attempts'])]));
}

async function eventsOf(store: TestStore): Promise<ReadonlyMap<number, EventNow>> {
  const rows = await store.rows(
    'select message as id, report_event as event, report_event_at as event_at, report_corrected as corrected from part where number = 1',
  );
  return new Map(
    rows.map((row) => [
      Number(row['id']),
      {
        event: messageEvents.find((event) => event === row['event']) ?? assert.fail('an event of no name'),
        eventAt: Number(row['event_at']),
        corrected: row['corrected'] === 1,
      },
    ]),
  );
}

/** Messages whose event went back, or whose final event changed in another way than by one correction. */
function setBack(before: ReadonlyMap<number, EventNow>, after: ReadonlyMap<number, EventNow>): string[] {
  return [...before].flatMap(([id, then]) => {
    const now = after.get(id);
    if (!now || now.event === then.event) return [];
    const isCorrection = rank[then.event] === final && now.corrected && !then.corrected;
    const isForward = rank[now.event] > rank[then.event];
    // One group may hold an end and its correction.
    return isForward || isCorrection ? [] : [`${id}: ${then.event} to ${now.event}`];
  });
}

/** Parts that wait, or are scheduled, and are missing in the queue; and those that are in it and do not wait. */
async function misplaced(store: TestStore): Promise<readonly unknown[]> {
  return store.rows(`select part.message, number, state from part
        left join queue on queue.message = part.message and queue.part = number and queue.due = part.due
        where (state = 'queued') <> (queue.message is not null)
        union all select message, part, 'nowhere' from queue where not exists
          (select 1 from part where part.message = queue.message and number = queue.part and part.due = queue.due)
        union all select id, 0, report_event from message join part on part.message = id and number = 1 left join scheduled
          on scheduled.message = id and scheduled.due_at = message.due_at
          where (report_event = 'scheduled') <> (scheduled.message is not null)`);
}

/** The scheduled messages whose time has come. */
async function dueOf(store: TestStore): Promise<readonly MessageId[]> {
  const due = await store.rows(
    "select id from message join part on part.message = id and number = 1 where report_event = 'scheduled' and due_at <= ? order by due_at, id",
    store.now,
  );
  return due.map((row) => toMessageId(Number(row['id'])));
}

/** Lets all validities and waits run out, several times, as one end may start another wait. */
async function end(store: TestStore): Promise<void> {
  for (let round = 0; round < 3; round++) {
    store.now += 100 * 3_600_000;
    await store.restart();
    await store.apply({ kind: 'begin', at: store.now });
    await store.apply({ kind: 'expire', at: store.now, max: 10_000 });
  }
}
