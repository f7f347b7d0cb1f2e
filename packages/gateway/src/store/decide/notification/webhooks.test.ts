import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { parseRange } from '@morsel/api/values/address-range.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { TestStore } from '../../../../test/support/store.ts';
import { Queries } from '../../views/queries.ts';
import { readDueNotifications } from '../../views/notification/notifications.ts';
import { readWebhook, readWebhookSettings } from '../../views/notification/webhooks.ts';
import type { DeadWanted } from '../../commands/webhook.ts';

const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
const anything: DeadWanted = { notification: null, account: null, webhook: null, kind: null, since: null, until: null };

function open(): TestStore {
  const store = new TestStore();
  store.one({
    kind: 'add-number',
    at: 0,
    number: '+41790000000',
    digits: '41790000000',
    numberKind: 'number',
    account: 'acme',
  });
  return store;
}

function add(store: TestStore, more: Partial<CommandOf<'add-webhook'>> = {}): number {
  const added = store.one<'add-webhook'>({
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
function receive(store: TestStore, text: string): void {
  store.one({
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

function tried(store: TestStore, notification: number, more: Partial<CommandOf<'notification-tried'>> = {}) {
  const written = store.one<'notification-tried'>({
    kind: 'notification-tried',
    at: store.now,
    notification,
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
const rowsOf = (store: TestStore, sql: string) =>
  store.database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row).join(' '));

it('the address is kept in its normal form, however it was written', () => {
  using store = open();
  const urls = () => rowsOf(store, 'select url from webhook');
  add(store, { url: ' HTTPS://EXAMPLE.com:443/a/../b c?q=ü\n' });
  assert.deepEqual(urls(), ['https://example.com/b%20c?q=%C3%BC']);
  store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings: { url: 'http://Example.COM:80' } });
  assert.deepEqual(urls(), ['http://example.com/']);
});

it('its settings are read back as they were given', () => {
  using store = open();
  const read = () => readWebhookSettings(new Queries(store.database))[0];
  const first = { id: 1, account: 1, status: 'active', secrets: [secret] };
  const usual = { url: 'https://example.com/sms', method: 'post-json', concurrency: 4, template: null } as const;
  add(store);
  assert.deepEqual(read(), { ...first, ...usual, kinds: ['inbound'], number: null, keyword: null, allowed: [] });
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
  assert.ok(store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings, template: change }).ok);
  assert.deepEqual(read(), { ...first, ...settings, template });
  const more = { kinds: ['alert', 'inbound', 'receipt'], number: null, keyword: null } as const;
  assert.ok(store.one({ kind: 'set-webhook', at: store.now, webhook: 1, settings: more }).ok);
  assert.deepEqual(read()?.kinds, ['inbound', 'receipt', 'alert'], 'in one order');
});

it('the start of a series of failures is kept over a restart, and ends with a success', () => {
  using store = open();
  add(store);
  for (const text of ['one', 'two', 'three']) receive(store, text);
  const health = () => readWebhook(new Queries(store.database), { webhook: 1 });
  tried(store, 1, delivered);
  assert.equal(health()?.failingSince, null);
  const since = store.now;
  tried(store, 2);
  store.now += 60_000;
  store.restart();
  tried(store, 2, { detail: 'no answer within 15 s' });
  assert.deepEqual(
    [health()?.failingSince, health()?.lastAt, health()?.lastOutcome],
    [since, store.now, 'no answer within 15 s'],
  );
  assert.deepEqual([health()?.waiting, health()?.dead], [2, 0]);
  tried(store, 2, delivered);
  assert.equal(health()?.failingSince, null);
});

it('a success after a success writes nothing about the webhook', () => {
  using store = open();
  add(store);
  receive(store, 'one');
  store.database.exec(
    'create trigger quiet before update on webhook begin select raise(abort, $$it was written$$); end'.replaceAll(
      '$$',
      "'",
    ),
  );
  store.restart();
  assert.equal(tried(store, 1, delivered), null);
  assert.deepEqual(store.faults, []);
});

it('72 hours of nothing but failures disable a webhook, with an alert, and waiting notifications stay', () => {
  using store = open();
  add(store);
  receive(store, 'one');
  assert.equal(tried(store, 1), null);
  store.now += 72 * hourMs - 1;
  assert.equal(tried(store, 1), null);
  store.now += 1;
  assert.deepEqual(tried(store, 1), { webhook: 1, account: 1, status: 'paused' });
  assert.equal(tried(store, 1), null, 'it is said once');
  assert.deepEqual(rowsOf(store, 'select kind, account, webhook from alert'), ['webhook-paused 1 1']);
  receive(store, 'two');
  assert.deepEqual(rowsOf(store, 'select id, webhook, state from notification'), ['1 1 waiting', '2 1 waiting']);
  // Enabled again, it starts without failures.
  store.one({ kind: 'set-webhook-status', at: store.now, webhook: 1, status: 'active' });
  assert.equal(tried(store, 2), null);
  assert.equal(store.value('select failing_since from webhook'), store.now);
});

it('410 disables it at once, with an alert', () => {
  using store = open();
  add(store);
  receive(store, 'one');
  assert.deepEqual(tried(store, 1, { isGone: true }), { webhook: 1, account: 1, status: 'off' });
  assert.deepEqual(rowsOf(store, 'select kind from alert'), ['webhook-off']);
  assert.deepEqual(rowsOf(store, 'select state from notification'), ['waiting']);
});

it('two webhooks of an account that match the same messages equally closely are refused, in one group, too', () => {
  using store = open();
  add(store);
  add(store, { keyword: 'win' });
  add(store, { number: { kind: 'number', digits: '41790000000' } });
  add(store, { number: { kind: 'prefix', digits: '41790000000' } });
  add(store, { kinds: ['alert', 'receipt'] });
  for (const more of [
    {},
    { kinds: ['alert'] as const },
    { keyword: 'win' },
    { number: { kind: 'number', digits: '41790000000' } as const },
  ]) {
    assert.throws(() => add(store, more), /gets the same notifications/, JSON.stringify(more));
  }
  const set = store.one({ kind: 'set-webhook', at: 0, webhook: 2, settings: { keyword: null } });
  assert.ok(!set.ok && set.error.code === 'already_exists');
  store.addAccount('other', 0);
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
    store.apply(command, command).map(({ ok }) => ok),
    [true, false],
  );
});

it('notifications for a removed webhook are replayed to the current destinations, in batches, each under its own id', () => {
  using store = open();
  const first = add(store);
  for (let at = 0; at < 7; at++) receive(store, `text ${at}`);
  tried(store, 7, delivered);
  store.one({ kind: 'remove-webhook', at: store.now, webhook: first });
  const sweep = () => store.one<'sweep-notifications'>({ kind: 'sweep-notifications', at: store.now, max: 4 });
  assert.deepEqual(
    [sweep(), sweep()],
    [
      { ok: true, value: { isMore: true } },
      { ok: true, value: { isMore: false } },
    ],
  );
  assert.deepEqual(rowsOf(store, "select count(*) from notification where state = 'dead'"), ['6']);
  assert.deepEqual(rowsOf(store, 'select secret from webhook_secret'), [''], 'what signs no more is not kept');
  const replay = (wanted: Partial<DeadWanted>, after = 0) => {
    const replayed = store.one<'replay-notifications'>({
      kind: 'replay-notifications',
      at: store.now,
      wanted: { ...anything, ...wanted },
      after,
      max: 4,
    });
    return replayed.ok ? replayed.value : replayed.error;
  };
  assert.deepEqual(replay({}), { replayed: 0, left: 4, webhooks: [], next: 4 }, 'the account has no destination');
  const second = add(store);
  store.now += hourMs;
  assert.deepEqual(replay({ account: 2 }), { replayed: 0, left: 0, webhooks: [], next: null });
  assert.deepEqual(replay({ kind: 'receipt' }), { replayed: 0, left: 0, webhooks: [], next: 4 });
  assert.deepEqual(replay({ since: store.now }), { replayed: 0, left: 0, webhooks: [], next: 4 });
  assert.deepEqual(replay({ webhook: first }), { replayed: 4, left: 0, webhooks: [second], next: 4 });
  assert.deepEqual(replay({ webhook: first }, 4), { replayed: 2, left: 0, webhooks: [second], next: null });
  assert.equal(store.news.at(-1)?.webhook, second, 'its worker hears of it');
  assert.match(
    JSON.stringify(replay({ notification: 7 })),
    /only dead letters can be replayed: notification 7 is delivered/,
  );
  assert.match(JSON.stringify(replay({ notification: 99 })), /there is no notification 99/);
  const due = readDueNotifications(new Queries(store.database), {
    destination: { kind: 'webhook', account: 1, webhook: second },
    isBound: false,
    at: store.now,
    known: new Set([1]),
    limit: 10,
  });
  assert.deepEqual(
    due.notifications.map(({ id, tries, triedFrom }) => [id, tries, triedFrom === store.now]),
    [
      [2, 0, true],
      [3, 0, true],
      [4, 0, true],
      [5, 0, true],
      [6, 0, true],
    ],
  );
});

it('there may be several secrets for a while, and never none', () => {
  using store = open();
  add(store);
  const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const more = { at: 0, webhook: 1 } as const;
  const only = store.one({ kind: 'remove-webhook-secret', ...more, secret: 1 });
  assert.ok(!only.ok && 'detail' in only.error && /is the only secret/.test(only.error.detail ?? ''));
  assert.ok(store.one({ kind: 'add-webhook-secret', ...more, secret: other }).ok);
  assert.ok(!store.one({ kind: 'add-webhook-secret', ...more, secret: other }).ok, 'the same again');
  assert.deepEqual(readWebhookSettings(new Queries(store.database))[0]?.secrets, [other, secret]);
  assert.ok(store.one({ kind: 'remove-webhook-secret', ...more, secret: 1 }).ok);
  assert.deepEqual(readWebhookSettings(new Queries(store.database))[0]?.secrets, [other]);
});
