import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setCarrierCommand } from '../../../../test/support/store/routing-commands.ts';
import type { TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';

const [alpha, beta, gamma] = [1, 2, 3];
const all = [alpha, beta, gamma];

/** A route for 41: alpha first, beta behind it, and gamma last; a message goes on from alpha after 30 s. */
const threeRanks = () =>
  opened('set-route carrier=alpha after=30s; carrier beta; route beta rank=2; carrier gamma; route gamma rank=3');

const route = 1;

async function gammaPasses(store: TestStore, tag: number): Promise<void> {
  await store.one(setCarrierCommand({ at: store.now, carrier: 'gamma', profile: { passTlvs: [tag] } }));
}

describe('a message with vendor TLVs', () => {
  const extras = [{ tag: 0x1400, octets: '4a6f' }];
  it('goes on to the next carrier that takes them, which gets a claim, and keeps them', async () => {
    await using store = await threeRanks();
    await gammaPasses(store, 0x1400);
    await store.one(store.accept({ extras }));
    const claim = { kind: 'claim', at: store.now, link: 1, lease: 1, isWhole: false, up: all, max: 10 } as const;
    for (const [carrier, eligible] of [
      [alpha, '%1'],
      [beta, '%1%2'],
    ] as const) {
      const claimed = await store.one<'claim'>({ ...claim, carrier });
      assert.ok(claimed.ok);
      assert.deepEqual([claimed.value.parts, claimed.value.moved], [[], [{ route, eligible }]]);
    }
    await store.restart();
    const claimed = await store.one<'claim'>({ ...claim, carrier: gamma });
    assert.deepEqual(claimed.ok && claimed.value.parts.map((part) => part.extras), [extras]);
  });

  it('goes to the last carrier that is left all the same, and its link refuses it: it is never sent without them', async () => {
    await using store = await threeRanks();
    await gammaPasses(store, 0x1401);
    await store.one(store.accept({ extras }));
    await tell(store, 'claim up=all ->; claim beta up=all ->; claim gamma up=all -> 1.1; 1 refused; events = rejected');
  });
});

describe('a route with several ranks', () => {
  stories(
    {
      'uses the best rank with a bound carrier': `
        accept; claim gamma up=all ->; claim beta up=all ->; claim gamma up=beta,gamma ->
        claim beta up=beta,gamma -> 1.1; accept; claim gamma up=gamma -> 2.1; accept; claim up=all -> 3.1`,
      'lets the next rank have a message after the set wait': `
        accept; claim beta up=all ->; wait 30s; accept; claim gamma up=all ->; claim beta up=all -> 1.1
        claim up=all -> 2.1`,
    },
    threeRanks,
  );
  stories({
    'gives waiting messages to a carrier that joins': `
      accept; carrier beta; claim beta up=beta ->; route beta rank=2; claim beta up=beta -> 1.1`,
  });

  it('says when the next rank is to look', async () => {
    await using store = await threeRanks();
    await store.one(store.accept());
    const by = { carrier: beta, link: 1, lease: 1, isWhole: false };
    assert.deepEqual(await store.one({ kind: 'claim', at: store.now, ...by, up: all, max: 10 }), {
      ok: true,
      value: { parts: [], nextDue: store.now + 30_000, skipped: 0, left: null },
    });
  });
});

describe('a refusal', () => {
  const rows: readonly (readonly [what: string, answer: string, then: string])[] = [
    ['for the moment', 'temporary', 'queued'],
    ['for good that speaks of the carrier alone', 'refused scope=carrier', 'queued'],
    ['for good that speaks of the message', 'refused', 'rejected'],
  ];
  for (const [what, answer, then] of rows) {
    const about = `${what} makes it ${then}, and ${then === 'queued' ? 'the next rank tries at once' : 'nobody else tries'}`;
    const [due, next] = then === 'queued' ? ['+0 elsewhere', '1.1'] : ['never', ''];
    const text = `accept; claim up=all -> 1.1; 1 ${answer} -> ${due}; states = ${then}
      claim up=all ->; claim gamma up=all ->; claim beta up=all -> ${next}`;
    stories({ [about]: text }, threeRanks);
  }

  stories(
    {
      'of each carrier ends the round: the next one starts after a pause, at the best rank': `
        accept; claim up=all -> 1.1; 1 temporary; claim beta up=all -> 1.1; 1 temporary; claim gamma up=all -> 1.1
        1 temporary; claim up=all ->; claim beta up=all ->; claim gamma up=all ->
        wait 4999ms; claim up=all ->; claim beta up=all ->; claim gamma up=all ->
        wait 2s; claim beta up=all ->; claim up=all -> 1.1`,
      'of one carrier, while the others are not bound, comes back to it in the next round': `
        accept; claim up=alpha -> 1.1; 1 temporary; wait 4s; expire; claim up=alpha ->
        wait 3s; expire; claim up=alpha -> 1.1`,
      'for good by all of them is the end, and is refunded once': `
        accept; claim up=all -> 1.1; 1 refused scope=carrier; claim beta up=all -> 1.1; 1 refused scope=carrier
        claim gamma up=all -> 1.1; 1 refused scope=carrier; states = rejected; balance = 100`,
      'for good is remembered over rounds: that carrier never gets the part again': `
        accept; claim up=all; 1 refused scope=carrier; claim beta up=all; 1 temporary; claim gamma up=all; 1 temporary
        wait 10s; claim up=all ->; claim beta up=all -> 1.1`,
    },
    threeRanks,
  );
});

describe('a message of several parts', () => {
  stories(
    {
      'whose first was accepted stays with that carrier, whatever other carriers are bound': `
        accept 3; claim 1 up=all -> 1.1; 1 accepted; claim beta up=beta ->; claim gamma up=gamma ->
        claim up=all -> 1.2 1.3; 1.2 temporary; claim up=all ->; 1.3 refused scope=carrier
        states = sent canceled rejected`,
      'whose first is in flight or in doubt stays, too; when the carrier does not have it, all of it goes on': `
        accept 3; claim 1 up=all; claim beta up=beta ->; 1 in_doubt; claim beta up=beta ->; 1 temporary
        claim beta up=beta -> 1.1 1.2 1.3`,
      'that its carrier takes whole fails over whole, when one answer says so': `
        accept 2; claim whole up=all -> 1.1; 1 refused scope=carrier; claim up=all ->; claim beta up=all -> 1.1 1.2
        accept 2; claim whole up=all -> 2.1; 2 temporary; claim up=all ->; claim beta up=all -> 2.1 2.2`,
      'whose part its carrier could not take waits for its pause, though another part comes back busy': `
        accept 2; claim 1 up=alpha; 1 temporary; claim 1 up=alpha; 1.2 busy; claim gamma up=gamma -> 1.1 1.2
        1.2 temporary; 1.1 busy; claim gamma up=gamma -> 1.1`,
      'whose part a carrier refused does not go to it again, though another part takes it along': `
        accept 2; claim gamma up=gamma; 1.1 busy; 1.2 refused scope=carrier; claim up=alpha -> 1.1 1.2
        1.2 temporary; 1.1 temporary; claim gamma up=gamma -> 1.1`,
      'does not come back with another part to a carrier that had it just now': `
        accept 2; claim 1 up=alpha; 1 temporary; claim gamma 2 up=gamma; 1.1 temporary; 1.2 temporary
        claim up=alpha -> 1.2`,
      'in doubt is sent again by the carrier that may have it, and no other (S5)': `
        accept expires=600s; claim up=all; 1 in_doubt; wait 30s; expire; claim beta up=beta ->; claim up=all -> 1.1`,
    },
    threeRanks,
  );
});

stories(
  {
    'a carrier that left a route finishes its messages, and cannot be removed before': `
      accept 2; claim 1 up=all; no-route carrier=alpha; carrier-is alpha removed -> in_use; claim beta up=all ->; restart
      claim up=all -> 1.2`,
  },
  threeRanks,
);
