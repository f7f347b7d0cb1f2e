import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addKeyword, addNumber } from '../../../../test/support/clients/inbound-messages.ts';
import {
  carrierCommand,
  carrierStatusCommand,
  removeRouteCommand,
  routeCommand,
} from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import type { Command } from '../../commands.ts';

const number = '+41791112233';

/** Each step needs rows that a step before it makes, moves or removes. */
const steps: readonly Command[] = [
  carrierCommand({ name: 'beta' }),
  addNumber(number, 'acme'),
  addKeyword({ number, word: 'taxi' }, 'acme'),
  routeCommand({ prefix: '44', carrier: 'beta' }),
  routeCommand({ prefix: '43', carrier: 'beta' }),
  carrierStatusCommand('beta', 'paused'),
  removeRouteCommand({ prefix: '44' }),
];

const refused = carrierStatusCommand('beta', 'removed');

describe('commands together', () => {
  it('are all done, each with the changes of the steps before it', async () => {
    await using store = await TestStore.open({ isCompared: true });
    const routes = Number(await store.value('select count(*) from route where removed_at is null'));
    const [result] = await store.apply({ kind: 'together', at: 0, steps, isTrial: false });
    assert.match(JSON.stringify(result), /"isDone":true/);
    assert.equal(await store.value("select status from carrier where name = 'beta'"), 'paused');
    assert.equal(await store.value('select count(*) from keyword'), 1);
    assert.equal(await store.value('select count(*) from route where removed_at is null'), routes + 1);
  });

  it('are not done at all if one step is refused, but other commands of the group are', async () => {
    await using store = await TestStore.open({ isCompared: true });
    const carriers = await store.value('select count(*) from carrier');
    const results = await store.apply(
      carrierCommand({ name: 'before' }),
      { kind: 'together', at: 0, steps: [...steps, refused], isTrial: false },
      carrierCommand({ name: 'after' }),
    );
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, true, true],
    );
    const together = results[1]?.ok === true ? JSON.stringify(results[1].value) : '';
    assert.match(together, /carrier beta has a route for prefix 43: remove the route first.*"isDone":false/);
    assert.equal(await store.value('select count(*) from carrier'), Number(carriers) + 2);
    assert.equal(await store.value('select count(*) from keyword'), 0);
  });

  it('are not done at all in a trial, which goes on after a refused step', async () => {
    await using store = await TestStore.open({ isCompared: true });
    const carriers = await store.value('select count(*) from carrier');
    const other = carrierStatusCommand('nobody', 'paused');
    const trial: readonly Command[] = [...steps, refused, other];
    const [result] = await store.apply({ kind: 'together', at: 0, steps: trial, isTrial: true });
    const shown = result?.ok === true ? JSON.stringify(result.value) : '';
    assert.match(shown, /has a route for prefix 43.*no carrier named nobody.*"isDone":false/);
    assert.equal(await store.value('select count(*) from carrier'), carriers);
    assert.equal(await store.value('select count(*) from keyword'), 0);
  });
});
