import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Role } from '@morsel/api/admin/access/role.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { done } from '../../../../test/support/done.ts';
import { gateway } from '../../../../test/support/gateway/admin-api.ts';
import { pricesOf } from '../../../../test/support/store/prices.ts';
import { operatorCalls } from '../handlers.ts';

function calls(role: Role = 'owner') {
  const { operator } = gateway;
  return operatorCalls({ ...operator, caller: { ...operator.caller, name: role, role } });
}

const draftOf = (document: object) => JSON.stringify(document);
/** Beta replaces alpha. */
const moved = {
  routes: [
    { prefix: '41', carrier: 'beta' },
    { prefix: '41', carrier: 'alpha', remove: true },
  ],
};
const dearer = {
  prices: [
    { list: 'default', prefix: '41', price: 0.008 },
    { list: 'default', prefix: '4179', price: 0.009 },
  ],
};

async function carriersOf(prefix: string): Promise<readonly string[]> {
  const { items } = done(await calls().route.list({}));
  return items.filter((each) => each.prefix === prefix).map(({ carrier }) => carrier);
}

async function apply(changeSet: string) {
  const { version } = done(await calls().changeSet.show({ changeSet }));
  return calls().changeSet.apply({ changeSet, version });
}

describe('change sets', () => {
  before(async () => {
    for (const name of ['alpha', 'beta']) {
      done(await calls().carrier.add({ name, host: '127.0.0.1', port: 1, systemId: 'us', password: 'pw' }));
    }
    done(await calls().account.add({ name: 'acme', currency: 'EUR', balance: toMicros(10_000_000n) }));
    done(await calls().price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.0075' }) }));
    done(await calls().route.add({ prefix: '41', carrier: 'alpha' }));
    done(await calls().message.send({ account: 'acme', sender: 'Shop', receiver: '+41791112233', text: 'Hello' }));
  });

  it('show their differences, and change nothing', async () => {
    const config = draftOf({ ...moved, ...dearer });
    const { steps, state, createdBy } = done(await calls().changeSet.add({ changeSet: 'swiss', config }));
    assert.deepEqual([state, createdBy], ['draft', 'owner']);
    assert.deepEqual(
      steps.map(({ action, what }) => `${action} ${what}`),
      ['add route 41 beta', 'change price list default', 'remove route 41 alpha'],
    );
    assert.deepEqual(steps[1]?.changes, [
      { field: '41', before: '0.0075', after: '0.008' },
      { field: '4179', before: null, after: '0.009' },
    ]);
    assert.deepEqual(done(await calls().changeSet.show({ changeSet: 'swiss' })).steps, steps);
    assert.deepEqual(await carriersOf('41'), ['alpha']);
    const twice = await calls().changeSet.add({ changeSet: 'swiss', config });
    assert.match(JSON.stringify(twice), /already_exists/);
  });

  it('replay the messages of the last hour', async () => {
    const replayed = done(await calls('viewer').changeSet.replay({ changeSet: 'swiss' }));
    assert.deepEqual([replayed.accepted, replayed.messages, replayed.parts, replayed.changed], [1, 1, 1, 1]);
    const sums = (['before', 'after'] as const).map((side) =>
      replayed.carriers.reduce((sum, row) => sum + row[side], 0),
    );
    assert.deepEqual(sums, [1, 1]);
    const [money] = replayed.money;
    assert.deepEqual([money?.price, money?.priceAfter], [7_500n, 9_000n]);
    const [example] = replayed.examples;
    assert.deepEqual([example?.account, example?.price, example?.priceAfter], ['acme', 7_500n, 9_000n]);
  });

  it('need the roles of their steps', async () => {
    const rows = [
      ['operator', moved, true],
      ['operator', dearer, false],
      ['finance', dearer, true],
      ['finance', moved, false],
      ['viewer', moved, false],
      ['support', moved, false],
    ] as const;
    for (const [role, document, may] of rows) {
      const input = { changeSet: 'of-role' };
      const added = await calls(role).changeSet.add({ ...input, config: draftOf(document) });
      if (may) {
        done(added);
        const { version } = done(await calls(role).changeSet.show(input));
        const other = await calls('support').changeSet.apply({ ...input, version });
        assert.match(JSON.stringify(other), /"code":"forbidden"/);
        assert.match(JSON.stringify(await calls('support').changeSet.remove(input)), /"code":"forbidden"/);
        done(await calls(role).changeSet.remove(input));
      } else assert.match(JSON.stringify(added), /"code":"forbidden"/, role);
    }
  });

  it('are refused with the place of a fault, with a secret, and without a change', async () => {
    const rows = [
      [{ routes: [{ prefix: '41', carrier: 'nobody' }] }, /"field":"routes\[0\]".*no carrier named nobody/],
      [{ routes: [{ prefix: '41', carrier: 'alpha', remove: false }] }, /routes\[0\].remove.*must be true/],
      [{ prices: [{ list: 'nobody', prefix: '41', price: 1 }] }, /prices\[0\].*currency/],
      [{ carriers: [{ name: 'alpha', password: 'new' }] }, /must have no secret.*carrier alpha/],
      [{ routes: [{ prefix: '41', carrier: 'alpha' }] }, /must change at least one setting/],
    ] as const;
    for (const [document, says] of rows) {
      const refused = await calls().changeSet.add({ changeSet: 'wrong', config: draftOf(document) });
      assert.match(JSON.stringify(refused), says);
    }
    assert.match(JSON.stringify(await calls().changeSet.show({ changeSet: 'wrong' })), /no change set named wrong/);
  });

  it('are applied in one commit, unless a setting has changed since they were shown', async () => {
    const { version } = done(await calls().changeSet.show({ changeSet: 'swiss' }));
    done(await calls().price.set({ list: 'default', prices: pricesOf({ 49: '0.01' }) }));
    const late = await calls().changeSet.apply({ changeSet: 'swiss', version });
    assert.match(JSON.stringify(late), /the settings have changed since this plan was made/);
    assert.deepEqual(await carriersOf('41'), ['alpha']);
    const { state, appliedBy } = done(await apply('swiss'));
    assert.deepEqual([state, appliedBy], ['applied', 'owner']);
    assert.deepEqual(await carriersOf('41'), ['beta']);
    const entries = done(await calls().audit.list({ limit: 4 })).items;
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      ['route.remove', 'price.set', 'route.add', 'changeSet.apply'],
    );
    assert.match(JSON.stringify(await apply('swiss')), /is applied already/);
  });

  it('are undone by a reverse draft, unless their settings have changed since', async () => {
    const { changeSet, steps } = done(await calls().changeSet.undo({ changeSet: 'swiss' }));
    assert.equal(changeSet, 'undo-swiss');
    assert.deepEqual(
      steps.map(({ action, what }) => `${action} ${what}`),
      ['add route 41 alpha', 'change price list default', 'remove route 41 beta'],
    );
    done(await apply('undo-swiss'));
    assert.deepEqual(await carriersOf('41'), ['alpha']);
    const { items } = done(await calls().price.show({ list: 'default' }));
    assert.deepEqual(
      items.map(({ prefix, price }) => [prefix, price]),
      [
        ['41', 7_500n],
        ['49', 10_000n],
      ],
    );
    const again = await calls().changeSet.undo({ changeSet: 'swiss' });
    assert.match(JSON.stringify(again), /"code":"conflict".*have changed since it was applied/);
    done(await calls().changeSet.remove({ changeSet: 'swiss' }));
    assert.deepEqual(
      done(await calls().changeSet.list({})).items.map((each) => [each.changeSet, each.state]),
      [['undo-swiss', 'applied']],
    );
  });
});
