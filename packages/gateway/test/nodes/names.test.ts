/* A node's name belongs to one process, and other nodes open an alarm when this process dies. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { needsPostgres } from '../peers/needs.ts';
import { startOn } from '../support/gateway/gateway.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { waitUntil } from '../support/wait-until.ts';
import { calmTimes, Pair } from './pair.ts';

it(
  'a second process with the name of a node refuses to start, and a node that dies is an alarm',
  needsPostgres,
  async () => {
    await using pair = await Pair.open({ isCalm: true });
    const [first, second] = pair.places;
    assert.ok(first && second);
    const environment = {
      MORSEL_DATABASE_URL: pair.url,
      MORSEL_MASTER_KEY_FILE: pair.masterKey,
      MORSEL_NODE_NAME: second.name,
    };
    const twin = () => startOn(join(pair.folder, 'twin'), { nodeTimes: calmTimes, environment });
    await assert.rejects(twin(), /a node named n2 runs already.*: give each node a MORSEL_NODE_NAME of its own/);
    await second.node.kill();
    const alarms = async () => JSON.stringify((await first.node.ask('v1/alarms')).at('items'));
    await waitUntil('the alarm of n2', async () => (await alarms()).includes('node-lost'));
    // The node's process is gone, so the name is free at once.
    const again = await twin();
    await again.stop();
  },
);

it('if a node does not apply a change of settings in time, the command names that node', needsPostgres, async () => {
  await using pair = await Pair.open({ isCalm: true });
  const [first, second] = pair.places;
  assert.ok(first && second);
  first.node.signal('SIGTERM');
  await first.node.ended;
  const dataDir = join(pair.folder, 'n3');
  const environment = {
    MORSEL_DATABASE_URL: pair.url,
    MORSEL_MASTER_KEY_FILE: pair.masterKey,
    MORSEL_NODE_NAME: 'n3',
  };
  // With these times, n3 takes over from no other node during the test.
  const gateway = await startOn(dataDir, {
    nodeTimes: { ...calmTimes, actsMs: 20_000, silentMs: 30_000 },
    environment,
  });
  const add = (name: string) => runMorsel(['account', 'add', name, '--currency', 'EUR'], { dataDir });
  const done = await add('acme');
  assert.deepEqual([done.status, done.errors], [0, '']);
  second.node.signal('SIGSTOP');
  const late = await add('beta');
  second.node.signal('SIGCONT');
  assert.equal(late.status, 0, late.errors);
  assert.match(late.errors, /these nodes do not use it yet: n2/);
  await gateway.stop();
});
