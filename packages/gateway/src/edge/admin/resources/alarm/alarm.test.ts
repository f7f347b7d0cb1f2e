import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gateway, watchOf } from '../../../../../test/support/gateway/admin-api.ts';
import { done } from '../../../../../test/support/done.ts';
import { operatorCalls } from '../../handlers.ts';

it('an alarm opens once, is acknowledged, and closes when its reason is gone', async () => {
  const { operator } = gateway;
  const { account, alarm, gateway: running, posting } = operatorCalls(operator);
  const watch = watchOf();
  const listed = async (all: boolean) => {
    await watch.look();
    return done(await alarm.list({ all })).items.filter(({ kind }) => kind === 'low-balance');
  };
  done(await alarm.set({ kind: 'disk-low', watched: 'no' }));
  done(await account.add({ name: 'acme', currency: 'EUR', balance: '100', lowBalance: '50' }));
  assert.deepEqual(await listed(false), []);
  done(await posting.adjust({ account: 'acme', amount: '-60', reason: 'a letter' }));
  const [first, ...others] = await listed(false);
  if (!first) assert.fail('it opens');
  const { subject, state, help, severity } = first;
  const opened = { subject: 'acme', state: 'open', help: 'morsel account top-up acme 10', severity: 'warning' };
  assert.deepEqual({ subject, state, help, severity }, opened);
  assert.deepEqual(others, []);
  assert.equal((await listed(false)).length, 1, 'it does not open again');
  assert.equal(done(await running.status()).openAlarms, 1);
  const acknowledged = done(await alarm.ack({ alarm: first.alarm }));
  assert.deepEqual([acknowledged.state, acknowledged.acknowledgedBy], ['acknowledged', operator.caller.name]);
  done(await posting.topUp({ account: 'acme', amount: '100' }));
  assert.deepEqual(await listed(false), []);
  assert.deepEqual(
    (await listed(true)).map((each) => [each.alarm, each.state]),
    [[first.alarm, 'closed']],
  );
});

it('the thresholds of a kind of alarms can be set within their range', async () => {
  const { alarm } = operatorCalls(gateway.operator);
  const set = done(await alarm.set({ kind: 'queue-old', threshold: 600 }));
  assert.deepEqual([set.threshold, set.unit, set.forSeconds, set.watched], [600, 's', 0, 'yes']);
  assert.equal(done(await alarm.set({ kind: 'queue-old', forSeconds: 5 })).threshold, 600, 'it stays');
  for (const [kind, threshold] of [
    ['carrier-throttles', 101],
    ['link-down', 5],
  ] as const) {
    const refusal = await alarm.set({ kind, threshold });
    assert.equal(refusal.ok ? undefined : refusal.error.code, 'invalid_parameter', kind);
  }
});

it('a carrier without bound links opens one alarm, with its routes as evidence', async () => {
  const { alarm, carrier, route } = operatorCalls(gateway.operator);
  done(await alarm.set({ kind: 'disk-low', watched: 'no' }));
  const where = { host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' };
  done(await carrier.add({ name: 'alpha', ...where, links: 2 }));
  done(await carrier.add({ name: 'beta', ...where }));
  done(await carrier.pause({ carrier: 'beta' }));
  for (const prefix of ['41', '42', '43', '44', '45', '46', '47']) done(await route.add({ prefix, carrier: 'alpha' }));
  done(await route.add({ prefix: '47', carrier: 'beta', rank: 2 }));
  // Set only now, because the gateway's own watch could open the alarm earlier, with less evidence.
  for (const kind of ['carrier-down', 'link-down', 'route-without-carrier'] as const)
    done(await alarm.set({ kind, forSeconds: 0 }));
  await watchOf().look();
  const open = done(await alarm.list({})).items;
  assert.deepEqual(
    open.map(({ kind, subject }) => [kind, subject]),
    [['carrier-down', 'alpha']],
  );
  assert.match(open[0]?.evidence ?? '', /7 routes have no other bound carrier: 41, 42, 43, 44, 45 and 2 more$/);
});

it('a reported fault that ended at once opens an alarm, which closes when the time of the report is over', async () => {
  const { operator } = gateway;
  const { alarm } = operatorCalls(operator);
  const watch = watchOf();
  const report = async (untilMs: number) => {
    const at = operator.clock.now();
    const about = { kind: 'database-away', subject: 'gateway', what: '', evidence: 'it did not answer' } as const;
    const command = { kind: 'report-alarm', at, report: { ...about, until: at + untilMs } } as const;
    done(await operator.journal.append<'report-alarm'>(command));
    await watch.look();
    const { items } = done(await alarm.list({ all: true }));
    return items.filter(({ kind }) => kind === 'database-away').map(({ state, evidence }) => [state, evidence]);
  };
  assert.deepEqual(await report(60_000), [['open', 'it did not answer']]);
  assert.deepEqual(await report(60_000), [['open', 'it did not answer']], 'it does not open again');
  assert.deepEqual(await report(0), [['closed', 'it did not answer']]);
});
