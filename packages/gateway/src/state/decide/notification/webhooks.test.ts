import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { ok } from '@morsel/api/values/result.ts';
import { hourMs, type Instant } from '@morsel/api/values/time.ts';
import { addNumber } from '../../../../test/support/clients/inbound-messages.ts';
import { addWebhook, operate, testSecret, viewOf } from '../../../../test/support/store/operate.ts';
import { SqliteTestStore, TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';
import type { Webhook } from '../../../core/notification/webhook.ts';
import { readAlarmState } from '../../../store/views/alarm/alarms.ts';
import { readDueNotifications } from '../../../store/views/notification/notifications.ts';
import { readWebhookSettings } from '../../../store/views/notification/webhooks.ts';

async function open(opening: Promise<TestStore> = TestStore.open()): Promise<TestStore> {
  const store = await opening;
  await store.one(addNumber('+41790000000', 'acme'));
  return store;
}

type Rest<List> = List extends [unknown, ...infer Others] ? Others : never;

async function add(store: TestStore, ...more: Rest<Parameters<typeof addWebhook>>): Promise<number> {
  const added = await store.one(addWebhook(store.now, ...more));
  assert.ok(added.ok, JSON.stringify(added));
  return (await store.ids('webhook')).at(-1) ?? 0;
}

function set(
  store: TestStore,
  settings: Omit<GivenOf<OperationNamed<'webhook.set'>>, 'webhook'>,
  { webhook = 1, number }: { webhook?: number; number?: Webhook['number'] } = {},
) {
  return store.one(operate('webhook.set', { webhook, ...settings }, { at: store.now, made: ok(number) }));
}

const become = (verb: 'pause' | 'resume' | 'remove', at: Instant) => operate(`webhook.${verb}`, { webhook: 1 }, { at });

let last = 5_000;
async function receive(store: TestStore, text: string): Promise<void> {
  await store.one({
    kind: 'inbound',
    at: store.now,
    id: toMessageId(++last),
    carrier: 1,
    sender: '+41791112233',
    receiver: '+41790000000',
    code: 0,
    octets: Buffer.from(text, 'latin1'),
    coding: 'gsm7',
    concatenation: null,
    header: null,
  });
}

/** Records a try of a notification by its place; the first notification is 1. */
async function tried(store: TestStore, place: number, more: Partial<CommandOf<'notification-tried'>> = {}) {
  const written = await store.one<'notification-tried'>({
    kind: 'notification-tried',
    at: store.now,
    notification: (await store.ids('notification'))[place - 1] ?? 0,
    due: store.now + 5_000,
    isDelivered: false,
    by: 'webhook 1',
    detail: '500',
    webhook: 1,
    ...more,
  });
  assert.ok(written.ok);
  return written.value;
}

const delivered = { isDelivered: true, due: null, detail: '200' };
const rowsOf = async (store: TestStore, sql: string) =>
  (await store.rows(sql)).map((row) => Object.values(row).join(' '));

it('the start of a series of failures is kept over a restart, and ends with a success', async () => {
  await using store = await open();
  await add(store);
  for (const text of ['one', 'two', 'three']) await receive(store, text);
  const health = () => viewOf(store.queries, 'webhook.show', { webhook: 1 });
  await tried(store, 1, delivered);
  assert.equal((await health()).failingSince, null);
  const since = store.now;
  await tried(store, 2);
  store.now += 60_000;
  await store.restart();
  await tried(store, 2, { detail: 'no answer within 15 s' });
  assert.deepEqual(
    [(await health()).failingSince, (await health()).lastAt, (await health()).lastOutcome],
    [since, store.now, 'no answer within 15 s'],
  );
  assert.deepEqual([(await health()).waiting, (await health()).dead], [2, 0]);
  await tried(store, 2, delivered);
  assert.equal((await health()).failingSince, null);
});

it('a success after a success writes nothing about the webhook', async () => {
  await using store = await open(SqliteTestStore.open());
  await add(store);
  await receive(store, 'one');
  await store.run("create trigger quiet before update on webhook begin select raise(abort, 'it was written'); end");
  await store.restart();
  assert.equal(await tried(store, 1, delivered), null);
  assert.deepEqual(store.faults, []);
});

const withWebhook = async () => opened('webhook acme; number +41790000001');
stories(
  {
    '72 hours of nothing but failures disable a webhook once, and keep waiting notifications': `
      write one; fail-webhook 1 -> ok; wait ${72 * hourMs - 1}ms; fail-webhook 1 -> ok; wait 1ms; fail-webhook 1 -> paused
      fail-webhook 1 -> ok; rows webhook status=paused = 1; write two; notifications 1 = acme.1 waiting
      notifications 2 = acme.1 waiting`,
    'an enabled webhook starts without failures': `
      write one; fail-webhook 1; wait ${72 * hourMs}ms; fail-webhook 1 -> paused; webhook-is resume
      fail-webhook 1 -> ok; wait ${72 * hourMs - 1}ms; fail-webhook 1 -> ok; wait 1ms; fail-webhook 1 -> paused`,
    'an answer of 410 disables a webhook at once': `
      write one; fail-webhook 1 gone -> off; rows webhook status=off = 1; notifications 1 = acme.1 waiting`,
  },
  withWebhook,
);

async function stoppedAfter(story: string): Promise<readonly string[]> {
  await using store = await withWebhook();
  await tell(store, story);
  const { stoppedWebhooks } = await readAlarmState(store.queries, store.now);
  return stoppedWebhooks.map(({ id, account, status }) => `${id} ${account} ${status}`);
}

it('an alarm names the webhooks that the gateway stopped, but not one that an operator paused', async () => {
  const stop = `write one; fail-webhook 1; wait ${72 * hourMs}ms; fail-webhook 1 -> paused`;
  assert.deepEqual(await stoppedAfter(stop), ['1 acme paused']);
  assert.deepEqual(await stoppedAfter('write one; fail-webhook 1 gone'), ['1 acme off']);
  assert.deepEqual(await stoppedAfter(`${stop}; webhook-is resume; fail-webhook 1; webhook-is pause`), []);
});

it('two webhooks of an account that match the same messages equally closely are refused, even in one group', async () => {
  await using store = await open();
  await add(store);
  await add(store, { keyword: 'win' });
  const [number, prefix] = [kindOf('number'), kindOf('prefix')];
  await add(store, {}, number);
  await add(store, {}, prefix);
  await add(store, { on: ['alert', 'receipt'] });
  await assert.rejects(() => add(store), /gets the same notifications/);
  await assert.rejects(() => add(store, { on: ['alert'] }), /gets the same notifications/);
  await assert.rejects(() => add(store, { keyword: 'win' }), /gets the same notifications/);
  await assert.rejects(() => add(store, {}, number), /gets the same notifications/);
  const changed = await set(store, { keyword: null }, { webhook: 2 });
  assert.ok(!changed.ok && changed.error.code === 'already_exists');
  await store.addAccount('other', 0);
  const command = addWebhook(0, { account: 'other' });
  assert.deepEqual(
    (await store.apply(command, command)).map((each) => each.ok),
    [true, false],
  );
});

function kindOf(kind: 'number' | 'prefix') {
  return { kind, digits: '41790000000' } as const;
}

it('notifications of a removed webhook are replayed to the current destinations, in batches, with their own ids', async () => {
  await using store = await open();
  const first = await add(store);
  for (let at = 0; at < 7; at++) await receive(store, `text ${at}`);
  await tried(store, 7, delivered);
  const ids = await store.ids('notification');
  const seventh = ids[6] ?? 0;
  await store.one(become('remove', store.now));
  const sweep = () =>
    store.one<'expire-notifications'>({ kind: 'expire-notifications', at: store.now, before: null, max: 4 });
  assert.deepEqual(
    [await sweep(), await sweep()],
    [
      { ok: true, value: { isMore: true } },
      { ok: true, value: { isMore: false } },
    ],
  );
  assert.deepEqual(await rowsOf(store, "select count(*) from notification where state = 'dead'"), ['6']);
  assert.deepEqual(await rowsOf(store, 'select secret from webhook_secret'), [''], 'what signs no more is not kept');
  // The account has no destination for these notifications, and one step reads 500.
  await store.run(`insert into notification (id, account, kind, subject, is_callback, by_session, webhook, state, due, tries, created_at,
      ended_at, replayed_after)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 500)
    select n + ${seventh}, 1, 'receipt', 1, 0, 0, null, 'dead', null, 1, 1, 2, 0 from numbers`);
  await store.restart();
  const end = String(seventh + 494);
  const replay = async (wanted: GivenOf<OperationNamed<'webhook.replay'>>) => {
    const replayed = await store.one(operate('webhook.replay', wanted, { at: store.now }));
    return replayed.ok ? replayed.value : replayed.error;
  };
  const nothing = { replayed: 0, left: 0, stopped: [], next: null };
  assert.deepEqual(await replay({ all: true }), { ...nothing, left: 500, next: end });
  const second = await add(store);
  await store.addAccount('beta', 0);
  store.now += hourMs;
  assert.deepEqual(await replay({ account: 'beta' }), nothing);
  assert.deepEqual(await replay({ kind: 'receipt' }), { ...nothing, left: 494, next: end });
  assert.deepEqual(await replay({ kind: 'receipt', after: end }), { ...nothing, left: 6 });
  assert.deepEqual(await replay({ since: store.now }), { ...nothing, next: end });
  assert.deepEqual(await replay({ webhook: first, until: store.now }), { ...nothing, replayed: 6 });
  assert.equal(store.news.at(-1)?.webhook, second, 'its worker hears of it');
  assert.match(
    JSON.stringify(await replay({ notification: seventh })),
    new RegExp(`only dead letters can be replayed: notification ${seventh} is delivered`),
  );
  assert.match(JSON.stringify(await replay({ notification: 9_999 })), /there is no notification 9999/);
  const due = await readDueNotifications(store.queries, {
    destination: { kind: 'webhook', account: 1, webhook: second },
    isBound: false,
    at: store.now,
    known: new Set(ids.slice(0, 1)),
    limit: 10,
  });
  assert.deepEqual(
    due.notifications.map(({ id, tries, triedFrom }) => [id, tries, triedFrom === store.now]),
    ids.slice(1, 6).map((id) => [id, 0, true]),
  );
  await tried(store, 1, { due: null, webhook: second });
  await store.one(operate('webhook.pause', { webhook: second }, { at: store.now }));
  const isPaused = { webhook: second, status: 'paused' };
  assert.deepEqual(await replay({ notification: ids[0] }), { ...nothing, replayed: 1, stopped: [isPaused] });
});

it('a webhook may have several secrets for a while, but never none', async () => {
  await using store = await open();
  await add(store);
  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const added = () =>
    store.one(operate('webhookSecret.add', { webhook: 1, secret: other }, { at: 0, made: testSecret }));
  const removed = () => store.one(operate('webhookSecret.remove', { webhook: 1, secret: 1 }, { at: 0 }));
  const only = await removed();
  assert.ok(!only.ok && 'detail' in only.error && /is the only secret/.test(only.error.detail ?? ''));
  assert.deepEqual(await added(), { ok: true, value: { webhook: 1, id: 2, secret: other } });
  assert.ok(!(await added()).ok, 'the same again');
  assert.deepEqual((await readWebhookSettings(store.queries))[0]?.secrets, [other, testSecret]);
  assert.ok((await removed()).ok);
  assert.deepEqual((await readWebhookSettings(store.queries))[0]?.secrets, [other]);
});
