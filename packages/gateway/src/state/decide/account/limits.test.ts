import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { buildHeader, concatenation } from '@morsel/gsm';
import { toMicros } from '@morsel/api/values/money.ts';
import type { RulesChange } from '../../../core/account/rules.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import type { AnyResult, CommandOf } from '../../commands.ts';

type Fields = Partial<CommandOf<'accept'>>;

const dayMs = 86_400_000;
const to = (last: number): Fields => ({ receiver: `+4179123${String(last).padStart(4, '0')}` });
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** A part of a long message that a client split. */
function part(number: number, reference: number, text = 'x'): Fields {
  const header = buildHeader([concatenation({ bits: 8, reference, total: 2, number })]);
  return { text, octets: Buffer.from(text), header, reference };
}

/** A store with two accounts that have the same rules. An answer is the rule that refuses, or `sent`. */
class World implements AsyncDisposable {
  readonly store: TestStore;

  private constructor(store: TestStore) {
    this.store = store;
  }

  static async open(rules: RulesChange): Promise<World> {
    const world = new World(await TestStore.open());
    for (const name of ['two', 'three']) await world.#add(name, rules);
    return world;
  }

  async #add(name: string, made: RulesChange): Promise<void> {
    const given = { name, currency: 'EUR', balance: toMicros(1_000_000n) };
    await this.store.one(operate('account.add', given, { at: this.store.now, made }));
  }

  change(made: RulesChange): CommandOf<'operate'> {
    return operate('account.set', { account: 'two' }, { at: this.store.now, made });
  }

  async set(rules: RulesChange): Promise<void> {
    const set = await this.store.one(this.change(rules));
    assert.ok(set.ok);
  }

  accept(fields: Fields): CommandOf<'accept'> {
    return this.store.accept({ account: 2, receiver: '+41791234567', ...fields });
  }

  /** Sends messages in one commit. */
  async together(...messages: Fields[]): Promise<string[]> {
    return (await this.store.apply(...messages.map((each) => this.accept(each)))).map(answerOf);
  }

  async send(fields: Fields = {}): Promise<string> {
    return answerOf(await this.store.one(this.accept(fields)));
  }

  async sendAll(...messages: Fields[]): Promise<string[]> {
    const answers: string[] = [];
    for (const each of messages) answers.push(await this.send(each));
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.deepEqual([this.store.faults, await this.store.moneyFaults()], [[], []]);
    await this.store[Symbol.asyncDispose]();
  }
}

function answerOf(result: AnyResult): string {
  if (!result.ok) return 'rule' in result.error ? result.error.rule : result.error.code;
  const { value } = result;
  const isWatched = typeof value === 'object' && value !== null && 'watched' in value;
  return ['sent', ...(isWatched && value.watched ? value.watched : [])].join(' ');
}

describe('limits of an account', () => {
  it('a rate counts parts, lets a burst pass, and fills again with time', async () => {
    await using world = await World.open({ rate: { count: 2, seconds: 1 }, burst: 4 });
    const two = { numParts: 2 };
    assert.deepEqual(await world.together(two, two, two, {}), ['sent', 'sent', 'rate', 'rate']);
    world.store.now += 499;
    assert.equal(await world.send(), 'rate');
    world.store.now += 1;
    assert.deepEqual(await world.sendAll({}, {}), ['sent', 'rate']);
  });

  it('a refusal by the rate has the setting, the parts that are left, and the wait', async () => {
    await using world = await World.open({ rate: { count: 100, seconds: 60 }, burst: 3 });
    await world.send({ numParts: 2 });
    assert.deepEqual(await world.store.one(world.accept({ numParts: 2 })), {
      ok: false,
      error: { code: 'rate_limited', rule: 'rate', count: 100, seconds: 60, left: 1, waitMs: 600 },
    });
  });

  it('a rate of many parts a second is as exact as one of few', async () => {
    await using world = await World.open({ rate: { count: 7_000, seconds: 1 }, burst: 1 });
    let sent = 0;
    for (let ms = 0; ms < 500; ms++) {
      world.store.now += 1;
      // Each millisecond has room for seven parts, but only a message with the burst's one part at a time.
      const answers = await world.together(...times(2, () => ({ numParts: 7 })));
      sent += answers.filter((answer) => answer === 'sent').length;
    }
    assert.ok(sent >= 495 && sent <= 501, `${sent}`);
  });

  it('counts stay after a restart', async () => {
    await using world = await World.open({
      rate: { count: 1, seconds: 1 },
      receiverVelocity: { count: 1, seconds: 60 },
      repeatSeconds: 600,
    });
    assert.equal(await world.send(), 'sent');
    await world.store.restart();
    assert.equal(await world.send(), 'rate');
    world.store.now += 1_000;
    assert.equal(await world.send(), 'receiver-velocity');
    world.store.now += 66_000;
    await world.store.restart();
    assert.equal(await world.send(), 'repeat');
  });

  it('a refused message is not counted, however often it comes, and stores nothing (A2)', async () => {
    await using world = await World.open({
      rate: { count: 1, seconds: 1 },
      receiverVelocity: { count: 1, seconds: 10 },
      repeatSeconds: 20,
    });
    assert.equal(await world.send(), 'sent');
    const stored = async () => [
      await world.store.rows('select * from limit_count'),
      await world.store.rows('select * from account'),
    ];
    const before = await stored();
    for (let tried = 0; tried < 50; tried++) {
      world.store.now += 10;
      assert.equal(await world.send(), 'rate');
    }
    assert.deepEqual(await stored(), before);
    world.store.now += 500;
    assert.equal(await world.send(), 'receiver-velocity');
    assert.equal(await world.send(to(1)), 'sent');
    world.store.now += 11_000;
    assert.equal(await world.send(), 'repeat');
    assert.equal(await world.send({ text: 'Other' }), 'sent');
  });

  it('a message that is refused for another reason is not counted', async () => {
    await using world = await World.open({
      rate: { count: 1, seconds: 1 },
      receiverVelocity: { count: 1, seconds: 60 },
      prefixVelocity: { count: 1, seconds: 60, digits: 5 },
      repeatSeconds: 60,
    });
    const tooMuch = { totalCost: toMicros(2_000_000n) };
    assert.deepEqual(await world.sendAll(tooMuch, tooMuch, {}, {}), [
      'insufficient_balance',
      'insufficient_balance',
      'sent',
      'rate',
    ]);
  });

  it('a repeat under the same idempotency key is not counted, and breaks no limit', async () => {
    await using world = await World.open({ rate: { count: 2, seconds: 3_600 }, burst: 2, repeatSeconds: 60 });
    const idempotency = { key: 'k', hash: new Uint8Array(32) };
    const again = times(4, () => ({ idempotency }));
    assert.deepEqual(
      await world.sendAll(...again),
      times(4, () => 'sent'),
    );
    assert.deepEqual(await world.sendAll({ text: 'Other' }, { text: 'Third' }), ['sent', 'rate']);
  });

  it('velocity counts messages to one receiver, and to receivers with the same beginning', async () => {
    await using one = await World.open({ receiverVelocity: { count: 2, seconds: 60 } });
    const long = { numParts: 3 };
    assert.deepEqual(await one.together(long, long, long, to(1)), ['sent', 'sent', 'receiver-velocity', 'sent']);
    one.store.now += 66_001;
    assert.equal(await one.send(), 'sent');

    await using prefix = await World.open({ prefixVelocity: { count: 3, seconds: 60, digits: 8 } });
    const answers = ['sent', 'sent', 'sent', 'prefix-velocity'];
    assert.deepEqual(await prefix.sendAll(...times(4, to)), answers);
    assert.equal(await prefix.send({ receiver: '+41791240000' }), 'sent');
  });

  it('the same text is a repeat for the same receiver, from any sender, but not for another receiver', async () => {
    await using world = await World.open({ repeatSeconds: 10 });
    const said = [{}, { sender: 'ACME' }, { text: ' HELLO ' }, { text: 'Hello!' }, to(1)];
    assert.deepEqual(await world.together(...said), ['sent', 'repeat', 'repeat', 'sent', 'sent']);
    world.store.now += 9_999;
    assert.equal(await world.send(), 'repeat');
    world.store.now += 1;
    assert.equal(await world.send(), 'sent');
  });

  it('a part that a client split is a repeat of the same part of the same message, with any reference', async () => {
    await using world = await World.open({ repeatSeconds: 10 });
    assert.deepEqual(await world.sendAll(part(1, 7), part(2, 7), part(2, 8), part(2, 8, 'y')), [
      'sent',
      'sent',
      'repeat',
      'sent',
    ]);
    const binary = [1, 2, 1].map((octet): Fields => ({ text: null, octets: Buffer.of(octet), encoding: 'binary' }));
    assert.deepEqual(await world.sendAll(...binary), ['sent', 'sent', 'repeat']);
  });

  it('a watched rule refuses nothing, and finds the messages that it would refuse', async () => {
    const rules = { rate: { count: 1, seconds: 1 }, burst: 3 };
    await using watched = await World.open({ ...rules, modes: { rate: 'watch' } });
    await using refusing = await World.open(rules);
    const found: string[] = [];
    for (let sent = 0; sent < 40; sent++) {
      for (const { store } of [watched, refusing]) store.now += 300;
      const [one, other] = [await watched.send(), await refusing.send()];
      assert.equal(one === 'sent rate', other === 'rate');
      found.push(other);
    }
    assert.ok(found.includes('rate') && found.includes('sent'));
  });

  it('several watched rules are each found, and a refusing rule still refuses', async () => {
    await using world = await World.open({
      repeatSeconds: 60,
      receiverVelocity: { count: 2, seconds: 60 },
      rate: { count: 1, seconds: 60 },
      modes: { rate: 'watch', repeat: 'watch' },
    });
    assert.deepEqual(await world.sendAll({}, {}, {}), ['sent', 'sent rate repeat', 'receiver-velocity']);
  });

  it('a rule that is off is not checked and counts nothing, whatever its setting', async () => {
    await using world = await World.open({
      rate: { count: 1, seconds: 60 },
      repeatSeconds: 60,
      modes: { rate: 'off', repeat: 'off' },
    });
    assert.deepEqual(await world.sendAll({}, {}), ['sent', 'sent']);
    assert.deepEqual(await world.store.rows('select * from limit_count'), []);
  });

  it('accounts do not share their counts', async () => {
    await using world = await World.open({ rate: { count: 1, seconds: 60 }, repeatSeconds: 60 });
    assert.deepEqual(await world.together({}, { account: 3 }, {}, { account: 3 }), ['sent', 'sent', 'rate', 'rate']);
  });

  it('a change of a rule drops its counts, and another change of the account drops none', async () => {
    await using world = await World.open({ rate: { count: 1, seconds: 3_600 }, repeatSeconds: 60 });
    assert.equal(await world.send(), 'sent');
    await world.set({ modes: { premium: 'refuse' } });
    assert.equal(await world.send(), 'rate');
    await world.set({ rate: { count: 100, seconds: 1 } });
    assert.equal(await world.send(), 'repeat');
    await world.set({ repeatSeconds: 30 });
    world.store.now += 1_000;
    assert.equal(await world.send(), 'sent');
  });

  it('a limit that is set in the commit of a message counts from the next commit on', async () => {
    await using world = await World.open({ modes: { premium: 'refuse' } });
    const rules = { receiverVelocity: { count: 1, seconds: 60 } };
    const results = await world.store.apply(world.change(rules), world.accept({}), world.accept({}));
    assert.deepEqual(results.slice(1).map(answerOf), ['sent', 'sent']);
    assert.deepEqual(await world.sendAll({}, {}), ['sent', 'receiver-velocity']);
  });

  it('a request that waited for its commit is compared with newer counts', async () => {
    await using world = await World.open({
      rate: { count: 1, seconds: 10 },
      receiverVelocity: { count: 2, seconds: 10 },
      modes: { rate: 'watch' },
    });
    const late = world.accept({});
    world.store.now += 60_000;
    assert.deepEqual(await world.sendAll({}, {}), ['sent', 'sent rate']);
    const answer = await world.store.one(late);
    assert.equal(answerOf(answer), 'receiver-velocity');
  });

  it('counts of a clock that ran a day ahead refuse nothing', async () => {
    const rules = {
      rate: { count: 1, seconds: 60 },
      receiverVelocity: { count: 1, seconds: 60 },
      prefixVelocity: { count: 1, seconds: 60, digits: 3 },
      repeatSeconds: 60,
    };
    await using world = await World.open(rules);
    world.store.now += dayMs;
    assert.equal(await world.send(), 'sent');
    world.store.now -= dayMs;
    assert.deepEqual(await world.sendAll({}, {}), ['sent', 'rate']);
    world.store.now += 60_000;
    assert.equal(await world.send({ text: 'Other' }), 'receiver-velocity');
  });

  it('expired counts are swept in batches, and no others', async () => {
    await using world = await World.open({ receiverVelocity: { count: 2, seconds: 10 }, repeatSeconds: 5 });
    await world.together(...times(3, to));
    world.store.now += 11_001;
    await world.together({}, to(0));
    const sweep = { kind: 'sweep', at: world.store.now, before: 0, max: 3 } as const;
    const left = () => world.store.value('select count(*) from limit_count');
    assert.equal(await left(), 8);
    assert.deepEqual(await world.store.one(sweep), { ok: true, value: { isMore: true } });
    assert.equal(await left(), 5);
    // A message of the same commit uses a count that has expired.
    const [swept] = await world.store.apply(sweep, world.accept(to(2)));
    assert.deepEqual(swept, { ok: true, value: { isMore: false } });
    assert.equal(await left(), 6);
    assert.deepEqual(await world.sendAll({}, {}, to(2)), ['repeat', 'repeat', 'repeat']);
  });

  it('a velocity is never exceeded in any period, and counts a message at most a tenth longer', async () => {
    const step = fc.record({ gapMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(700)), last: fc.nat(1) });
    await using world = await World.open({ receiverVelocity: { count: 3, seconds: 1 } });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        world.store.now += 10_000;
        const sent: { readonly at: number; readonly last: number }[] = [];
        for (const { gapMs, last } of steps) {
          world.store.now += gapMs;
          const at = world.store.now;
          const since = (ms: number) => sent.filter((each) => each.last === last && each.at > at - ms).length;
          const answer = await world.store.one(world.accept(to(last)));
          if (answer.ok) {
            assert.ok(since(1_000) < 3);
            sent.push({ at, last });
          } else {
            assert.ok(since(1_100) >= 3);
            assert.ok(answer.error.code === 'rate_limited' && answer.error.waitMs <= 1_100);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
