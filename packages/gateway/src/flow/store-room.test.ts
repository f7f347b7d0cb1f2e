import type { CommandOf } from '../state/commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SqliteTestStore } from '../../test/support/store/store.ts';
import { TestClock } from '../../test/support/test-clock.ts';
import { Readiness } from './readiness.ts';
import { StoreRoom } from './store-room.ts';
import { quietLog } from '../../test/support/quiet-log.ts';

/* test/peers/disk/disk-faults.test.ts tests a whole gateway with a real full disk. */

it('a database that does not answer is a trouble until it answers, and is reported for an alarm afterwards', async () => {
  await using store = await SqliteTestStore.open();
  const clock = TestClock.still(store.now);
  const lines: string[] = [];
  const say = (_fields: object, message: string) => void lines.push(message);
  const journal = { append: (command: CommandOf<'report-alarm'>) => store.one<'report-alarm'>(command) };
  const log = { ...quietLog, info: say, error: say };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const room: StoreRoom = new StoreRoom({ node: 'a', journal: journal as never, clock, log });
  const readiness = new Readiness([room]);
  readiness.open();
  room.away(true);
  clock.advance(3_000);
  room.away(true);
  assert.ok(!readiness.ready().ok);
  assert.ok(readiness.check().ok, 'whether a message is refused is for the store to say');
  room.away(false);
  room.away(false);
  assert.ok(readiness.ready().ok);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    await store.value("select kind || ' ' || evidence from alarm_report"),
    'database-away the database did not answer for 3 s',
  );
  assert.equal(lines.length, 2, lines.join('\n'));
  await room.stop();
});

it('a full disk is a trouble until a report about it can be stored, for an alarm (P3)', async () => {
  await using store = await SqliteTestStore.open();
  const clock = TestClock.still(store.now);
  const lines: string[] = [];
  const log = {
    ...quietLog,
    info: (_fields: object, message: string) => void lines.push(message),
    error: (_fields: object, message: string) => void lines.push(message),
  };
  const journal = {
    append: (command: CommandOf<'report-alarm'>) => store.one<'report-alarm'>(command),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const room: StoreRoom = new StoreRoom({ node: 'a', journal: journal as never, clock, log });
  const readiness = new Readiness([room]);
  readiness.open();
  assert.ok(readiness.ready().ok);

  store.database.exec('pragma max_page_count = 1');
  for (let each = 0; each < 3; each++) {
    const refusal = await store.one(store.accept({ text: 'x'.repeat(20_000) }));
    assert.ok(!refusal.ok && refusal.error.code === 'unavailable');
    room.lacked('full');
  }
  assert.ok(!readiness.ready().ok);
  assert.ok(readiness.check().ok, 'whether a message is refused is for the store to say');
  assert.equal(readiness.troubles[0]?.kind, 'disk-full');
  assert.equal(await store.value('select count(*) from alarm_report'), 0);

  store.database.exec('pragma max_page_count = 1000000');
  clock.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(readiness.ready().ok);
  assert.equal(
    await store.value("select kind || ' ' || evidence from alarm_report"),
    'disk-full the disk was full or read-only for 1 s',
  );
  assert.equal(lines.length, 2, `${lines.join('\n')}: once when it was full, once when it was not`);
  await room.stop();
});
