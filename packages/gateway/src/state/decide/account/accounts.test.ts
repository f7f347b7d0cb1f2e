import type { RulesChange } from '../../../core/account/rules.ts';
import { account as accountResource } from '@morsel/api/admin/account/account.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import { addWebhook, operate } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

function remove(store: TestStore, account: string): CommandOf<'operate'> {
  return operate('account.remove', { account }, { at: store.now });
}

describe('a removed account', () => {
  it('is not found any more, and its name is free for another', async () => {
    await using store = await TestStore.open();
    await store.addAccount('slip', 0);
    assert.deepEqual(await store.one(remove(store, 'slip')), { ok: true, value: { account: 'slip' } });
    assert.ok(!(await store.one(remove(store, 'slip'))).ok);
    const message = await store.one(store.accept({ account: 2 }));
    assert.ok(!message.ok && message.error.code === 'forbidden');
    await store.restart();
    await store.addAccount('slip', 50);
    assert.deepEqual(
      (await store.rows('select id, name, status, balance from account where id > 1')).map(Object.values),
      [
        [2, 'slip (removed 2)', 'removed', 0],
        [3, 'slip', 'active', 50],
      ],
    );
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('stays if it has a ledger entry, even one by an earlier command of the same commit', async () => {
    await using store = await TestStore.open();
    const stays = /account \w+ cannot be removed, because its entries in the ledger must be kept: use account suspend/;
    await store.addAccount('slip', 0);
    const posting = operate('posting.topUp', { account: 'slip', amount: toMicros(5n) }, { at: store.now });
    const [, late] = await store.apply(posting, remove(store, 'slip'));
    for (const result of [late, await store.one(remove(store, 'acme'))]) {
      assert.ok(result && !result.ok && 'detail' in result.error);
      assert.match(result.error.detail, stays);
    }
    assert.deepEqual(await store.moneyFaults(), []);
  });
});

describe('an account whose settings change', () => {
  it('is charged by the new settings from the next commit on, even after a restart', async () => {
    await using store = await TestStore.open();
    await set(store, { creditLimit: toMicros(10n), dayCap: toMicros(110n), timeZone: 'Europe/Zurich' });
    await store.restart();
    for (let sent = 0; sent < 11; sent++) assert.ok((await store.one(store.accept())).ok, String(sent));
    assert.equal(await store.balance(), -10);
    const refusal = await store.one(store.accept());
    assert.ok(!refusal.ok && refusal.error.code === 'insufficient_balance');
    await set(store, { creditLimit: toMicros(1_000n) });
    const capped = await store.one(store.accept());
    assert.ok(!capped.ok && capped.error.code === 'spend_cap_reached');
    assert.deepEqual([await store.balance(), await store.value('select spent_day from account')], [-10, 110]);
    await set(store, { dayCap: null });
    assert.ok((await store.one(store.accept())).ok);
  });

  it('cannot have a limit below its present debt (M2)', async () => {
    await using store = await TestStore.open();
    await set(store, { creditLimit: toMicros(10n) });
    for (let sent = 0; sent < 11; sent++) await store.one(store.accept());
    const refusal = await set(store, { creditLimit: toMicros(9n) });
    assert.ok(!refusal.ok && refusal.error.code === 'invalid_parameter');
    assert.match(refusal.error.detail, /owes 0\.00001 now/);
    assert.equal(await store.value('select credit_limit from account'), 10);
  });

  it('refuses a mode for a rule that is not set', async () => {
    await using store = await TestStore.open();
    const refusal = await set(store, {}, { modes: { rate: 'watch' } });
    assert.ok(!refusal.ok && refusal.error.code === 'invalid_parameter' && refusal.error.field === 'ruleModes');
    assert.match(refusal.error.detail, /rate is not set/);
    const rate = { count: 5, seconds: 1 };
    assert.ok((await set(store, {}, { rate, modes: { rate: 'watch' } })).ok);
    assert.ok((await set(store, {}, { modes: { rate: 'off' } })).ok);
  });

  it('refuses a price list of another currency, and an unknown one', async () => {
    await using store = await TestStore.open();
    const at = store.now;
    const prices = [{ prefix: '41', price: toMicros(10n) }];
    await store.one(operate('price.set', { list: 'dollars', currency: 'USD', prices }, { at }));
    for (const [priceList, code] of [
      ['dollars', 'invalid_parameter'],
      ['nothing', 'does_not_exist'],
    ] as const) {
      const refusal = await set(store, { priceList });
      assert.ok(!refusal.ok && refusal.error.code === code, priceList);
    }
  });

  it('has each threshold once, the highest first; a threshold may be as large as an amount', async () => {
    await using store = await TestStore.open();
    for (const [given, expected] of [
      ['50,10,50', ['50000000', '10000000']],
      ['699999999996.99999', ['699999999996999990']],
      ['-999999999999,0', ['0', '-999999999999000000']],
      ['none', []],
    ] as const) {
      await set(store, { lowBalance: given });
      assert.deepEqual(JSON.parse(String(await store.value('select low_balance from account'))), expected, given);
    }
    for (const lowBalance of ['1000000000000', '50,,10']) {
      assert.equal(readValues(accountResource.operations.set.input, { account: 'acme', lowBalance }).ok, false);
    }
  });
});

describe('notifications of a low balance', () => {
  /** Steps of an account with 100; `told` are its notifications: a threshold, and the balance below it. */
  const rows: readonly (readonly [what: string, steps: string, told: string])[] = [
    [
      'each threshold once until the balance is increased; a refund does not count as an increase',
      'limits 50 10; send 6; send 1; cancel; send 4; top-up 55; send 1',
      '50:40 10:0 50:45',
    ],
    ['an adjustment past a threshold, once', 'limits 50 10; adjust -60; restart; send 1; adjust -29', '50:40 10:1'],
    ['an adjustment past it again', 'limits 50 10; adjust -99; adjust 20; adjust -20', '10:1 10:1'],
    ['two adjustments of a commit that pass a threshold together', 'limits 50; adjust -30 -30', '50:40'],
    [
      'a threshold that is set above the balance, and no other setting',
      'limits 200; parts 5; limits 200 50; limits 200 150 50',
      '200:100 150:100',
    ],
    [
      'a top-up that leaves the balance below its threshold',
      'limits 50 10; adjust -95; top-up 20; send 2',
      '10:5 10:5',
    ],
  ];
  for (const [what, steps, wanted] of rows) {
    it(`of ${what}`, async () => {
      await using store = await openNotified();
      for (const step of steps.split('; ')) await take(store, step);
      assert.deepEqual((await told(store)).map((each) => each.join(':')).join(' '), wanted);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  it('come with the first charge of an account that started below its threshold, with or without a top-up', async () => {
    await using store = await openNotified();
    await store.addAccount('small', 40, { lowBalance: [toMicros(500n)] });
    await store.addAccount('empty', 0, { lowBalance: [toMicros(500n)] });
    for (const name of ['small', 'empty']) await notify(store, name);
    assert.ok((await topUp(store, 30n, 'empty')).ok);
    assert.deepEqual(await told(store), []);
    for (const account of [2, 3, 2, 3]) assert.ok((await store.one({ ...store.accept(), account })).ok);
    assert.deepEqual(await told(store), [
      [500, 30],
      [500, 20],
    ]);
  });
});

async function take(store: TestStore, step: string): Promise<void> {
  const [word = '', ...given] = step.split(' ');
  const [amount = 0n, ...more] = given.map(BigInt);
  if (word === 'limits') await set(store, { lowBalance: [amount, ...more].map(toMicros) });
  if (word === 'parts') await set(store, { partsMax: Number(amount) });
  if (word === 'top-up') await topUp(store, amount);
  if (word === 'adjust') await store.apply(...[amount, ...more].map(adjustment));
  if (word === 'restart') await store.restart();
  if (word === 'send') for (let sent = 0; sent < amount; sent++) assert.ok((await store.one(store.accept())).ok);
  if (word === 'cancel') {
    const message = toMessageId((await store.ids('message')).at(-1) ?? 0);
    await store.one({ kind: 'cancel', at: store.now, message, account: 1 });
  }
}

/** A store in which a webhook gets the notifications of low balances. */
async function openNotified(): Promise<TestStore> {
  const store = await TestStore.open();
  await notify(store, 'acme');
  return store;
}

async function notify(store: TestStore, account: string): Promise<void> {
  const added = await store.one(addWebhook(store.now, { account, on: ['alert'] }));
  assert.ok(added.ok);
}

async function told(store: TestStore): Promise<readonly (readonly [number, number])[]> {
  const alerts = await store.rows('select threshold, balance from notification order by id');
  return alerts.map(({ threshold, balance }) => [Number(threshold), Number(balance)] as const);
}

async function set(
  store: TestStore,
  settings: Omit<GivenOf<OperationNamed<'account.set'>>, 'account'>,
  rules: RulesChange = {},
) {
  return store.one(operate('account.set', { account: 'acme', ...settings }, { at: store.now, made: rules }));
}

function topUp(store: TestStore, amount: bigint, name = 'acme') {
  return store.one(operate('posting.topUp', { account: name, amount: toMicros(amount) }, { at: store.now }));
}

function adjustment(amount: bigint): CommandOf<'operate'> {
  const given = { account: 'acme', reason: 'test', amount: toMicros(amount), force: true };
  return operate('posting.adjust', given, { at: 0 });
}
