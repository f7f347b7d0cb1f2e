import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addNumber, write } from '../../../../test/support/clients/inbound-messages.ts';
import { addWebhook, operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { tell } from '../../../../test/support/store/stories/story.ts';
import { readDueNotifications } from '../../../store/views/notification/notifications.ts';

/* The news of a commit hands over new notifications with their content. */

const number = '+41791112233';

it('the news of a commit has the notifications that a destination would read, with the same content', async () => {
  await using store = await TestStore.open();
  await store.apply(addNumber(number, 'acme'), addWebhook(store.now, { on: ['inbound', 'receipt', 'alert'] }));
  await store.one(write(store, number, 'Grüezi'));
  const octets = Uint8Array.of(1, 2, 3);
  const header = Uint8Array.of(6, 5, 4, 0x23, 0xf4, 0, 0);
  await store.one(write(store, number, '', { code: 4, coding: 'binary', octets, header }));
  await tell(store, 'accept 2 alpha; 1.1 accepted id=a; 1.2 accepted id=b; receipt a; receipt b UNDELIVERABLE');
  await tell(store, 'accept alpha; 2 accepted id=c; receipt c');
  const made = store.news.flatMap((each) => each.made ?? []);
  const destination = { kind: 'webhook', account: 1, webhook: 1 } as const;
  const at = store.now;
  const read = await readDueNotifications(store.queries, {
    destination,
    isBound: false,
    at,
    known: new Set(),
    limit: 9,
  });
  assert.deepEqual(
    made.map(({ kind }) => kind),
    ['inbound', 'inbound', 'receipt', 'receipt'],
  );
  assert.deepEqual(made, read.notifications);
});

it('what a commit does not make, and what is too long, must be read', async () => {
  await using store = await TestStore.open();
  await store.apply(addNumber(number, 'acme'), addWebhook(store.now));
  const message = write(store, number, 'Hello');
  await store.one(message);
  assert.deepEqual(
    store.news.splice(0).map(({ made }) => made?.length),
    [1],
  );
  const [notification = 0] = await store.ids('notification');
  const tried = { kind: 'notification-tried', at: store.now, notification, due: null, isDelivered: false } as const;
  await store.one({ ...tried, by: 'webhook 1', detail: '500', webhook: 1 });
  await store.one(operate('webhook.replay', { notification }, { at: store.now }));
  const parts = Array.from({ length: 11 }, (_, at) =>
    write(store, number, 'Hello', { concatenation: { kind: '8-bit', reference: 7, total: 11, number: at + 1 } }),
  );
  await store.apply(...parts);
  assert.deepEqual(
    store.news.map(({ webhook, made }) => [webhook, made]),
    [
      [1, undefined],
      [1, undefined],
    ],
  );
});
