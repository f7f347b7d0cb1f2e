import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { Outcome } from '../../../core/message/outcome.ts';
import {
  carrierCommand,
  routeCommand,
  removeRouteCommand,
  carrierStatusCommand,
  setCarrierCommand,
} from '../../../../test/support/store/routing-commands.ts';
import { attemptsSql, propertyRuns, TestStore } from '../../../../test/support/store/store.ts';

const [alpha, beta, gamma] = [1, 2, 3];
const all = [alpha, beta, gamma];
const [submitFail, invalidReceiver, systemError] = [0x45, 0x0b, 0x08];

/** A route for 41: alpha first, beta behind it, and gamma last; a message goes on from alpha after 30 s. */
async function threeRanks({ isCompared = false } = {}): Promise<TestStore> {
  const store = await TestStore.open({ isCompared });
  await store.one(carrierCommand({ at: store.now, name: 'beta' }));
  await store.one(carrierCommand({ at: store.now, name: 'gamma' }));
  await store.one(removeRouteCommand({ at: store.now }));
  const route = { at: store.now, prefix: '41' };
  await store.one(routeCommand({ ...route, carrier: 'alpha', waitMs: 30_000 }));
  await store.one(routeCommand({ ...route, carrier: 'beta', rank: 2 }));
  await store.one(routeCommand({ ...route, carrier: 'gamma', rank: 3 }));
  return store;
}

const route = 2;
/** In the last test, with the same carriers. */
const otherRoute = 3;

async function claims(store: TestStore, carrier: number, up: readonly number[] = all): Promise<string[]> {
  return (await store.claim(10, { carrier, up })).map((part) => `${part.message}.${part.number}`);
}

async function pass(store: TestStore, carrier: string, passTlvs: readonly number[]): Promise<void> {
  await store.one(setCarrierCommand({ at: store.now, carrier, profile: { passTlvs } }));
}

function claimCommand(store: TestStore): CommandOf<'claim'> {
  return { kind: 'claim', at: store.now, carrier: alpha, link: 1, lease: 1, isWhole: false, up: all, max: 10 };
}

async function answer(
  store: TestStore,
  carrier: number,
  attempt: number,
  more: { outcome: Outcome; commandStatus?: number; part?: number },
) {
  const result = await store.one<'outcome'>(store.outcome(1001, { carrier, attempt, commandStatus: null, ...more }));
  assert.ok(result.ok);
  return result.value;
}

describe('a message with vendor TLVs', () => {
  const tlvs = [{ tag: 0x1400, value: '4a6f' }];

  it('goes on to the next carrier that takes them, which gets a claim, and keeps them', async () => {
    await using store = await threeRanks();
    await pass(store, 'gamma', [0x1400]);
    await store.one(store.accept({ route, tlvs }));
    for (const [carrier, eligible] of [
      [alpha, '%1'],
      [beta, '%1%2'],
    ] as const) {
      const claimed = await store.one<'claim'>({ ...claimCommand(store), carrier });
      assert.ok(claimed.ok);
      assert.deepEqual([claimed.value.parts, claimed.value.moved], [[], [{ route, eligible }]]);
    }
    await store.restart();
    const claimed = await store.one<'claim'>({ ...claimCommand(store), carrier: gamma });
    assert.deepEqual(claimed.ok && claimed.value.parts.map((part) => part.tlvs), [tlvs]);
  });

  it('goes to the last carrier that is left all the same, and its link refuses it: it is never sent without them', async () => {
    await using store = await threeRanks();
    await pass(store, 'gamma', [0x1401]);
    await store.one(store.accept({ route, tlvs }));
    assert.deepEqual(
      [await claims(store, alpha), await claims(store, beta), await claims(store, gamma)],
      [[], [], ['1001.1']],
    );
    await answer(store, gamma, 1, { outcome: 'refused' });
    assert.equal(await store.event(1001), 'rejected');
  });
});

describe('a route with several ranks', () => {
  it('uses the best rank with a bound carrier', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    assert.deepEqual(await claims(store, gamma), []);
    assert.deepEqual(await claims(store, beta), []);
    assert.deepEqual(await claims(store, gamma, [beta, gamma]), []);
    assert.deepEqual(await claims(store, beta, [beta, gamma]), ['1001.1']);
    await store.one(store.accept({ route }));
    assert.deepEqual(await claims(store, gamma, [gamma]), ['1002.1']);
    await store.one(store.accept({ route }));
    assert.deepEqual(await claims(store, alpha), ['1003.1']);
  });

  it('lets the next rank have a message after the set wait, and says when to look', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    const look = () =>
      store.one<'claim'>({
        kind: 'claim',
        at: store.now,
        carrier: beta,
        link: 1,
        lease: 1,
        isWhole: false,
        up: all,
        max: 10,
      });
    assert.deepEqual(await look(), {
      ok: true,
      value: { parts: [], nextDue: store.now + 30_000, skipped: 0, left: null },
    });
    store.now += 30_000;
    await store.one(store.accept({ route }));
    assert.deepEqual(await claims(store, gamma), []);
    assert.deepEqual(await claims(store, beta), ['1001.1']);
    assert.deepEqual(await claims(store, alpha), ['1002.1']);
  });

  it('gives waiting messages to a carrier that joins', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept());
    await store.one(carrierCommand({ at: store.now, name: 'beta' }));
    assert.deepEqual(await claims(store, beta, [beta]), []);
    await store.one(routeCommand({ at: store.now, carrier: 'beta', rank: 2 }));
    assert.deepEqual(await claims(store, beta, [beta]), ['1001.1']);
  });
});

describe('a refusal', () => {
  const rows: readonly (readonly [what: string, outcome: Outcome, status: number, then: string])[] = [
    ['for the moment', 'temporary', systemError, 'queued'],
    ['for good that speaks of the carrier alone', 'refused', submitFail, 'queued'],
    ['for good that speaks of the message', 'refused', invalidReceiver, 'rejected'],
    ['for good by a code of a vendor', 'refused', 0x410, 'rejected'],
  ];
  for (const [what, outcome, commandStatus, then] of rows) {
    it(`${what} makes it ${then}, and ${then === 'queued' ? 'the next rank tries at once' : 'nobody else tries'}`, async () => {
      await using store = await threeRanks();
      await store.one(store.accept({ route }));
      await claims(store, alpha);
      const { due, place } = await answer(store, alpha, 1, { outcome, commandStatus });
      assert.equal(await store.part(1001), then);
      assert.equal(due === null ? undefined : place?.route, then === 'queued' ? route : undefined);
      assert.deepEqual(await claims(store, alpha), []);
      assert.deepEqual(await claims(store, gamma), []);
      assert.deepEqual(await claims(store, beta), then === 'queued' ? ['1001.1'] : []);
    });
  }

  it('of each carrier ends the round: the next one starts after a pause, at the best rank', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    let due = 0;
    for (const [index, carrier] of all.entries()) {
      assert.deepEqual(await claims(store, carrier), ['1001.1']);
      due = (await answer(store, carrier, index + 1, { outcome: 'temporary', commandStatus: systemError })).due ?? 0;
    }
    assert.ok(due >= store.now + 5_000);
    for (const carrier of all) assert.deepEqual(await claims(store, carrier), []);
    store.now = due - 1;
    for (const carrier of all) assert.deepEqual(await claims(store, carrier), []);
    store.now = due;
    assert.deepEqual(await claims(store, beta), []);
    assert.deepEqual(await claims(store, alpha), ['1001.1']);
  });

  it('of one carrier, while the others are not bound, comes back to it in the next round', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    await claims(store, alpha, [alpha]);
    await answer(store, alpha, 1, { outcome: 'temporary', commandStatus: systemError });
    const again = async (seconds: number) => {
      store.now += seconds * 1_000;
      await store.one({ kind: 'expire', at: store.now, max: 10 });
      return claims(store, alpha, [alpha]);
    };
    assert.deepEqual([await again(4), await again(3)], [[], ['1001.1']]);
  });

  it('for good by all of them is the end, and is refunded once', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    for (const [index, carrier] of all.entries()) {
      assert.deepEqual(await claims(store, carrier), ['1001.1']);
      await answer(store, carrier, index + 1, { outcome: 'refused', commandStatus: submitFail });
    }
    assert.deepEqual([await store.part(1001), await store.balance()], ['rejected', 100]);
  });

  it('for good is remembered over rounds: that carrier never gets the part again', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route }));
    await claims(store, alpha);
    await answer(store, alpha, 1, { outcome: 'refused', commandStatus: submitFail });
    for (const [attempt, carrier] of [
      [2, beta],
      [3, gamma],
    ] as const) {
      await claims(store, carrier);
      await answer(store, carrier, attempt, { outcome: 'temporary', commandStatus: systemError });
    }
    store.now += 10_000;
    assert.deepEqual(await claims(store, alpha), []);
    assert.deepEqual(await claims(store, beta), ['1001.1']);
  });
});

describe('a message of three parts', () => {
  it('whose first was accepted stays with that carrier, whatever other carriers are bound', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route, numParts: 3 }));
    assert.equal((await store.claim(1, { carrier: alpha, up: all })).length, 1);
    await store.one(store.outcome(1001, { carrier: alpha }));
    assert.deepEqual(await claims(store, beta, [beta]), []);
    assert.deepEqual(await claims(store, gamma, [gamma]), []);
    assert.deepEqual(await claims(store, alpha), ['1001.2', '1001.3']);
    const back = await answer(store, alpha, 1, { outcome: 'temporary', commandStatus: systemError, part: 2 });
    // No other carrier is eligible: it waits for the next round of its own carrier.
    assert.deepEqual(back.place, { route, eligible: '' });
    assert.ok((back.due ?? 0) >= store.now + 5_000);
    await answer(store, alpha, 1, { outcome: 'refused', commandStatus: submitFail, part: 3 });
    assert.deepEqual(
      [await store.part(1001, 1), await store.part(1001, 2), await store.part(1001, 3)],
      ['sent', 'canceled', 'rejected'],
    );
  });

  it('whose first is in flight or in doubt stays, too; when the carrier does not have it after all, all of it goes on', async () => {
    await using store = await threeRanks();
    await store.one(store.accept({ route, numParts: 3 }));
    await store.claim(1, { carrier: alpha, up: all });
    assert.deepEqual(await claims(store, beta, [beta]), []);
    await answer(store, alpha, 1, { outcome: 'in_doubt' });
    assert.deepEqual(await claims(store, beta, [beta]), []);
    await answer(store, alpha, 1, { outcome: 'temporary', commandStatus: systemError });
    assert.deepEqual(await claims(store, beta, [beta]), ['1001.1', '1001.2', '1001.3']);
  });
});

it('a message that its carrier takes whole fails over whole, when one answer says so', async () => {
  await using store = await threeRanks();
  for (const [outcome, commandStatus] of [
    ['refused', submitFail],
    ['temporary', systemError],
  ] as const) {
    const accept = store.accept({ route, numParts: 2 });
    await store.one(accept);
    assert.equal((await store.claim(10, { carrier: alpha, up: all, isWhole: true })).length, 1);
    await store.one(store.outcome(accept.id, { carrier: alpha, outcome, commandStatus }));
    assert.deepEqual(await claims(store, alpha), []);
    assert.deepEqual(await claims(store, beta), [`${accept.id}.1`, `${accept.id}.2`]);
  }
});

it('a part in doubt is sent again by the carrier that may have it, and no other (S5)', async () => {
  await using store = await threeRanks();
  await store.one(store.accept({ route, expiresAt: store.now + 600_000 }));
  await claims(store, alpha);
  await answer(store, alpha, 1, { outcome: 'in_doubt' });
  store.now += 30_000;
  await store.one({ kind: 'expire', at: store.now, max: 10 });
  assert.deepEqual(await claims(store, beta, [beta]), []);
  assert.deepEqual(await claims(store, alpha), ['1001.1']);
});

it('a carrier that left a route finishes its messages, and cannot be removed before', async () => {
  await using store = await threeRanks();
  await store.one(store.accept({ route, numParts: 2 }));
  await store.claim(1, { carrier: alpha, up: all });
  await store.one(removeRouteCommand({ at: store.now, carrier: 'alpha' }));
  const remove = () => store.one(carrierStatusCommand('alpha', 'removed', store.now));
  assert.equal((await remove()).ok, false);
  assert.deepEqual(await claims(store, beta), []);
  await store.restart();
  assert.deepEqual(await claims(store, alpha), ['1001.2']);
});

it('claims look once at each part that another carrier holds, and then no more', async () => {
  await using store = await threeRanks();
  await store.addAccount('bulk', 1_000_000);
  const messages = 200;
  for (let count = 0; count < messages; count++) await store.one(store.accept({ route, account: 2, numParts: 2 }));
  await store.claim(messages * 2, { carrier: alpha, up: all });
  for (let id = 1001; id < 1001 + messages; id++) {
    await store.one(store.outcome(id, { carrier: alpha }));
    await store.one(store.outcome(id, { carrier: alpha, part: 2, outcome: 'busy', commandStatus: 0x58 }));
  }
  await store.one(store.accept({ route, account: 2 }));
  let looks = 0;
  for (let taken: string[] = []; taken.length === 0; looks++) taken = await claims(store, beta, [beta]);
  // Each was looked at once, ten or more at a time, and moved where beta does not look.
  assert.ok(looks <= messages / 10 + 1);
  assert.equal(await store.value(`select count(*) from queue where eligible = '=1'`), messages);
  await store.one(store.accept({ route, account: 2 }));
  assert.equal((await claims(store, beta, [beta])).length, 1);
});

interface Step {
  readonly kind: 'claim' | 'answer' | 'wait' | 'accept' | 'reroute';
  readonly carrier: number;
  readonly up: readonly number[];
  readonly outcome: Outcome;
  readonly which: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('claim', 'claim', 'answer', 'answer', 'wait', 'accept', 'reroute'),
  carrier: fc.constantFrom(...all),
  up: fc.subarray(all),
  outcome: fc.constantFrom('accepted', 'busy', 'temporary', 'refused', 'in_doubt'),
  which: fc.nat(40),
});

it('a part that its carrier could not take waits for its pause, though another part of the message comes back busy', async () => {
  await using store = await threeRanks();
  await store.one(store.accept({ route, numParts: 2 }));
  await store.claim(1, { carrier: alpha, up: [alpha] });
  await answer(store, alpha, 1, { outcome: 'temporary', commandStatus: systemError });
  await store.claim(1, { carrier: alpha, up: [alpha] });
  await answer(store, alpha, 1, { part: 2, outcome: 'busy' });
  assert.deepEqual(await claims(store, gamma, [gamma]), ['1001.1', '1001.2']);
  const { due } = await answer(store, gamma, 2, { part: 2, outcome: 'temporary', commandStatus: systemError });
  await answer(store, gamma, 2, { outcome: 'busy' });
  assert.deepEqual(await claims(store, gamma, [gamma]), ['1001.1']);
  assert.ok((due ?? 0) > store.now);
});

it('a part that a carrier refused does not go to it again, though another part of the message takes it along', async () => {
  await using store = await threeRanks();
  await store.one(store.accept({ route, numParts: 2 }));
  await store.claim(2, { carrier: gamma, up: [gamma] });
  await answer(store, gamma, 1, { outcome: 'busy' });
  await answer(store, gamma, 1, { part: 2, outcome: 'refused', commandStatus: submitFail });
  assert.deepEqual(await claims(store, alpha, [alpha]), ['1001.1', '1001.2']);
  await answer(store, alpha, 2, { part: 2, outcome: 'temporary', commandStatus: systemError });
  await answer(store, alpha, 2, { outcome: 'temporary', commandStatus: systemError });
  assert.deepEqual(await claims(store, gamma, [gamma]), ['1001.1']);
});

it('a part that goes along with another part does not come back to a carrier that had it just now', async () => {
  await using store = await threeRanks();
  await store.one(store.accept({ route, numParts: 2 }));
  const temporary = { outcome: 'temporary', commandStatus: systemError } as const;
  await store.claim(1, { carrier: alpha, up: [alpha] });
  await answer(store, alpha, 1, temporary);
  await store.claim(2, { carrier: gamma, up: [gamma] });
  await answer(store, gamma, 2, temporary);
  await answer(store, gamma, 1, { part: 2, ...temporary });
  assert.deepEqual(await claims(store, alpha, [alpha]), ['1001.2']);
});

it('whatever carriers do: one carrier a message (S4, S5), a pause before it gets a part again, and an end of everything (A3)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      await using store = await threeRanks({ isCompared: true });
      await store.addAccount('bulk', 1_000_000);
      for (const name of ['alpha', 'beta', 'gamma']) await store.one(routeCommand({ prefix: '4179', carrier: name }));
      for (const each of steps) await run(store, each);
      assert.deepEqual(await faults(store), []);
      await settleAll(store);
      assert.deepEqual(await faults(store), []);
      assert.equal(await store.value('select count(*) from part where deadline is not null'), 0);
      assert.equal(await store.value('select count(*) from queue'), 0);
      assert.deepEqual([await store.moneyFaults(), store.faults], [[], []]);
    }),
    { numRuns: propertyRuns(60) },
  );
});

async function run(store: TestStore, { kind, carrier, up, outcome, which }: Step): Promise<void> {
  switch (kind) {
    case 'accept':
      await store.one(store.accept({ route, account: 2, numParts: (which % 3) + 1, expiresAt: store.now + 60_000 }));
      return;
    case 'claim':
      await store.claim((which % 4) + 1, { carrier, lease: store.lease, up: [...new Set([...up, carrier])] });
      return;
    case 'reroute': {
      const there = await store.value('select count(*) from message');
      const message = toMessageId(1_001 + (which % Math.max(1, Number(there))));
      const messages = [{ message, route: which % 2 === 0 ? route : otherRoute, eligible: '' }];
      const moved = { kind: 'reroute', at: store.now, messages, forgets: 'nothing' } as const;
      const by = { carrier, link: 1, lease: store.lease, isWhole: false };
      const claim = { kind: 'claim', at: store.now, ...by, up: [...new Set([...up, carrier])], max: 2 } as const;
      // In one commit with a claim, before or behind it.
      await store.apply(...(which % 3 === 0 ? [moved, claim] : [claim, moved]));
      return;
    }
    case 'wait':
      store.now += which * 250;
      await store.one({ kind: 'expire', at: store.now, max: 100 });
      return;
    case 'answer': {
      const open = await store.rows(
        `select message, part, number, carrier from ${attemptsSql} as attempt where outcome is null order by message, part`,
      );
      const attempt = open[which % Math.max(1, open.length)];
      if (!attempt) return;
      const statuses = {
        accepted: 0,
        busy: 0x58,
        temporary: systemError,
        in_doubt: null,
        refused: [submitFail, invalidReceiver][which % 2],
      };
      await store.one(
        store.outcome(Number(attempt['message']), {
          part: Number(attempt['part']),
          attempt: Number(attempt['number']),
          carrier: Number(attempt['carrier']),
          outcome,
          lease: store.lease,
          commandStatus: statuses[outcome] ?? null,
        }),
      );
    }
  }
}

/** All answers are lost, and time goes by until nothing waits any more. */
async function settleAll(store: TestStore): Promise<void> {
  await store.one({ kind: 'begin', at: store.now });
  for (let days = 0; days < 8; days++) {
    store.now += 24 * 3_600_000;
    await store.one({ kind: 'expire', at: store.now, max: 1_000 });
  }
}

async function faults(store: TestStore): Promise<unknown[]> {
  const look = (sql: string) => store.rows(sql);
  return [
    ...(await look(`select message as two_carriers from ${attemptsSql} as attempt where outcome is null or outcome in ('accepted', 'in_doubt')
      group by message having count(distinct carrier) > 1`)),
    ...(await look(`select message as accepted_twice from attempt group by message, part
      having count(*) filter (where outcome = 'accepted') > 1 + count(*) filter (where outcome = 'in_doubt')`)),
    ...(await look(`select later.message as no_pause from ${attemptsSql} as later join attempt as earlier
      on earlier.message = later.message and earlier.part = later.part and earlier.carrier = later.carrier
      and earlier.number < later.number and earlier.outcome = 'temporary'
      where later.claimed_at < earlier.answered_at + 5000`)),
    ...(await look(`select later.message as again_after_refusal from ${attemptsSql} as later join attempt as earlier
      on earlier.message = later.message and earlier.part = later.part and earlier.carrier = later.carrier
      and earlier.number < later.number where earlier.outcome = 'refused'
      and not exists (select 1 from part where part.message = later.message and part.number = later.part and in_doubt > 0)`)),
    ...(await look(`select part.message as lost from part where (state = 'queued') <> exists (select 1 from queue
      where queue.message = part.message and queue.part = part.number and queue.due = part.due and queue.eligible = part.eligible)`)),
    ...(await look('select message as queued_twice from queue group by message, part having count(*) > 1')),
  ];
}
