import assert from 'node:assert/strict';
import { it } from 'node:test';
import { alterStore, StoreFile } from '../support/store/store-file.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A port on which no server listens, so that accepted messages wait. */
const deadPort = 1;

it('a start continues the update of waiting messages after a route changed, if the process ended within it', async () => {
  await using tour = await Tour.open({
    carriers: [{ name: 'alpha', prefix: '41', port: deadPort }],
    sessions: 0,
  });
  assert.ok((await tour.operator.account.set({ account: 'acme', marginMin: '0', belowMargin: 'refuse' })).ok);
  assert.ok((await tour.operator.route.set({ prefix: '41', cost: '0.001' })).ok);
  await tour.accept({ receiver: '+41791112233' });
  const read = async (sql: string) => {
    using store = await StoreFile.read(tour.dataDir);
    return store.texts(sql).join();
  };
  const [eligible, toFollow] = ['select eligible from part', 'select count(*) from route_to_follow'];
  assert.equal(await read(toFollow), '0', 'what was changed by the running process has been followed');
  assert.equal(await read(eligible), '');
  await tour.stop();
  // The same state as after a kill right after the commit of `route set`.
  await alterStore(tour.dataDir, 'update route_carrier set cost = 900000');
  await alterStore(tour.dataDir, "insert into route_to_follow values (1, 1, 'nothing')");
  await tour.start();
  await waitUntil('all has followed', async () => (await read(toFollow)) === '0');
  assert.equal(await read(eligible), '%1', 'too little would be left: the carrier may not have it');
});
