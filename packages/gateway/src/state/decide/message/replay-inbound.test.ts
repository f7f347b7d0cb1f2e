import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MessageId, toMessageId } from '../../../core/base/message-id.ts';
import {
  addKeyword,
  addNumber,
  phone,
  removeNumber,
  write,
} from '../../../../test/support/clients/inbound-messages.ts';
import { optOut } from '../../../../test/support/gateway/opt-outs.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

const ours = '+41791112233';
const noDead = { replayed: 0, left: 0, stopped: [], next: null };

/** Accounts acme (1) and beta (2), each with a webhook that has its number. */
async function told(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.addAccount('beta', 100);
  for (const account of [1, 2]) await addWebhook(store, account);
  return store;
}

async function addWebhook(store: TestStore, account: number, keyword: string | null = null): Promise<void> {
  await store.run(
    `insert into webhook (id, account, url, method, kinds, keyword, concurrency, allowed, status, created_at)
        values ((select coalesce(max(id), 0) + 1 from webhook), ?,'http://client', 'post', '["inbound"]', ?, 1, '[]', 'active', 0)`,
    account,
    keyword,
  );
  await store.restart();
}

async function removeWebhook(store: TestStore, id: number): Promise<void> {
  await store.run('update webhook set removed_at = 1 where id = ?', id);
  await store.restart();
}

/** Stores an inbound message and returns its id. */
async function take(store: TestStore, text = 'hello', more: Parameters<typeof write>[3] = {}): Promise<MessageId> {
  const command = write(store, ours, text, more);
  assert.ok((await store.one<'inbound'>(command)).ok);
  return command.id;
}

function replaying(ids: readonly MessageId[], reroute = false): CommandOf<'operate'> {
  return operate('inbound.replay', { reroute }, { at: 5, made: { ids, next: null, until: null } });
}

async function replay(store: TestStore, ids: readonly MessageId[], isRerouted = false): Promise<object> {
  const result = await store.one(replaying(ids, isRerouted));
  assert.ok(result.ok, JSON.stringify([result, store.faults]));
  return Object.fromEntries(Object.entries({ ...result.value }).filter(([, count]) => count));
}

/** What a replay of all dead letters does. */
async function deadOnes(store: TestStore): Promise<unknown> {
  const result = await store.one(operate('webhook.replay', { all: true }, { at: 6 }));
  return result.ok && result.value;
}

/** The notifications of a message: account, webhook and state. */
async function notifications(store: TestStore, id: MessageId): Promise<unknown> {
  return (await store.rows('select account, webhook, state from notification where subject = ? order by id', id)).map(
    (row) => Object.values(row).join(' '),
  );
}

async function whose(store: TestStore, id: MessageId): Promise<unknown> {
  return Object.values(
    (await store.rows('select account, matched_by, keyword from inbound where id = ?', id))[0] ?? {},
  );
}

/** The first notification is 1. */
async function tried(store: TestStore, place: number, isDelivered: boolean): Promise<CommandOf<'notification-tried'>> {
  const notification = (await store.ids('notification'))[place - 1] ?? 0;
  return { kind: 'notification-tried', at: 3, notification, due: null, isDelivered, by: 'webhook', detail: '200' };
}

describe('an unmatched message', () => {
  it('goes to the present account of its number with one notification, however often it is replayed', async () => {
    await using store = await told();
    const id = await take(store);
    assert.deepEqual(await replay(store, [id]), { unmatched: 1 });
    await store.apply(addNumber(ours, 'acme'));
    assert.deepEqual(await replay(store, [id]), { replayed: 1, rerouted: 1 });
    const news = store.news.map(({ webhook, made }) => [webhook, made?.map(({ kind }) => kind)]);
    assert.deepEqual(news, [[1, ['inbound']]]);
    assert.deepEqual(await replay(store, [id]), { waiting: 1 });
    await store.restart();
    assert.deepEqual(await replay(store, [id]), { waiting: 1 });
    assert.deepEqual([await whose(store, id), await notifications(store, id)], [[1, 'number', null], ['1 1 waiting']]);
  });

  it('goes by a keyword, too, that its number got since; an incomplete one has no keyword', async () => {
    await using store = await told();
    await store.apply(addNumber(ours, null));
    const id = await take(store, 'Taxi, please');
    await take(store, 'taxi', { concatenation: { kind: '8-bit', reference: 1, total: 2, number: 2 } });
    const half = toMessageId(800_000);
    await store.one({ kind: 'expire-inbound', at: store.now, before: store.now, ids: [half] });
    await store.apply(addKeyword({ number: ours, word: 'taxi' }, 'beta'));
    assert.deepEqual(await replay(store, [id, half]), { replayed: 1, rerouted: 1, unmatched: 1 });
    assert.deepEqual(
      [await whose(store, id), await whose(store, half)],
      [
        [2, 'keyword', 'taxi'],
        [null, null, null],
      ],
    );
  });

  it('opts its sender out if it says STOP, and never in again: later wishes are not known', async () => {
    await using store = await told();
    const [stop, start] = [await take(store, 'STOP'), await take(store, 'START', { sender: '+41790000009' })];
    await store.one(optOut('add', { receiver: '+41790000009' }, 0));
    await store.apply(addNumber(ours, 'acme'));
    assert.deepEqual(await replay(store, [stop, start]), { replayed: 2, rerouted: 2 });
    const out = await store.rows('select receiver from opt_out where account = 1 order by 1');
    assert.deepEqual(
      out.map((row) => row['receiver']),
      [phone, '+41790000009'],
    );
    assert.equal(await store.value('select inbound from opt_out_event where receiver = ?', phone), stop);
  });
});

describe('an old STOP', () => {
  it('opts nobody out who has been in and out since', async () => {
    await using store = await told();
    const old = await take(store, 'STOP', { at: 10 });
    await store.apply(addNumber(ours, 'acme'));
    await take(store, 'STOP', { at: 20 });
    await take(store, 'START', { at: 30 });
    assert.deepEqual(await replay(store, [old]), { replayed: 1, rerouted: 1 });
    assert.equal(await store.value('select count(*) from opt_out'), 0);
    assert.equal(await store.value('select count(*) from opt_out_event'), 2);
  });
});

describe('a message with an account', () => {
  it('is delivered again under its own id, if it was delivered or given up', async () => {
    await using store = await told();
    await store.apply(addNumber(ours, 'acme'));
    const [one, other] = [await take(store), await take(store)];
    await store.apply(await tried(store, 1, true), await tried(store, 2, false));
    assert.deepEqual(await replay(store, [one, other]), { replayed: 2 });
    assert.deepEqual(await notifications(store, one), ['1 1 delivered', '1 1 waiting']);
    assert.deepEqual(
      await notifications(store, other),
      ['1 1 waiting'],
      'its notification keeps its id, and a dead letter is not delivered a second time',
    );
    assert.equal(await store.value('select count(*) from notification where due is not null'), 2);
    assert.deepEqual(await deadOnes(store), noDead);
  });

  it('keeps its account when the number has another one, unless it is rerouted', async () => {
    await using store = await told();
    await store.apply(addNumber(ours, 'acme'));
    const id = await take(store);
    await store.apply(removeNumber(ours), addNumber(ours, 'beta'));
    assert.deepEqual(await replay(store, [id]), { waiting: 1 });
    assert.deepEqual(await replay(store, [id], true), { replayed: 1, rerouted: 1 });
    assert.deepEqual(
      [await whose(store, id), await notifications(store, id)],
      [
        [2, 'number', null],
        ['1 1 withdrawn', '2 2 waiting'],
      ],
    );
    assert.equal(
      await store.value("select outcome from notification where state = 'withdrawn'"),
      'the inbound message was replayed',
    );
    assert.deepEqual(await replay(store, [id], true), { waiting: 1 });
    await store.apply(removeNumber(ours));
    assert.deepEqual(await replay(store, [id], true), { waiting: 1 }, 'it is taken from nobody for nothing');
    assert.deepEqual(await whose(store, id), [2, 'number', null]);
  });

  it('without a destination is kept, and delivered once there is one', async () => {
    await using store = await TestStore.open();
    await store.apply(addNumber(ours, 'acme'));
    const id = await take(store);
    assert.deepEqual(await replay(store, [id]), { withoutDestination: 1 });
    await addWebhook(store, 1, 'taxi');
    assert.deepEqual(await replay(store, [id]), { withoutDestination: 1 }, 'its webhook is for another word');
    const other = await take(store, '#Taxi!');
    assert.deepEqual(
      await notifications(store, other),
      ['1 1 waiting'],
      'found by the same reading as keywords of numbers',
    );
    await addWebhook(store, 1);
    assert.deepEqual(await replay(store, [id, other]), { replayed: 1, waiting: 1 });
    assert.deepEqual(await notifications(store, id), ['1 2 waiting']);
  });

  it('that waits for a removed webhook waits for another one, and for the removed one while there is none', async () => {
    await using store = await told();
    await store.apply(addNumber(ours, 'acme'));
    const id = await take(store);
    await removeWebhook(store, 1);
    assert.deepEqual(await replay(store, [id]), { withoutDestination: 1 });
    assert.deepEqual(await notifications(store, id), ['1 1 waiting']);
    await addWebhook(store, 1);
    assert.deepEqual(await replay(store, [id]), { replayed: 1 });
    assert.deepEqual(await notifications(store, id), ['1 3 waiting']);
  });

  it('that is rerouted goes to no other account any more, not even by a replay of dead letters', async () => {
    await using store = await told();
    await store.apply(addNumber(ours, 'acme'));
    const [dead, waiting] = [await take(store), await take(store)];
    await store.apply(await tried(store, 1, false), removeNumber(ours), addNumber(ours, 'beta'));
    assert.deepEqual(await replay(store, [dead, waiting], true), { replayed: 2, rerouted: 2 });
    assert.deepEqual(await notifications(store, dead), ['1 1 withdrawn', '2 2 waiting']);
    assert.deepEqual(await notifications(store, waiting), ['1 1 withdrawn', '2 2 waiting']);
    assert.deepEqual(await deadOnes(store), noDead);
    assert.equal(await store.value('select count(*) from notification where account = 1 and due is not null'), 0);
    // An attempt under way counts as delivered if it is acknowledged; if not, it is not tried again.
    await store.apply(await tried(store, 1, false), await tried(store, 2, true));
    assert.deepEqual(await notifications(store, dead), ['1 1 withdrawn', '2 2 waiting']);
    assert.deepEqual(await notifications(store, waiting), ['1 1 delivered', '2 2 waiting']);
  });
});

describe('a group', () => {
  it('with an unknown message id changes nothing, and names it', async () => {
    await using store = await told();
    const id = await take(store);
    await store.apply(addNumber(ours, 'acme'));
    assert.deepEqual(await store.one(replaying([id, toMessageId(42)])), {
      ok: false,
      error: { code: 'does_not_exist', detail: 'there is no inbound message with the id 42' },
    });
    assert.deepEqual([await whose(store, id), await notifications(store, id)], [[null, null, null], []]);
  });
});
