import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { CommandOf, Kind, ResultOf } from '../../state/commands.ts';
import { readDueWork } from '../../store/views/message/due-work.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { setCarrierCommand } from '../../../test/support/store/routing-commands.ts';
import type { TestStore } from '../../../test/support/store/store.ts';
import { opened, tell } from '../../../test/support/store/stories/story.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { startDueWork } from './due-work.ts';

/** Looks once for due work in this store. Returns the commands that were written. */
async function look(store: TestStore, { isAway = false, isHeld = false } = {}): Promise<readonly string[]> {
  const written: string[] = [];
  const append = <K extends Kind>(command: CommandOf<K>): Promise<ResultOf<K>> => {
    written.push(command.kind);
    return store.one<K>(command);
  };
  const ask = async () => (isAway ? refused({ code: 'unavailable' }) : ok(await readDueWork(store.queries, store.now)));
  const loop = startDueWork({
    log: { ...quietLog, error: () => assert.fail() },
    clock: TestClock.still(store.now),
    journal: { append },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this view alone is asked
    reader: { ask: ask as never },
    isHeld: () => isHeld,
    lookForWaiting: () => {},
    partsWait: () => written.push('parts wait'),
  });
  await loop.stop();
  return written;
}

it('while nothing is due, nothing is written', async () => {
  await using store = await opened('accept alpha; 1 accepted id=a; receipt b');
  assert.deepEqual(await look(store), []);
});

it('while parts wait, carriers look for them', async () => {
  await using store = await opened('accept expires=60s');
  assert.deepEqual(await look(store), ['parts wait']);
});

it('a part past its deadline is expired, once, and only while the clock is trusted', async () => {
  await using store = await opened('accept expires=60s; wait 60s');
  assert.deepEqual(await look(store, { isHeld: true }), ['parts wait']);
  assert.deepEqual(await look(store), ['expire', 'parts wait']);
  await tell(store, 'states = expired');
  assert.deepEqual(await look(store), []);
});

it('after a change of the id rule, unmatched receipts are looked at again, once', async () => {
  await using store = await opened('accept alpha; 1 accepted id=1f; receipt 31 -> unmatched');
  assert.deepEqual(await look(store), []);
  await store.one(setCarrierCommand({ at: store.now, settings: { idRule: 'hex-answer' } }));
  assert.deepEqual(await look(store), ['rematch']);
  await tell(store, 'states = delivered');
  assert.deepEqual(await look(store), []);
});

it('if the store does not say what is due, the commands look', async () => {
  await using store = await opened('accept expires=60s; wait 60s');
  assert.deepEqual(await look(store, { isAway: true }), ['expire', 'rematch']);
  await tell(store, 'states = expired');
});
