import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cheaperWaitMs } from '../../../core/routing/carrier-choice.ts';
import { firstIdAt, toMessageId } from '../../../core/base/message-id.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { carrierCommand, routeCommand, setCarrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';
import { carrierViews } from '../../../store/views/routing/carriers.ts';

const temporary = { outcome: 'temporary' } as const;

/** A store with carriers alpha and beta in one rank, chosen by least cost. */
async function open(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(carrierCommand({ name: 'beta' }));
  await store.one(routeCommand({ by: 'cost' }));
  await store.one(routeCommand({ carrier: 'beta', by: 'cost' }));
  return store;
}

function eur(amount: bigint) {
  return { amount: toMicros(amount), currency: 'EUR' };
}

describe('a waiting part under least cost', () => {
  it('waits half a second for the cheaper carrier if that is bound, and the claim says when to look again', async () => {
    await using store = await open();
    await store.one(store.accept({ eligible: '<2<1' }));
    const claim = { kind: 'claim', at: store.now, carrier: 1, link: 1, lease: 1, isWhole: false, max: 9 } as const;
    const early = await store.one({ ...claim, up: [1, 2] });
    assert.ok(early.ok);
    assert.deepEqual([early.value.parts, early.value.nextDue], [[], store.now + cheaperWaitMs]);
    assert.equal((await store.claim(9, { at: store.now + cheaperWaitMs, carrier: 1, up: [1, 2] })).length, 1);
    await store.one(store.accept({ eligible: '<2<1' }));
    assert.equal((await store.claim(9, { carrier: 1, up: [1] })).length, 1);
    await store.one(store.accept({ eligible: '<2<1' }));
    assert.equal((await store.claim(9, { carrier: 2, up: [1, 2] })).length, 1);
  });

  it('is found without reading other parts, however many wait for the cheaper carrier', async () => {
    await using store = await open();
    const free = { unitPrice: zeroMicros, totalCost: zeroMicros };
    await store.apply(...Array.from({ length: 300 }, () => store.accept({ ...free, eligible: '<2<1' })));
    const own = store.accept({ ...free, eligible: '<1<2' });
    await store.one(own);
    const claimed = await store.claim(9, { carrier: 1, up: [1, 2] });
    assert.deepEqual(
      claimed.map(({ message }) => message),
      [own.id],
    );
  });
});

describe('a carrier that is not eligible because the margin would be too small', () => {
  const margin = 'accept eligible=%2';
  stories(
    {
      'does not get the message when the other could not take it, nor in the next round (margin guard)': `
        ${margin}; claim beta up=beta ->; claim up=alpha,beta -> 1.1; 1 temporary; wait 10s; claim beta up=beta ->
        claim up=alpha,beta -> 1.1`,
      'does not get the message when the other refused it for good, and the message ends': `
        ${margin}; claim; 1 refused scope=carrier; states = rejected`,
      'is chosen again when the message is due': `
        accept due=1s; wait 1s; queue-due 1 eligible=%1<2<1; claim up=alpha ->; claim beta up=alpha,beta -> 1.1`,
    },
    open,
  );
});

describe('the cost of a message', () => {
  stories({
    'is the charge of the carriers that accepted its parts; a late answer does not change it': `
      accept 2 alpha; 1.1 in_doubt cost=4; 1.1 accepted id=a cost=none; cost 1 = 4 EUR margin 16; 1.2 accepted cost=5
      cost 1 = 9 EUR margin 11; rows attempt part=1 cost_amount=4 = 1; rows attempt part=2 cost_amount=5 = 1`,
    'is unknown if the cost of a part is not known': `
      accept 2 alpha; 1.1 accepted cost=4; 1.2 accepted cost=none; cost 1 = - margin -`,
    'is unknown if it is in two currencies': `
      accept 2 alpha; 1.1 accepted cost=4; 1.2 accepted cost=4:USD; cost 1 = - margin -`,
    'in another currency has no margin: there are no exchange rates': `
      accept alpha; 1 accepted cost=4:USD; cost 1 = 4 USD margin -`,
  });
});

it('a carrier’s invoice counts accepted parts at their cost when they were sent, page after page', async () => {
  await using store = await open();
  const from = store.now;
  for (const [index, cost] of [eur(4n), eur(4n), eur(5n), null, eur(9n), eur(4n)].entries()) {
    const message = store.accept({ id: toMessageId(firstIdAt(from) + index) });
    await store.one(message);
    await store.claim(1, { carrier: index === 4 ? 2 : 1, up: [] });
    const outcome = index === 5 ? temporary : { carrierId: `id-${index}`, carrierIdKey: `id-${index}` };
    await store.one(store.outcome(message.id, { carrier: index === 4 ? 2 : 1, cost, ...outcome }));
  }
  const queries = store.queries;
  const ask = async (range: { from: number; to: number }) => {
    const page = await carrierViews['carrier.cost'](queries, {
      carrier: 'alpha',
      ...range,
      now: range.to,
      caller: '',
    });
    assert.ok(page.ok && page.value.next === null);
    return page.value.costs.map(({ unitCost, parts }) => [unitCost, parts]);
  };
  assert.deepEqual(await ask({ from, to: from + 1 }), [
    [null, 1],
    [4n, 2],
    [5n, 1],
  ]);
  assert.deepEqual([await ask({ from: from - 5, to: from }), await ask({ from: from + 1, to: from + 5 })], [[], []]);
});

it('a carrier takes an existing cost list, keeps it, and can drop it', async () => {
  await using store = await open();
  const set = (costList: string | null) => store.one(setCarrierCommand({ costList }));
  const missing = await set('nothing');
  assert.ok(!missing.ok && missing.error.code === 'does_not_exist');
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'costs', currency: 'USD', prices }, { at: 0 }));
  assert.ok((await set('costs')).ok);
  await store.restart();
  await store.one(setCarrierCommand({ settings: { window: 7 } }));
  const listOf = "select name from price_list where id = (select cost_list from carrier where name = 'alpha')";
  assert.equal(await store.value(listOf), 'costs');
  assert.ok((await set(null)).ok);
  assert.equal(await store.value(listOf), undefined);
  const unmade = await store.one(carrierCommand({ name: 'gamma', costList: 'nothing' }));
  assert.ok(!unmade.ok && unmade.error.code === 'does_not_exist');
});
