import { operate } from '../../../../test/support/store/operate.ts';
import type { AnyResult, Command } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addNumber, write } from '../../../../test/support/clients/inbound-messages.ts';
import { optOut, setHandling, setWord } from '../../../../test/support/gateway/opt-outs.ts';
import { SqliteTestStore, TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import { inboundWaitMs } from '../../../core/message/inbound.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';

const phone = '+41790000002';
const ours = '+41790000001';

async function owning(number: string = ours): Promise<TestStore> {
  const store = await TestStore.open();
  await own(store, number);
  return store;
}

async function own(store: TestStore, number = ours): Promise<void> {
  await store.one(addNumber(number, 'acme'));
}

async function add(store: TestStore, receiver: string, sender = ''): Promise<AnyResult | undefined> {
  return store.one(optOut('add', { receiver, sender }, store.now));
}

const kill = 'restart; begin';
const refused = 'receiver_opted_out';

describe('STOP', () => {
  stories(
    {
      'counts after a crash even if it may be a repeat of an earlier STOP that a START took back': `
        write STOP; ${kill}; write START; ${kill}; accept -> 90; write STOP -> message; accept -> ${refused}; ${kill}
        write STOP -> duplicate`,
      'is in force in its own commit: a message behind it in the same group is refused, and not charged': `
        accept & write Stop! & accept alpha -> 90 & message & ${refused}; balance = 90; rows message = 1`,
      'is for every sender of the account that owns the number, and of no other account': `
        account beta 100; write STOP; accept sender=ACME -> ${refused}; accept account=2 -> 90`,
      'to an unmatched number, in a longer text, from a name, or as octets changes nothing': `
        write STOP to=+41799999999; write Stop_by_the_shop_tomorrow; write STOP from=ACME; write STOP coding=octets
        rows opt_out_event = 0; accept -> 90`,
      'in two parts is STOP': `part 2/2 OP; accept -> 90; part 1/2 ST; accept -> ${refused}`,
      'in an incomplete message is STOP': `
        part 1/3 STOP; accept -> 90; wait ${inboundWaitMs}ms; expire-inbound -> 1; accept -> ${refused}`,
      'applies after a restart until a START takes it back, and each is stored': `
        write STOP; write unsubscribe; restart; accept -> ${refused}; accept receiver=+41790000003 -> 90; write start
        accept -> 80; rows opt_out = 0; rows opt_out_event wish=out word=stop = 1
        rows opt_out_event wish=in word=start = 1; rows opt_out_event = 2`,
      'is found by the account’s opt-out words before the usual ones': `
        word cancel nothing; word stop_acme stop; restart; write CANCEL; accept -> 90; write Stop_Acme
        accept -> ${refused}; write START; word cancel usual; write CANCEL; accept -> ${refused}`,
    },
    () => owning(),
  );

  for (const [number, sentTo, other] of [
    [ours, ours, '8811'],
    ['8811', '8811', ours],
    ['8811', '+8811', ours],
  ] as const) {
    const about = `to ${sentTo} opts out of ${number} alone, if the account is set so`;
    const text = `scope sender; restart; write STOP to=${sentTo}; accept sender=${number} -> ${refused}
      accept sender=${other} -> 90; accept sender=ACME -> 80; write START to=${sentTo}; accept sender=${number} -> 70`;
    stories({ [about]: text }, () => owning(number));
  }
});

describe('the operator', () => {
  stories(
    {
      'adds and removes entries, for one sender or all; existing entries stay unchanged': `
        opt-out ${phone} sender=ACME; opt-out ${phone} sender=Acme; rows opt_out = 1; accept -> 90
        accept sender=acme -> ${refused}; opt-out ${phone}; accept -> ${refused}
        opt-in ${phone} sender=Other -> does_not_exist; opt-in ${phone} sender=aCME -> removed=1
        opt-out ${phone} sender=ACME; opt-in ${phone} -> removed=2; opt-in ${phone} -> does_not_exist
        accept sender=ACME -> 80; rows opt_out_event actor=test reason=letter = 6`,
    },
    () => owning(),
  );

  it('cannot add more opt-out words than the limit', async () => {
    await using store = await owning();
    const set = (word: string) => store.one(setWord(word, 'stop'));
    await store.apply(...Array.from({ length: 500 }, (_, n) => setWord(`w${n}`, 'stop')));
    assert.equal((await set('one more')).ok, false);
    await store.restart();
    assert.equal((await set('w1')).ok, true);
    assert.equal(await store.value('select count(*) from opt_out_word'), 500);
  });
});

describe('a waiting message whose receiver opts out', () => {
  stories(
    {
      'is canceled and refunded when a carrier could have it, and says why': `
        accept 2; accept due=1h; write STOP; claim ->; wait 1h; queue-due 2; claim ->; events = canceled canceled
        errors = receiver_opted_out receiver_opted_out; balance = 100; rows queue = 0
        rows note kind=canceled = 2`,
      'has a note that counts its parts': `
        accept 2; write STOP; claim ->; notes = the receiver opted out: 2 of 2 parts were canceled`,
      'is sent if START came before': 'accept; write STOP; write START; claim -> 1.1',
      'goes on if a carrier has a part of it': 'accept 2; claim 1 -> 1.1; 1 accepted; write STOP; claim -> 1.2',
    },
    () => owning(),
  );
});

describe('the cost of opt-outs', () => {
  it('is nothing for an account without a list, and one read of an index for an account with a list', async () => {
    await using store = await SqliteTestStore.open();
    await own(store);
    await store.addAccount('beta', 100);
    const asked = await store.restartCounting();
    const looks = async () => {
      await store.restart();
      // Only the first message of an account asks whether the account has a list.
      await store.apply(store.accept(), store.accept({ account: 2 }));
      asked.length = 0;
      await store.apply(store.accept(), store.accept({ account: 2 }), store.accept({ account: 2 }));
      return asked.filter((sql) => /\bopt_out\b/.test(sql)).length;
    };
    assert.equal(await looks(), 0);
    await add(store, '+41790000009');
    assert.equal(await looks(), 1);
    const plan = store.database
      .prepare('explain query plan select * from opt_out where account = ? and receiver = ?')
      .all(1, '');
    assert.match(
      JSON.stringify(plan),
      /SEARCH opt_out USING [^(]+\((account=\? AND receiver|receiver=\? AND account)=\?\)/,
    );
  });
});

/* Compares the store with a small model, for any messages and commands, in any groups and over restarts. */

const numbers = [ours, '8811'] as const;
const kinds = ['send', 'send', 'send', 'send', 'write', 'write', 'add', 'remove', 'restart'] as const;
/** A step uses the fields of its kind. */
const step = fc.record({
  do: fc.constantFrom(...kinds),
  phone: fc.constantFrom('+41790000002', '+41790000003'),
  text: fc.constantFrom('stop', 'START', 'hello'),
  number: fc.constantFrom(...numbers),
  sender: fc.constantFrom(...numbers, 'ACME'),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A model of the list, which returns whether each step succeeds. */
class Model {
  readonly entries = new Set<string>();
  readonly #scope: 'account' | 'sender';

  constructor(scope: 'account' | 'sender') {
    this.#scope = scope;
  }

  take(wanted: Step): boolean {
    const { phone: receiver } = wanted;
    const place = (sender: string) => `${receiver} ${sender}`;
    if (wanted.do !== 'write') {
      if (wanted.do === 'add') return this.entries.add(place(wanted.sender)).size > 0;
      if (wanted.do === 'remove') return this.entries.delete(place(wanted.sender));
      return !this.entries.has(place('')) && !this.entries.has(place(wanted.sender));
    }
    const isOfAll = this.#scope === 'account';
    const mine = place(isOfAll ? '' : wanted.number);
    if (wanted.text === 'stop') this.entries.add(mine);
    if (wanted.text !== 'START') return true;
    for (const entry of this.entries) {
      if (isOfAll ? entry.startsWith(place('')) : entry === mine) this.entries.delete(entry);
    }
    return true;
  }
}

function commandOf(store: TestStore, { phone: receiver, sender, text, number, ...wanted }: Step): Command | undefined {
  if (wanted.do === 'restart') return undefined;
  if (wanted.do === 'write') return write(store, number, text, { sender: receiver });
  if (wanted.do === 'send') return store.accept({ receiver, sender });
  return optOut(wanted.do, { receiver, sender }, store.now);
}

it('refusals and lists are as in a model, with any order of commands, any groups and restarts', async () => {
  const scopes = fc.constantFrom('account' as const, 'sender' as const);
  const about = fc.asyncProperty(
    fc.array(step, { maxLength: 40 }),
    scopes,
    fc.integer({ min: 1, max: 5 }),
    async (steps, scope, size) => {
      await using store = await owning();
      await store.one(addNumber('8811', 'acme'));
      const { totalCost: amount } = store.accept({ numParts: 100 });
      await store.one(operate('posting.topUp', { account: 'acme', amount }, { at: 0 }));
      await store.one(setHandling({ words: 'on', scope }));
      const model = new Model(scope);
      let group: { readonly command: Command; readonly succeeds: boolean }[] = [];
      const flush = async () => {
        const results = await store.apply(...group.map(({ command }) => command));
        assert.deepEqual(
          results.map(({ ok }) => ok),
          group.map(({ succeeds }) => succeeds),
        );
        group = [];
      };
      for (const each of steps) {
        const command = commandOf(store, each);
        if (command) group.push({ command, succeeds: model.take(each) });
        if (!command || group.length >= size) await flush();
        if (!command) await store.restart();
      }
      await flush();
      const listed = await store.rows("select receiver || ' ' || sender as entry from opt_out order by 1");
      assert.deepEqual(
        listed.map((row) => row['entry']),
        [...model.entries].toSorted(),
      );
      assert.deepEqual(store.faults, []);
    },
  );
  await fc.assert(about, { numRuns: propertyRuns(60) });
});
