import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { refused } from '@morsel/api/values/result.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import { done } from '../../../test/support/done.ts';
import { startOn, type GatewayOptions } from '../../../test/support/gateway/gateway.ts';
import { Shown } from '../../../test/support/json.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { WebhookEar } from '../../../test/support/clients/webhook-ear.ts';
import { startBeating } from '../../flow/alarm/notify.ts';
import { operatorCalls } from '../admin/handlers.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

async function opened(over: AsyncDisposableStack, options: GatewayOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-receivers-'));
  over.defer(() => rmSync(folder, { recursive: true }));
  const gateway = await startOn(folder, options);
  over.defer(() => gateway.stop());
  const calls = operatorCalls(gateway.operator);
  done(await calls.alarm.set({ kind: 'disk-low', watched: 'no' }));
  return { gateway, calls };
}

const alarmsIn = (ear: WebhookEar) =>
  ear.told
    .map(({ body }) => new Shown(JSON.parse(body)))
    .map((each) => `${each.text('turn')} ${each.text('kind')} ${each.text('subject')}`);

it('an added receiver gets a test notification; if a receiver fails, another one is notified of it', async () => {
  await using over = new AsyncDisposableStack();
  await using night = await WebhookEar.open();
  await using day = await WebhookEar.open();
  const clock = TestClock.flowing();
  const { calls } = await opened(over, { clock });
  const { alarm, alarmReceiver, gateway: running } = calls;
  night.status = 500;
  const broken = done(
    await alarmReceiver.add({ receiver: 'night', kind: 'webhook', to: night.url, allow: '127.0.0.1' }),
  );
  assert.deepEqual([broken.state, broken.outcome, typeof broken.failingSince], ['failing', 'HTTP 500', 'number']);
  const works = done(
    await alarmReceiver.add({
      receiver: 'day',
      kind: 'webhook',
      to: day.url,
      allow: '127.0.0.1',
      severity: 'critical',
    }),
  );
  assert.deepEqual([works.state, works.outcome, works.failingSince], ['working', 'HTTP 200', null]);
  assert.deepEqual([alarmsIn(night), alarmsIn(day)], [['opened test gateway'], ['opened test gateway']]);
  const states = async () => [
    done(await alarmReceiver.list()).items.map(({ receiver, state }) => `${receiver} ${state}`),
    done(await running.status()).alarmReceivers.map(({ receiver, state }) => `${receiver} ${state}`),
  ];
  assert.deepEqual(await states(), [
    ['day working', 'night failing'],
    ['day working', 'night failing'],
  ]);
  await clock.advanceUntil('day is notified', () => day.told.length > 1, 6_000);
  assert.deepEqual(alarmsIn(day).slice(1), ['opened receiver-fails night']);
  const [open] = done(await alarm.list({})).items;
  assert.match(open?.evidence ?? '', /^the receiver night takes nothing since \S+: HTTP 500$/);
  assert.equal(alarmsIn(night).length, 1, 'it is not notified of itself');
  night.status = 204;
  done(await alarmReceiver.test({ receiver: 'night' }));
  assert.deepEqual((await states())[0], ['day working', 'night working']);
  await clock.advanceUntil('it is over', () => day.told.length > 2, 6_000);
  assert.deepEqual(alarmsIn(day).slice(2), ['closed receiver-fails night']);
});

it('the URL of a heartbeat is called every minute while the gateway works normally', async () => {
  await using over = new AsyncDisposableStack();
  await using website = await WebhookEar.open();
  const clock = TestClock.flowing();
  const { gateway, calls } = await opened(over, { clock, isHeld: true });
  const { alarmReceiver } = calls;
  const added = done(
    await alarmReceiver.add({ receiver: 'dead-man', kind: 'heartbeat', to: website.url, allow: '127.0.0.1' }),
  );
  assert.deepEqual([added.state, added.outcome], ['working', 'HTTP 200']);
  clock.advance(5 * minuteMs);
  assert.equal(website.told.length, 1, 'a held gateway is not well');
  gateway.operator.readiness.resume();
  const from = clock.monotonicMs();
  await clock.advanceUntil('five beats', () => website.told.length > 5, 6_000);
  const minutes = (clock.monotonicMs() - from) / minuteMs;
  assert.ok(minutes > 4, `five beats in ${minutes} minutes`);
  assert.ok(website.told.every(({ method, body }) => method === 'GET' && body === ''));
  website.status = 500;
  const state = async () => done(await alarmReceiver.list()).items[0]?.state;
  await clock.advanceUntil('it fails', async () => (await state()) === 'failing', 6_000);
});

it('a gateway that is not ready or cannot store sends no heartbeat', async () => {
  await using over = new AsyncDisposableStack();
  await using website = await WebhookEar.open();
  const { gateway, calls } = await opened(over, { isHeld: true });
  done(await calls.alarmReceiver.add({ receiver: 'dead-man', kind: 'heartbeat', to: website.url, allow: '127.0.0.1' }));
  const { reader, journal } = gateway.operator;
  const clock = TestClock.still(gateway.operator.clock.now());
  const looks: string[] = [];
  let isWell = false;
  let canStore = false;
  const full = refused({ code: 'unavailable', detail: 'the disk is full' } as const);
  const append: typeof journal.append = async (command) => {
    looks.push('store');
    return canStore ? journal.append(command) : full;
  };
  const call = async () => {
    looks.push('call');
    return { isTaken: true, detail: 'HTTP 200' };
  };
  over.use(
    startBeating({
      clock,
      reader,
      log: quietLog,
      journal: { append },
      call,
      isWell: () => {
        looks.push('well');
        return isWell;
      },
    }),
  );
  const next = async (wanted: string) => {
    looks.length = 0;
    clock.advance(5_000);
    await waitUntil(
      () => `${wanted}, not ${looks.join(' ')}`,
      () => looks.join(' ') === wanted,
    );
  };
  await next('well');
  isWell = true;
  await next('well store');
  canStore = true;
  await next('well store call store');
});
