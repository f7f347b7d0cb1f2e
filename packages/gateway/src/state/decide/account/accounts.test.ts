import type { RulesChange } from '../../../core/account/rules.ts';
import { account as accountResource } from '@morsel/api/admin/account/account.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

const send = (times: number) => Array(times).fill('accept').join('; ');

describe('a removed account', () => {
  stories({
    'is not found any more, and its name is free for another': `
      account slip; no-account slip -> ok; no-account slip -> does_not_exist; accept account=2 -> forbidden; restart
      account slip 50 -> ok; rows account id=2 status=removed balance=0 = 1
      rows account id=3 name=slip status=active balance=50 = 1`,
    'stays if it has a ledger entry, even one by an earlier command of the same commit': `
      account slip; top-up slip 5 & no-account slip -> 5 & in_use; no-account acme -> in_use`,
  });
});

describe('an account whose settings change', () => {
  stories({
    'is charged by the new settings from the next commit on, even after a restart': `
      set-account limit=10 cap=110 zone=Europe/Zurich; restart; ${send(11)}; balance = -10; accept -> insufficient_balance
      set-account limit=1000; accept -> spend_cap_reached; balance = -10; rows account spent_day=110 = 1
      set-account cap=none; accept -> -20`,
    'cannot have a limit below its present debt (M2)': `
      set-account limit=10; ${send(11)}; set-account limit=9 -> invalid_parameter; rows account credit_limit=10 = 1`,
    'refuses a price list of another currency, and an unknown one': `
      prices dollars currency=USD p41=10; set-account list=dollars -> invalid_parameter
      set-account list=nothing -> does_not_exist`,
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

/** Stories of an account with 100, and a webhook for its alerts. */
describe('notifications of a low balance', () => {
  stories(
    {
      'come of each threshold once until the balance is increased; a refund does not count as an increase': `
        set-account alerts=50,10; ${send(7)}; cancel 7; ${send(4)}; top-up acme 55; accept; alerts = 50:40 10:0 50:45`,
      'come of an adjustment past a threshold, once': `
        set-account alerts=50,10; adjust acme -60 force; restart; accept; adjust acme -29 force; alerts = 50:40 10:1`,
      'come of an adjustment past it again': `
        set-account alerts=50,10; adjust acme -99 force; adjust acme 20; adjust acme -20 force; alerts = 10:1 10:1`,
      'come of two adjustments of a commit that pass a threshold together': `
        set-account alerts=50; adjust acme -30 force & adjust acme -30 force; alerts = 50:40`,
      'come of a threshold that is set above the balance, and of no other setting': `
        set-account alerts=200; set-account parts=5; set-account alerts=200,50; set-account alerts=200,150,50
        alerts = 200:100 150:100`,
      'come of the lowest threshold again if a top-up leaves the balance below it': `
        set-account alerts=50,10; adjust acme -95 force; top-up acme 20; accept; accept; alerts = 10:5 10:5`,
      'come with the first charge of an account that started below its threshold, with or without a top-up': `
        account small 40 alerts=500; account empty 0 alerts=500; webhook small on=alert; webhook empty on=alert
        top-up empty 30; alerts =; accept account=2; accept account=3; accept account=2; accept account=3
        alerts = 500:30 500:20`,
    },
    () => opened('webhook acme on=alert'),
  );
});

async function set(
  store: TestStore,
  settings: Omit<GivenOf<OperationNamed<'account.set'>>, 'account'>,
  rules: RulesChange = {},
) {
  return store.one(operate('account.set', { account: 'acme', ...settings }, { at: store.now, made: rules }));
}
