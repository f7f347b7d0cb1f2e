import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { parseRange } from '@morsel/api/values/address-range.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { addNumber } from '../../../../test/support/clients/inbound-messages.ts';
import { SqliteTestStore, TestStore } from '../../../../test/support/store/store.ts';
import { readAlarmState } from '../../../store/views/alarm/alarms.ts';
import { readDueNotifications } from '../../../store/views/notification/notifications.ts';
import { readWebhook, readWebhookSettings } from '../../../store/views/notification/webhooks.ts';
import type { DeadWanted } from './replay.ts';

const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
const anything: DeadWanted = { notification: null, account: null, webhook: null, kind: null, since: null, until: null };

async function open(opening: Promise<TestStore> = TestStore.open()): Promise<TestStore> {
  const store = await opening;
  await store.one(addNumber('+41790000000', 'acme'));
  return store;
}

async function add(store: TestStore, more: Partial<CommandOf<'add-webhook'>> = {}): Promise<number> {
  const added = await store.one<'add-webhook'>({
    kind: 'add-webhook',
    at: store.now,
    account: 'acme',
    url: 'https://example.com/sms',
    method: 'post-json',
    kinds: ['inbound'],
    number: null,
    keyword: null,
    template: null,
    concurrency: 4,
    allowed: [],
    secret,
    ...more,
  });
  assert.ok(added.ok, JSON.stringify(added));
  return added.value.id;
}

let last = 5_000;
async function receive(store: TestStore, text: string): Promise<void> {
  await store.one({
    kind: 'inbound',
    at: store.now,
    id: toMessageId(++last),
    carrier: 1,
    sender: '+41791112233',
    receiver: '+41790000000',
    dataCoding: 0,
    esmClass: 0,
    octets: Buffer.from(text, 'latin1'),
    coding: 'gsm7',
    concatenation: null,
    ports: null,
  });
}

/** The first notification is 1. */
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

it('the address is kept in its normal form, however it was written', async () => {
  await using store = await open();
  const urls = () => rowsOf(store, 'select url from webhook');
  await add(store, { url: ' HTTPS://EXAMPLE.com:443/a/../b c?q=ü\n' });
  assert.deepEqual(await urls(), ['https://example.com/b%20c?q=%C3%BC']);
  await store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings: { url: 'http://Example.COM:80' } });
  assert.deepEqual(await urls(), ['http://example.com/']);
});

it('its settings are read back as they were given', async () => {
  await using store = await open();
  const read = async () => (await readWebhookSettings(store.queries))[0];
  const first = { id: 1, account: 1, status: 'active', secrets: [secret] };
  const usual = { url: 'https://example.com/sms', method: 'post-json', concurrency: 4, template: null } as const;
  await add(store);
  assert.deepEqual(await read(), { ...first, ...usual, kinds: ['inbound'], number: null, keyword: null, allowed: [] });
  const range = parseRange('10.0.0.0/8');
  assert.ok(range);
  const settings = {
    url: 'https://example.com/other',
    method: 'get',
    kinds: ['inbound'],
    number: { kind: 'prefix', digits: '4179' },
    keyword: 'win',
    concurrency: 1_000,
    allowed: [range],
  } as const;
  const template = {
    fields: [
      { name: '2', field: 'sender' },
      { name: '1', field: 'text' },
    ],
    constants: [{ name: 'ключ', value: '"' }],
  } as const;
  const change = { ...template, add: { fields: [], constants: [] }, without: [] };
  assert.ok((await store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings, template: change })).ok);
  assert.deepEqual(await read(), { ...first, ...settings, template });
  const more = { kinds: ['alert', 'inbound', 'receipt'], number: null, keyword: null } as const;
  assert.ok((await store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings: more })).ok);
  assert.deepEqual((await read())?.kinds, ['inbound', 'receipt', 'alert'], 'in one order');
});

it('the start of a series of failures is kept over a restart, and ends with a success', async () => {
  await using store = await open();
  await add(store);
  for (const text of ['one', 'two', 'three']) await receive(store, text);
  const health = () => readWebhook(store.queries, { webhook: 1 });
  await tried(store, 1, delivered);
  assert.equal((await health())?.failingSince, null);
  const since = store.now;
  await tried(store, 2);
  store.now += 60_000;
  await store.restart();
  await tried(store, 2, { detail: 'no answer within 15 s' });
  assert.deepEqual(
    [(await health())?.failingSince, (await health())?.lastAt, (await health())?.lastOutcome],
    [since, store.now, 'no answer within 15 s'],
  );
  assert.deepEqual([(await health())?.waiting, (await health())?.dead], [2, 0]);
  await tried(store, 2, delivered);
  assert.equal((await health())?.failingSince, null);
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

it('72 hours of nothing but failures disable a webhook, with an alarm, and waiting notifications stay', async () => {
  await using store = await open();
  await add(store);
  await receive(store, 'one');
  assert.equal(await tried(store, 1), null);
  store.now += 72 * hourMs - 1;
  assert.equal(await tried(store, 1), null);
  store.now += 1;
  assert.deepEqual(await tried(store, 1), { webhook: 1, account: 1, status: 'paused' });
  assert.equal(await tried(store, 1), null, 'it is said once');
  assert.deepEqual(await stopped(store), ['1 acme paused']);
  await receive(store, 'two');
  assert.deepEqual(await rowsOf(store, 'select webhook, state from notification'), ['1 waiting', '1 waiting']);
  // Enabled again, it starts without failures.
  await store.one({ kind: 'set-webhook-status', at: store.now, webhook: 1, status: 'active' });
  assert.equal(await tried(store, 2), null);
  assert.equal(await store.value('select failing_since from webhook'), store.now);
  // An operator who pauses a webhook that has just begun to fail needs no alarm.
  await store.one({ kind: 'set-webhook-status', at: store.now, webhook: 1, status: 'paused' });
  assert.deepEqual(await stopped(store), []);
});

/** The stopped webhooks that an alarm is about. */
async function stopped(store: TestStore): Promise<readonly string[]> {
  const { stoppedWebhooks } = await readAlarmState(store.queries, store.now);
  return stoppedWebhooks.map(({ id, account, status }) => `${id} ${account} ${status}`);
}

it('410 disables it at once, with an alarm', async () => {
  await using store = await open();
  await add(store);
  await receive(store, 'one');
  assert.deepEqual(await tried(store, 1, { isGone: true }), { webhook: 1, account: 1, status: 'off' });
  assert.deepEqual(await stopped(store), ['1 acme off']);
  assert.deepEqual(await rowsOf(store, 'select state from notification'), ['waiting']);
});

it('two webhooks of an account that match the same messages equally closely are refused, in one group, too', async () => {
  await using store = await open();
  await add(store);
  await add(store, { keyword: 'win' });
  await add(store, { number: { kind: 'number', digits: '41790000000' } });
  await add(store, { number: { kind: 'prefix', digits: '41790000000' } });
  await add(store, { kinds: ['alert', 'receipt'] });
  for (const more of [
    {},
    { kinds: ['alert'] as const },
    { keyword: 'win' },
    { number: { kind: 'number', digits: '41790000000' } as const },
  ]) {
    await assert.rejects(() => add(store, more), /gets the same notifications/, JSON.stringify(more));
  }
  const set = await store.one({ kind: 'set-webhook', at: 0, webhook: 2, settings: { keyword: null } });
  assert.ok(!set.ok && set.error.code === 'already_exists');
  await store.addAccount('other', 0);
  const command: CommandOf<'add-webhook'> = {
    kind: 'add-webhook',
    at: 0,
    account: 'other',
    url: 'https://example.com/',
    method: 'get',
    kinds: ['inbound'],
    number: null,
    keyword: null,
    template: null,
    concurrency: 1,
    allowed: [],
    secret,
  };
  assert.deepEqual(
    (await store.apply(command, command)).map(({ ok }) => ok),
    [true, false],
  );
});

it('notifications for a removed webhook are replayed to the current destinations, in batches, each under its own id', async () => {
  await using store = await open();
  const first = await add(store);
  for (let at = 0; at < 7; at++) await receive(store, `text ${at}`);
  await tried(store, 7, delivered);
  const ids = await store.ids('notification');
  const [fourth = 0, seventh = 0] = [ids[3], ids[6]];
  await store.one({ kind: 'remove-webhook', at: store.now, webhook: first });
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
  const replay = async (wanted: Partial<DeadWanted>, after = 0) => {
    const replayed = await store.one<'replay-notifications'>({
      kind: 'replay-notifications',
      at: store.now,
      wanted: { ...anything, ...wanted },
      after,
      max: 4,
    });
    return replayed.ok ? replayed.value : replayed.error;
  };
  assert.deepEqual(
    await replay({}),
    { replayed: 0, left: 4, webhooks: [], next: fourth },
    'the account has no destination',
  );
  const second = await add(store);
  store.now += hourMs;
  assert.deepEqual(await replay({ account: 2 }), { replayed: 0, left: 0, webhooks: [], next: null });
  assert.deepEqual(await replay({ kind: 'receipt' }), { replayed: 0, left: 0, webhooks: [], next: fourth });
  assert.deepEqual(await replay({ since: store.now }), { replayed: 0, left: 0, webhooks: [], next: fourth });
  assert.deepEqual(await replay({ webhook: first }), { replayed: 4, left: 0, webhooks: [second], next: fourth });
  assert.deepEqual(await replay({ webhook: first }, fourth), { replayed: 2, left: 0, webhooks: [second], next: null });
  assert.equal(store.news.at(-1)?.webhook, second, 'its worker hears of it');
  assert.match(
    JSON.stringify(await replay({ notification: seventh })),
    new RegExp(`only dead letters can be replayed: notification ${seventh} is delivered`),
  );
  assert.match(JSON.stringify(await replay({ notification: 99 })), /there is no notification 99/);
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
});

it('there may be several secrets for a while, and never none', async () => {
  await using store = await open();
  await add(store);
  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const more = { at: 0, webhook: 1 } as const;
  const only = await store.one({ kind: 'remove-webhook-secret', ...more, secret: 1 });
  assert.ok(!only.ok && 'detail' in only.error && /is the only secret/.test(only.error.detail ?? ''));
  assert.ok((await store.one({ kind: 'add-webhook-secret', ...more, secret: other })).ok);
  assert.ok(!(await store.one({ kind: 'add-webhook-secret', ...more, secret: other })).ok, 'the same again');
  assert.deepEqual((await readWebhookSettings(store.queries))[0]?.secrets, [other, secret]);
  assert.ok((await store.one({ kind: 'remove-webhook-secret', ...more, secret: 1 })).ok);
  assert.deepEqual((await readWebhookSettings(store.queries))[0]?.secrets, [other]);
});
