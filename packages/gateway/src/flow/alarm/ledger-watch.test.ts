import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestStore } from '../../../test/support/store/store.ts';
import { checkLedger } from '../../store/views/money/ledger-check.ts';
import { LedgerWatch } from './ledger-watch.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

it('checks the whole ledger once a day, and each hour until a fault is repaired', async () => {
  await using store = await TestStore.open({ isCounting: true });
  await store.addAccount('other', 50);
  const clock = TestClock.still(store.now);
  const ask = async (_view: string, input: Parameters<typeof checkLedger>[1]) =>
    ok(await checkLedger(store.queries, input));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only view that it asks
  await using watch = new LedgerWatch({ clock, log: quietLog, prices: { ask: ask as never } });
  assert.equal(watch.verdict, undefined);
  const next = async () => {
    const before = watch.verdict;
    return clock.advanceUntil('a check has ended', () => watch.verdict !== before && watch.verdict, hourMs);
  };
  assert.equal((await next()).faults, 0);
  await store.run("update account set balance = balance + 1 where name = 'other'");
  const wrong = await next();
  assert.deepEqual([wrong.faults, wrong.first?.account], [1, 'other']);
  assert.match(wrong.first?.fault ?? '', /sum of its entries/);
  await store.run("update account set balance = balance - 1 where name = 'other'");
  const right = await next();
  assert.equal(right.faults, 0);
  assert.ok(right.at - wrong.at < 12 * hourMs, 'it does not wait for the next day');
});
