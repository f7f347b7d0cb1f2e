import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountDefaults, type Account } from '../../core/account/account.ts';
import { HistogramCount, longTimes } from '../../core/base/histogram.ts';
import { TestStore } from '../../../test/support/store/store.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { refused } from '@morsel/api/values/result.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { Journal } from '../../store/journal.ts';
import { Counts } from './counts.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

const account: Account = { id: 1, name: 'acme', currency: 'EUR', status: 'active', ...accountDefaults, priceList: 1 };

test('counts that the store refused are stored once, added to the next write', async () => {
  await using store = await TestStore.open();
  const clock = TestClock.still(store.now);
  const start = clock.now();
  let isRefusing = true;
  let times = 0;
  const append = async (command: CommandOf<'add-counts'>) => {
    if (!isRefusing) return store.one<'add-counts'>(command);
    // During each refused write, one more hit is counted.
    times += 1;
    counts.ruleHit(account, 'repeat', { mode: 'watch', message: { sender: 'ACME', receiver: '+4' } });
    return refused({ code: 'unavailable', detail: 'full' } as const);
  };
  const carrier = {
    outcomes: { accepted: 3 },
    receipts: {},
    inbound: 0,
    delivered: 2,
    failed: 0,
    receiptSeconds: new HistogramCount(longTimes),
  };
  const counts: Counts = new Counts({
    clock,
    // The counts append no other command.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    journal: { append: append as unknown as Journal['append'] },
    log: { ...quietLog, error: (fields: object) => assert.fail(JSON.stringify(fields)) },
    meters: { accounts: new Map(), carriers: new Map([[1, carrier]]) },
    currencyOf: () => 'EUR',
  });
  const count = (receiver: string) => {
    counts.ruleHit(account, 'rate', { mode: 'refuse', message: { sender: 'ACME', receiver } });
    const request = {
      account: 'acme',
      requestId: receiver,
      operation: null,
      field: null,
      rule: 'rate',
      receiver: null,
    };
    counts.refused({ ...request, code: 'rate_limited', isSample: true });
  };
  count('+1');
  await counts.write();
  clock.advance(minuteMs);
  count('+2');
  counts.ruleHit(account, 'rate', { mode: 'watch', message: { sender: 'ACME', receiver: '+3' } });
  carrier.outcomes.accepted = 5;
  await counts.write();
  isRefusing = false;
  await counts.write();
  await counts.stop();
  const at = start + minuteMs;
  assert.deepEqual(
    await store.rows('select rule, refused, watched, first_at, last_at, receiver from rule_hit order by rule'),
    [
      { rule: 'rate', refused: 2, watched: 1, first_at: start, last_at: at, receiver: '+3' },
      { rule: 'repeat', refused: 0, watched: times, first_at: start, last_at: at, receiver: '+4' },
    ],
  );
  assert.deepEqual(await store.rows('select broken, refused from rule_slot where rule = ?', 'rate'), [
    { broken: 3, refused: 2 },
  ]);
  assert.deepEqual(await store.rows('select refusals, last_at, request_id from refusal_hour'), [
    { refusals: 2, last_at: at, request_id: '+2' },
  ]);
  assert.deepEqual(await store.rows('select request_id from refusal order by id'), [
    { request_id: '+1' },
    { request_id: '+2' },
  ]);
  assert.deepEqual(await store.rows('select accepted, delivered from carrier_slot'), [{ accepted: 5, delivered: 2 }]);
  assert.deepEqual(await store.rows('select sent from traffic_slot where span = 3600'), [{ sent: 5 }]);
});
