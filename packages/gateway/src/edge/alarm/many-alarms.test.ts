import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { done } from '../../../test/support/done.ts';
import { startOn } from '../../../test/support/gateway/gateway.ts';
import { Shown } from '../../../test/support/json.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { WebhookEar } from '../../../test/support/clients/webhook-ear.ts';
import { operatorCalls } from '../admin/handlers.ts';

it('a receiver gets at most six notifications a minute, then one summary, also after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-alarms-'));
  await using over = new AsyncDisposableStack();
  over.defer(() => rmSync(folder, { recursive: true }));
  await using website = await WebhookEar.open();
  const clock = TestClock.flowing();
  let gateway = await startOn(folder, { clock, goneMs: hourMs });
  over.defer(() => gateway.stop());
  const calls = () => operatorCalls(gateway.operator);
  done(await calls().alarm.set({ kind: 'disk-low', watched: 'no' }));
  done(await calls().alarmReceiver.add({ receiver: 'hook', kind: 'webhook', to: website.url, allow: '127.0.0.1' }));
  // The receiver's test notification would count as one of the six, so it must be a minute old.
  clock.advance(minuteMs);
  website.told.length = 0;
  const open = async (count: number, first = 0) => {
    const opens = Array.from({ length: count }, (_, at) => {
      const kind = at === count - 1 ? 'carrier-down' : 'queue-old';
      return { kind, subject: `c${first + at}`, evidence: 'many', help: 'morsel status', receivers: ['hook'] } as const;
    });
    const turn = { at: gateway.operator.clock.now(), opens, later: [], closes: [] };
    done(await gateway.operator.journal.append<'turn-alarms'>({ kind: 'turn-alarms', ...turn }));
  };
  /** Waits until the receiver was notified of so many alarms, and returns the notifications. */
  const notified = async (alarms: number) => {
    const sent = () => website.told.map(({ body }) => new Shown(JSON.parse(body)));
    const count = () => sent().reduce((sum, notice) => sum + alarmsOf(notice), 0);
    await clock.advanceUntil(
      () => `${alarms} alarms, not ${count()}`,
      () => count() >= alarms,
      6 * secondMs,
    );
    const said = sent().map((notice) => `${notice.text('kind')} ${notice.text('subject')}`);
    website.told.length = 0;
    return said;
  };
  await open(50);
  assert.deepEqual(await notified(50), [
    'carrier-down c49',
    'queue-old c0',
    'queue-old c1',
    'queue-old c2',
    'queue-old c3',
    'summary 45 opened, 0 closed',
  ]);
  await open(8, 50);
  await gateway.stop();
  gateway = await startOn(folder, { clock, goneMs: hourMs });
  const later = await notified(8);
  assert.ok(later.length <= 6, later.join('\n'));
  assert.match(later.at(-1) ?? '', /^summary \d opened, 0 closed$/);
  const all = done(await calls().alarm.list({ limit: 100 })).items;
  const turn = { at: gateway.operator.clock.now(), opens: [], later: [], closes: all.map(({ alarm }) => alarm) };
  done(await gateway.operator.journal.append<'turn-alarms'>({ kind: 'turn-alarms', ...turn }));
  const closed = await notified(58);
  assert.ok(closed.length <= 6);
  assert.match(closed.at(-1) ?? '', /^summary 0 opened, 5\d closed$/);
});

/** The number of alarms in a notification, which may be a summary. */
function alarmsOf(notice: Shown): number {
  return notice.text('kind') === 'summary' ? Number(notice.at('opened')) + Number(notice.at('closed')) : 1;
}
