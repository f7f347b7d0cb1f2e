import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRange } from '@morsel/api/values/address-range.ts';
import {
  addWebhook,
  loginWithoutPassword,
  operate,
  testSecret,
  viewOf,
} from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { helloCallback, opened, stories, tell } from '../../../../test/support/store/stories/story.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { callbacksAtOnce } from '../../../core/notification/webhook.ts';
import { readMessage } from '../../../store/views/message/messages.ts';
import { readDueNotifications } from '../../../store/views/notification/notifications.ts';
import { readCallbackSettings } from '../../../store/views/notification/webhooks.ts';

/* Callbacks of messages: the account's secret, and which events of a message are notified where. */

const acme = { account: 'acme' };
const callbackSecret = (store: TestStore, made: string) =>
  store.one(operate('account.callbackSecret', acme, { at: store.now, made }));
const range = (text: string) => parseRange(text) ?? assert.fail(text);

it('an account has callbacks from its first secret on, and a new secret replaces the former', async () => {
  await using store = await TestStore.open();
  assert.deepEqual(await readCallbackSettings(store.queries), []);
  assert.equal((await viewOf(store.queries, 'account.show', acme)).hasCallbackSecret, false);
  await callbackSecret(store, testSecret);
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  await callbackSecret(store, secret);
  const set = (text: string) =>
    store.one(operate('account.set', { ...acme, callbackAllow: [range(text)] }, { at: store.now, made: {} }));
  assert.ok((await set('10.1.0.0/16')).ok);
  const wide = await set('0.0.0.0/0');
  assert.ok(!wide.ok && wide.error.code === 'invalid_parameter' && wide.error.field === 'callbackAllow');
  const allowed = [range('10.1.0.0/16')];
  const callbacks = { account: 1, concurrency: callbacksAtOnce, allowed, secrets: [secret] };
  assert.deepEqual(await readCallbackSettings(store.queries), [callbacks]);
  const { hasCallbackSecret, callbackAllow } = await viewOf(store.queries, 'account.show', acme);
  assert.deepEqual([hasCallbackSecret, callbackAllow], [true, allowed]);
});

describe('the callback of a message', () => {
  stories({
    'gets each event that it asks for, in the commit of the event': `
      accept alpha callback=sent,buffered,delivered
      1 accepted id=a
      callbacks = sent
      receipt a SCHEDULED; receipt a SCHEDULED
      callbacks = sent buffered
      receipt a
      callbacks = sent buffered delivered`,
    'gets no other event': `
      accept alpha callback=undelivered; 1 accepted id=a; receipt a SCHEDULED; receipt a
      callbacks =
      rows notification = 0`,
    'gets what happens in one commit event by event': `
      accept alpha callback=sent,delivered
      1 accepted id=a & receipt a
      callbacks = sent delivered`,
    'gets sent once all parts are sent, and a part in doubt counts as sent': `
      accept 2 alpha callback=sent
      1.1 accepted id=a
      callbacks =
      1.2 in_doubt
      callbacks = sent`,
    'gets rejected from an answer, and canceled': `
      accept alpha callback=sent,rejected; accept callback=canceled
      1 refused; cancel 2
      callbacks = rejected canceled`,
    'gets the correction of a final event': `
      accept alpha callback=delivered,unknown; 1 accepted id=a; expire 100h; receipt a
      callbacks = unknown delivered`,
  });

  it('gets the receipts in place of webhooks and sessions, which keep those of other messages', async () => {
    await using store = await TestStore.open();
    await store.one(addWebhook(store.now, { on: ['receipt'] }));
    await store.one(operate('login.add', acme, { at: store.now, made: loginWithoutPassword }));
    await tell(store, 'accept alpha callback=delivered; accept alpha; 1 accepted id=a; 2 accepted id=b');
    await tell(store, 'receipt a; receipt b');
    const rows = await store.rows('select is_callback, by_session, webhook from notification order by id');
    assert.deepEqual(rows, [
      { is_callback: 1, by_session: 0, webhook: null },
      { is_callback: 0, by_session: 0, webhook: 1 },
    ]);
  });

  it('gets a dead letter again if it is replayed, although the account has no other destination', async () => {
    await using store = await opened('accept alpha callback=sent; 1 accepted id=a');
    const [notification = 0] = await store.ids('notification');
    const tried = { kind: 'notification-tried', at: store.now, notification, due: null } as const;
    await store.one({ ...tried, isDelivered: false, by: 'callback', detail: '410', isCallback: true });
    const replayed = await store.one(operate('webhook.replay', { notification }, { at: store.now }));
    assert.deepEqual(replayed.ok && replayed.value, { replayed: 1, left: 0, stopped: [], next: null });
    assert.equal(
      await store.value('select state from notification where is_callback = 1 and due is not null'),
      'waiting',
    );
  });

  it('is removed with the number of its message, and until then only its host is shown', async () => {
    await using store = await opened('accept alpha callback=sent; 1 accepted id=a; receipt a');
    const show = async () => (await readMessage(store.queries, toMessageId(1_001)))?.callback;
    assert.deepEqual(await show(), { host: 'example.com', events: ['sent'] });
    const due = await readDueNotifications(store.queries, dueOf(store));
    const [first] = due.notifications;
    assert.deepEqual(first?.kind === 'receipt' && first.callback, { ...helloCallback, events: ['sent'] });
    // A notification that waits keeps the data that it needs.
    const tried = { kind: 'notification-tried', at: store.now, due: null, isDelivered: false } as const;
    await store.one({ ...tried, notification: first?.id ?? 0, by: 'callback', detail: '410', isCallback: true });
    const newKey = new Uint8Array(32);
    await store.one({ kind: 'retain', at: store.now, what: 'numbers', days: 400, before: 9_000, max: 10, newKey });
    assert.equal(await show(), null);
  });
});

function dueOf({ now: at }: TestStore) {
  const destination = { kind: 'callback', account: 1 } as const;
  return { destination, isBound: true, at, known: new Set<number>(), limit: 10 };
}
