import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { inboundWaitMs, repeatedWithinMs } from '../../../core/message/inbound.ts';
import { TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';

const minute = 60_000;

describe('a message of one part', () => {
  stories({
    'is there after the commit, whatever account its number belongs to (O1)': `
      write Grüezi -> message; texts = Grüezi; whose = - -; rows inbound_part = 0
      rows inbound num_parts=1 parts_received=1 complete=1 sender=+41790000002 receiver=+41790000001 = 1`,
  });

  it('has an id that no message gets again, not even after a restart', async () => {
    await using store = await opened('write hello');
    const [id = 0] = await store.ids('inbound');
    await store.run('delete from inbound');
    await store.restart();
    const begun = await store.one<'begin'>({ kind: 'begin', at: store.now });
    assert.ok(begun.ok && begun.value.lastMessageId >= id);
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
    'is not what says the same in another coding': `write ok; ${kill}; write ok coding=octets -> message`,
    'is recognised after the end of its link, too': `
      write ok; lost ok; write ko -> message; write ok -> duplicate; write ok -> message`,
    'is not expected again if it was answered': `
      write ok & write two; answered 1; ${kill}; write ok -> message; write two -> duplicate`,
    'is forgotten by the sweep': `
      write ok; ${kill}; rows inbound_repeat = 1; wait 1ms; sweep 9; rows inbound_repeat = 0`,
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

  const letters = Array.from({ length: 255 }, (_, at) => String.fromCodePoint(65 + (at % 26)));
  const all = letters.map((letter, at) => `part ${at + 1}/255 ${letter}`);
  stories({
    'takes 255 parts': `${all.slice(100).join(' & ')}; ${all.slice(0, 100).toReversed().join(' & ')}
      texts = ${letters.join('')}`,
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
    'is made in batches, and the result says whether there are more': `
      ${[0, 1, 2, 3, 4].map((at) => `part 1/2 ${at} ref=${at}`).join(' & ')}; ${wait}; expire-inbound 2 -> 2
      expire-inbound 2 -> 2; expire-inbound 2 -> 1; rows inbound = 5`,
    'leaves records of joined parts, which are swept by age': `
      ${ab}; sweep 1; rows inbound_joined = 2; wait 1ms; sweep 1; rows inbound_joined = 1`,
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
      const between = { same: ' & ', group: '; ', restart: '; restart; ' };
      const story = order.map(({ message, number }, at) => {
        const { sender, reference, parts } = all[message] ?? assert.fail('a message');
        const said = `part ${number + 1}/${parts.length} ${parts[number]} from=${sender} ref=${reference}`;
        return at === 0 ? said : `${between[cuts[at] ?? 'same']}${said}`;
      });
      await tell(store, story.join(''));
      const wanted = all.map(({ sender, parts }) => `${sender} ${parts.join('')}`).toSorted();
      const found = (await store.rows('select id, sender from inbound')).map(
        async ({ id, sender }) => `${String(sender)} ${await store.inboundText(id)}`,
      );
      assert.deepEqual((await Promise.all(found)).toSorted(), wanted);
      // Nothing is made of what came twice.
      await tell(store, `${wait}; expire-inbound -> 0; rows inbound_part = 0`);
      assert.deepEqual(store.faults, []);
    }),
    { numRuns: propertyRuns(60) },
  );
});
