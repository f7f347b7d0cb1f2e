import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeGsm } from '@morsel/gsm';
import * as fc from 'fast-check';
import { inboundWaitMs, repeatedWithinMs, type Concatenation } from '../../../core/message/inbound.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/story.ts';
import type { TestRow } from '../../../../test/support/store/test-database.ts';

const phone = '+41790000009';
const ours = '+41791112233';
const minute = 60_000;

/** The messages in the store, in the order in which they were made. */
async function messages(store: TestStore) {
  const rows = await store.rows(
    'select id, sender, receiver, num_parts, parts_received, complete, account from inbound order by id',
  );
  const made: TestRow[] = [];
  for (const { id, ...row } of rows) made.push({ ...row, text: await store.inboundText(id) });
  return made;
}

async function texts(store: TestStore): Promise<unknown[]> {
  return (await messages(store)).map(({ text, complete }) => (complete === 1 ? text : `${String(text)}…`));
}

function inbound(store: TestStore, text: string, more: Partial<CommandOf<'inbound'>> = {}): CommandOf<'inbound'> {
  const encoded = encodeGsm(text);
  assert.ok(encoded.ok);
  return {
    kind: 'inbound',
    at: store.now,
    id: store.ownId(),
    carrier: 1,
    sender: phone,
    receiver: ours,
    code: 0,
    octets: encoded.septets,
    coding: 'gsm7',
    concatenation: null,
    header: null,
    ...more,
  };
}

/** A part: `place` is its number of the total, as `1/2`. */
function part(
  store: TestStore,
  place: string,
  text: string,
  more: Partial<Concatenation & { at: number; carrier: number; sender: string; receiver: string }> = {},
): CommandOf<'inbound'> {
  const [number = 1, total = 1] = place.split('/').map(Number);
  const { kind = '8-bit', reference = 7, ...fields } = more;
  return inbound(store, text, { ...fields, concatenation: { kind, reference, total, number } });
}

async function became(store: TestStore, command: CommandOf<'inbound'>): Promise<string> {
  const result = await store.one<'inbound'>(command);
  assert.ok(result.ok, JSON.stringify(store.faults));
  return result.value.became;
}

/** Lets time pass, and does what is due then. Returns the number of messages made. */
async function pass(store: TestStore, ms: number, max = 50): Promise<number> {
  store.now += ms;
  const ids = Array.from({ length: max }, () => store.ownId());
  const before = store.now - inboundWaitMs;
  const expired = await store.one<'expire-inbound'>({ kind: 'expire-inbound', at: store.now, before, ids });
  assert.ok(expired.ok, JSON.stringify(store.faults));
  return expired.value.messages;
}

const waitingParts = (store: TestStore) => store.value('select count(*) from inbound_part');

describe('a message of one part', () => {
  it('is there after the commit, whatever account its number belongs to (O1)', async () => {
    await using store = await TestStore.open();
    const command = inbound(store, 'Grüezi');
    assert.equal(await became(store, command), 'message');
    assert.deepEqual(await messages(store), [
      { sender: phone, receiver: ours, text: 'Grüezi', num_parts: 1, parts_received: 1, complete: 1, account: null },
    ]);
    assert.equal(await store.value('select id from inbound'), command.id);
    assert.equal(await waitingParts(store), 0);
  });

  it('has an id that no message gets again, not even after a restart', async () => {
    await using store = await TestStore.open();
    const { id } = inbound(store, '');
    await store.apply(inbound(store, 'hello', { id }), inbound(store, 'again', { id: toMessageId(id + 1) }));
    assert.ok(Number(await store.value('select last_message_id from node')) > id);
    await store.run('delete from inbound');
    await store.restart();
    const begun = await store.one<'begin'>({ kind: 'begin', at: store.now });
    assert.ok(begun.ok && begun.value.lastMessageId > id);
  });
});

/** As after a kill: no answer since was recorded. */
const kill = 'restart; begin';

describe('a message of one part whose answer may be lost', () => {
  const soon = `${repeatedWithinMs - 1}ms`;
  stories({
    'is recognised once when its carrier sends it again after a crash; after that it counts as a new message': `
      write ok; write two; ${kill}; wait ${soon}; write ok -> duplicate; write two -> duplicate; write ok -> message
      texts = ok | two | ok`,
    'is recognised after a second crash as well, before the repeat was answered': `
      write ok; ${kill}; write ok -> duplicate; ${kill}; write ok -> duplicate; write ok -> message`,
    'without a crash between is another message': 'write ok -> message; write ok -> message; texts = ok | ok',
    'is recognised twice if two equal messages came': `
      write ok & write ok; ${kill}; write ok & write ok & write ok -> duplicate & duplicate & message`,
    'is not what says the same much later': `write ok; ${kill}; wait ${soon}; wait 1ms; write ok -> message`,
    'is not what another phone says': `write ok; ${kill}; write ok from=+41790000008 -> message`,
    'is not what says the same to another number': `write ok; ${kill}; write ok to=8811 -> message`,
  });

  it('is recognised after the end of its link, too', async () => {
    await using store = await TestStore.open();
    const first = inbound(store, 'ok');
    await store.one(first);
    await store.one({ kind: 'expect-repeat', at: store.now, inbound: first });
    assert.deepEqual(
      [
        await became(store, inbound(store, 'ko')),
        await became(store, inbound(store, 'ok')),
        await became(store, inbound(store, 'ok')),
      ],
      ['message', 'duplicate', 'message'],
    );
  });

  it('is not what says the same in another coding', async () => {
    await using store = await TestStore.open();
    await store.one(inbound(store, 'ok'));
    await tell(store, kill);
    assert.equal(await became(store, inbound(store, 'ok', { code: 3 })), 'message');
  });

  it('is not expected again if it was answered', async () => {
    await using store = await TestStore.open();
    const [first, second] = [inbound(store, 'ok'), inbound(store, 'two')];
    await store.apply(first, second);
    await store.one({ kind: 'inbound-answered', at: store.now, before: second.id });
    await tell(store, kill);
    assert.deepEqual(
      [await became(store, inbound(store, 'ok')), await became(store, inbound(store, 'two'))],
      ['message', 'duplicate'],
    );
  });

  it('is forgotten by the sweep', async () => {
    await using store = await opened(`write ok; ${kill}; rows inbound_repeat = 1`);
    await store.one({ kind: 'sweep', at: store.now, before: store.now + 1, max: 10 });
    await tell(store, 'rows inbound_repeat = 0');
  });
});

const ab = 'part 1/2 a & part 2/2 b';
const wait = `wait ${inboundWaitMs}ms`;

describe('joining', () => {
  stories({
    'keeps parts apart that have another total': 'part 1/2 a & part 2/3 B & part 2/2 b; texts = ab',
    'a part that is there already, octet for octet, changes nothing': `
      part 1/2 a -> waiting; part 1/2 a -> duplicate; restart; part 1/2 a -> duplicate; part 2/2 b -> message; texts = ab`,
    'a part that comes again soon after its message was made changes nothing, not even after a restart': `
      ${ab}; restart; wait ${repeatedWithinMs - 1}ms; part 2/2 b -> waiting; wait 1ms; part 1/2 a -> duplicate
      rows inbound_part = 0; part 1/2 a; ${wait}; expire-inbound -> 0; texts = ab; rows inbound_part = 0`,
    'one that comes again much later makes no message alone, and all of them make one: it was sent twice': `
      ${ab}; wait 60m; part 2/2 b -> waiting; ${wait}; expire-inbound -> 0; rows inbound_part = 0
      ${ab}; texts = ab | ab`,
    'a reference that is used again for something else starts a new message': `
      ${ab}; part 2/2 d & part 1/2 c; texts = ab | cd`,
    'used again at once for a text with the same beginning or end, it takes that part as well': `
      part 1/2 a & part 2/2 z; part 1/2 b & part 2/2 z; restart; part 1/2 b & part 2/2 y; part 2/2 y; part 1/2 c
      texts = az | bz | by | cy`,
    'used again, it ends nothing with parts that only came again': `
      ${ab}; part 1/2 a; part 1/2 c & part 2/2 d; texts = ab | cd`,
    'used again while parts of it wait, it makes an incomplete message of them (O3)': `
      part 1/3 a & part 2/3 b; part 1/3 x -> waiting; texts = ab…; part 2/3 y & part 3/3 z; texts = ab… | xyz`,
  });

  for (const other of ['ref=8', 'kind=16-bit', 'kind=apart', 'from=+41790000008', 'to=8811', 'by=beta']) {
    const text = `carrier beta; part 1/2 a & part 2/2 B ${other}; texts = ; part 1/2 A ${other} & part 2/2 b; texts = AB | ab`;
    stories({ [`keeps parts apart that have another ${other}`]: text });
  }

  it('takes 255 parts', async () => {
    await using store = await TestStore.open();
    const letters = Array.from({ length: 255 }, (_, at) => String.fromCodePoint(65 + (at % 26)));
    const all = letters.map((letter, at) => part(store, `${at + 1}/255`, letter));
    await store.apply(...all.slice(100));
    await store.apply(...all.slice(0, 100).toReversed());
    await tell(store, `texts = ${letters.join('')}`);
  });
});

describe('a message that is not complete in time (O3)', () => {
  stories({
    'is made of the parts that came, once the first one has waited long enough': `
      part 1/3 a; wait 1m; part 3/3 c; wait ${inboundWaitMs - minute - 1}ms; expire-inbound -> 0; texts = ; restart
      wait 1ms; expire-inbound -> 1; texts = ac…; rows inbound num_parts=3 parts_received=2 = 1; rows inbound_part = 0`,
    'a part that comes after that is a message of its own': `
      part 1/2 a; ${wait}; expire-inbound -> 1; part 2/2 b -> waiting; ${wait}; expire-inbound -> 1; texts = a… | b…`,
    'is complete if its last part comes before the wait is checked': `
      part 1/2 a; ${wait}; ${wait}; part 2/2 b; expire-inbound -> 0; texts = ab`,
  });

  it('is made in batches, and the result says whether there are more', async () => {
    await using store = await TestStore.open();
    const references = [0, 1, 2, 3, 4];
    await store.apply(...references.map((reference) => part(store, '1/2', String(reference), { reference })));
    assert.deepEqual(
      [await pass(store, inboundWaitMs, 2), await pass(store, 0, 2), await pass(store, 0, 2)],
      [2, 2, 1],
    );
    assert.equal(new Set(await texts(store)).size, 5);
  });

  it('the records of joined parts are swept by age', async () => {
    await using store = await opened(ab);
    const sweep = { kind: 'sweep', at: store.now, max: 1 } as const;
    await store.one({ ...sweep, before: store.now });
    await tell(store, 'rows inbound_joined = 2');
    await store.one({ ...sweep, before: store.now + 1 });
    await tell(store, 'rows inbound_joined = 1');
  });
});

/** A long message as it was sent. */
interface Sent {
  readonly sender: string;
  readonly reference: number;
  readonly parts: readonly string[];
}

it('parts in any order, repeated, mixed and in any groups, with restarts between, make the same messages', async () => {
  const sent: fc.Arbitrary<Sent[]> = fc.uniqueArray(
    fc.record({
      sender: fc.constantFrom('+41790000001', '+41790000002'),
      reference: fc.integer({ min: 0, max: 5 }),
      parts: fc.array(fc.stringMatching(/^[a-z]{0,3}$/), { minLength: 2, maxLength: 5 }),
    }),
    { maxLength: 6, selector: ({ sender, reference }) => `${sender} ${reference}` },
  );
  const run = sent.chain((all) => {
    const places = all.flatMap(({ parts }, message) => parts.map((_, number) => ({ message, number })));
    const again = places.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...places), { maxLength: 10 });
    return again.chain((repeated) => {
      const arrivals = [...places, ...repeated];
      return fc.record({
        all: fc.constant(all),
        order: fc.shuffledSubarray(arrivals, { minLength: arrivals.length }),
        cuts: fc.array(fc.constantFrom('same', 'group', 'restart'), { minLength: 40, maxLength: 40 }),
      });
    });
  });
  await fc.assert(
    fc.asyncProperty(run, async ({ all, order, cuts }) => {
      await using store = await TestStore.open();
      let group: CommandOf<'inbound'>[] = [];
      const flush = async () => {
        for (const result of await store.apply(...group)) assert.ok(result.ok, JSON.stringify(store.faults));
        group = [];
      };
      for (const [at, { message, number }] of order.entries()) {
        const { sender, reference, parts } = all[message] ?? { sender: '', reference: 0, parts: [] };
        group.push(part(store, `${number + 1}/${parts.length}`, parts[number] ?? '', { sender, reference }));
        if (cuts[at] === 'same') continue;
        await flush();
        if (cuts[at] === 'restart') await store.restart();
      }
      await flush();
      const wanted = all.map(({ sender, parts }) => `${sender} ${parts.join('')}`).toSorted();
      const found = (await messages(store)).map(({ sender, text }) => `${String(sender)} ${String(text)}`);
      assert.deepEqual(found.toSorted(), wanted);
      assert.equal(await pass(store, inboundWaitMs), 0, 'nothing is made of what came twice');
      assert.equal(await waitingParts(store), 0);
    }),
    { numRuns: propertyRuns(60) },
  );
});
