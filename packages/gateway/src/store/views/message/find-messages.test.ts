import assert from 'node:assert/strict';
import { it } from 'node:test';
import { carrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { instantOf, toMessageId } from '../../../core/base/message-id.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import type { ViewInput } from '../views.ts';
import { scannedMax } from './find-messages.ts';
import { messageTable } from '../../../state/tables/message.ts';

const rows: readonly (readonly [about: string, wanted: Partial<ViewInput<'message.find'>>, ids: readonly number[]])[] =
  [
    ['all, the newest first', {}, [1004, 1003, 1002, 1001]],
    ['of a carrier', { carrier: 'alpha' }, [1002, 1001]],
    ['of another', { carrier: 'beta' }, [1003]],
    ['by the id of the answer', { carrierMessageId: '00Ab12' }, [1001]],
    ['by the same number in the other base, as a receipt may spell it', { carrierMessageId: '43794' }, [1001]],
    ['by an id that two carriers gave', { carrierMessageId: 'twice' }, [1003, 1002]],
    ['by such an id of one of them', { carrierMessageId: 'twice', carrier: 'beta' }, [1003]],
    ['by an id that nobody gave', { carrierMessageId: 'never' }, []],
    ['by an id and a receiver that differ', { carrierMessageId: 'twice', receiver: '+41790000009' }, []],
    ['by receiver', { receiver: '+41790000009' }, [1004]],
    ['by tag', { tag: 'promo' }, [1004, 1001]],
    ['by a tag that another begins with', { tag: 'pro' }, []],
    ['by tag and receiver', { tag: 'promo', receiver: '+41790000009' }, [1004]],
    ['by tag and the id of the answer', { tag: 'late', carrierMessageId: '00AB12' }, [1001]],
    ['the first page by tag', { tag: 'promo', limit: 1 }, [1004]],
    ['below a message', { after: '1003', limit: 1 }, [1002]],
  ];

it('messages are found by carriers’ ids, by carrier, and page by page', async () => {
  await using store = await TestStore.open();
  await store.one(carrierCommand({ name: 'beta' }));
  const accept = async (carrier: number, carrierId: string, carrierIdKey = carrierId) => {
    const tags = carrierIdKey === 'ab12' ? ['promo', 'late'] : null;
    const command = store.accept({ tags, claim: { carrier, link: 1, lease: 1, isWhole: false } });
    await store.one(command);
    await store.one(store.outcome(command.id, { carrier, carrierId, carrierIdKey }));
  };
  await accept(1, '00AB12', 'ab12');
  await accept(1, 'twice');
  await accept(2, 'twice');
  await store.one(store.accept({ receiver: '+41790000009', tags: ['promo'] }));
  const queries = store.queries;
  for (const [about, wanted, ids] of rows) {
    const found = await viewOf(queries, 'message.find', { limit: 50, ...wanted });
    assert.deepEqual(
      found.items.map(({ msgId }) => msgId),
      ids,
      about,
    );
    assert.equal(found.next, wanted.limit === undefined ? null : String(ids.at(-1)), about);
  }
  assert.equal(
    (await viewOf(queries, 'message.find', { limit: 4 })).next,
    null,
    'a full page behind which there is nothing',
  );
});

it('one search reads a limited number of messages, and says where the next search goes on', async () => {
  await using store = await TestStore.open();
  const receiver = '+41790000009';
  await store.one(store.accept({ receiver }));
  const columns = messageTable.shape.names;
  const others: { readonly [column: string]: string } = { id: 'message.id + n', receiver: "'+41790000002'" };
  const copied = columns.map((name) => others[name] ?? `message.${name}`);
  await store.run(
    `insert into message (${columns.join(', ')}) with recursive k(n) as (select 1 union all select n + 1 from k where n < ${scannedMax + 10})
      select ${copied.join(', ')} from k, message where message.id = 1001`,
  );
  const queries = store.queries;
  const first = await viewOf(queries, 'message.find', { limit: 50, receiver });
  assert.deepEqual(first, { items: [], next: '1011', searchedTo: instantOf(toMessageId(1_011)) });
  const second = await viewOf(queries, 'message.find', { limit: 50, receiver, after: first.next ?? '' });
  assert.deepEqual([second.items.map(({ msgId }) => msgId), second.next], [[1001], null]);
});
