import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concatenation } from '@morsel/gsm';
import { accountDefaults, type Account } from '../../core/account/account.ts';
import { changeRules, type RulesChange } from '../../core/account/rules.ts';
import { parseDraft, type Draft, type ParsedDraft } from '../../core/message/admission.ts';
import { Limits } from './limits.ts';

/** An account, its rules and a clock; `send` returns the rule that refuses, or `sent`. */
class World {
  ms = 100_000;
  readonly hits: string[] = [];
  account: Account = { id: 1, name: 'acme', currency: 'EUR', status: 'active', ...accountDefaults, priceList: 1 };
  readonly limits = new Limits({
    monotonicMs: () => this.ms,
    salt: 'salt',
    hit: (account, rule, { mode }) => this.hits.push(`${account.name} ${rule} ${mode}`),
  });

  constructor(change: RulesChange) {
    this.set(change);
  }

  /** Changes the rules like an operator: the snapshot then has another account object. */
  set(change: RulesChange): void {
    this.account = { ...this.account, rules: changeRules(this.account.rules, change) };
  }

  send(fields: Partial<Draft> = {}, by: Account = this.account): string {
    const message = this.parsed(fields);
    const rejection = this.limits.judge(by, message);
    if (rejection) return 'rule' in rejection ? rejection.rule : rejection.code;
    this.limits.take(by, message);
    return 'sent';
  }

  parsed(fields: Partial<Draft>): ParsedDraft {
    const draft = { sender: '+41790000001', receiver: '+41791234567', text: 'Hello', dcs: 'GSM', ...fields };
    const read = parseDraft(draft, this.account, 0);
    assert.ok(read.ok);
    return read.value;
  }
}

const parts = (count: number) => 'x'.repeat(count === 1 ? 10 : 153 * count);
const to = (last: number) => ({ receiver: `+4179123${String(last).padStart(4, '0')}` });
const times = <T>(count: number, run: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => run(index));

describe('limits', () => {
  it('a rate counts parts, lets a burst pass, and fills again with time', () => {
    const world = new World({ rate: { count: 2, seconds: 1 }, burst: 4 });
    assert.deepEqual(
      times(4, () => world.send({ text: parts(2) })),
      ['sent', 'sent', 'rate', 'rate'],
    );
    world.ms += 499;
    assert.equal(world.send(), 'rate');
    world.ms += 1;
    assert.deepEqual([world.send(), world.send()], ['sent', 'rate']);
  });

  it('a refusal by the rate has the setting, the parts that are left, and the wait', () => {
    const world = new World({ rate: { count: 100, seconds: 60 }, burst: 3 });
    world.send({ text: parts(2) });
    assert.deepEqual(world.limits.judge(world.account, world.parsed({ text: parts(2) })), {
      code: 'rate_limited',
      rule: 'rate',
      count: 100,
      seconds: 60,
      left: 1,
      waitMs: 600,
    });
  });

  it('a refused message is not counted, however often it comes', () => {
    const world = new World({
      rate: { count: 1, seconds: 1 },
      receiverVelocity: { count: 1, seconds: 10 },
      repeatSeconds: 20,
    });
    assert.equal(world.send(), 'sent');
    for (let tried = 0; tried < 50; tried++) {
      world.ms += 10;
      assert.equal(world.send(), 'rate');
    }
    world.ms += 500;
    assert.equal(world.send(), 'receiver-velocity');
    assert.equal(world.send(to(1)), 'sent');
    world.ms += 11_000;
    assert.equal(world.send(), 'repeat');
    assert.equal(world.send({ text: 'Other' }), 'sent');
  });

  it('premium, unknown and fixed-line numbers pass where the operator allows their prefixes', () => {
    const modes = { premium: 'refuse', unknown: 'refuse', 'fixed-line': 'refuse' } as const;
    const world = new World({ modes, allowPrefixes: ['+41900123', '+4199', '+4144'] });
    for (const [receiver, answer] of [
      ['+41900123456', 'sent'],
      ['+41900124456', 'premium'],
      ['+41901123456', 'premium'],
      ['+41991234567', 'sent'],
      ['+41981234567', 'unknown'],
      ['+41446681800', 'sent'],
      ['+41316681800', 'fixed-line'],
      ['+41791234567', 'sent'],
    ] as const) {
      assert.equal(world.send({ receiver }), answer, receiver);
    }
    world.set({ allowCountries: ['DE'] });
    assert.equal(world.send({ receiver: '+41900123456' }), 'countries');
    world.set({ allowCountries: 'any', allowPrefixes: [] });
    assert.equal(world.send({ receiver: '+41900123456' }), 'premium');
    world.set({ allowPrefixes: 'any' });
    assert.equal(world.send({ receiver: '+41900123456' }), 'sent');
  });

  it('velocity counts messages to one receiver, and to receivers with the same beginning', () => {
    const one = new World({ receiverVelocity: { count: 2, seconds: 60 } });
    assert.deepEqual(
      [...times(3, () => one.send({ text: parts(3) })), one.send(to(1))],
      ['sent', 'sent', 'receiver-velocity', 'sent'],
    );
    one.ms += 66_001;
    assert.equal(one.send(), 'sent');

    const prefix = new World({ prefixVelocity: { count: 3, seconds: 60, digits: 8 } });
    assert.deepEqual(
      times(4, (index) => prefix.send(to(index))),
      ['sent', 'sent', 'sent', 'prefix-velocity'],
    );
    assert.equal(prefix.send({ receiver: '+41791240000' }), 'sent');
  });

  it('the same text is a repeat for the same receiver, from any sender, but not for another receiver', () => {
    const world = new World({ repeatSeconds: 10 });
    assert.deepEqual(
      [world.send(), world.send({ sender: 'ACME' }), world.send({ text: 'Hello!' }), world.send(to(1))],
      ['sent', 'repeat', 'sent', 'sent'],
    );
    world.ms += 9_999;
    assert.equal(world.send(), 'repeat');
    world.ms += 1;
    assert.equal(world.send(), 'sent');
  });

  it('a part that a client split is a repeat of the same part of the same message, with any reference', () => {
    const world = new World({ repeatSeconds: 10 });
    const part = (number: number, reference: number, text = 'x') => {
      const header = [concatenation({ bits: 8, reference, total: 2, number })];
      return world.send({ text, clientEncoded: { encoding: 'gsm7', octets: Buffer.from(text), header, reference } });
    };
    assert.deepEqual([part(1, 7), part(2, 7), part(2, 8), part(2, 8, 'y')], ['sent', 'sent', 'repeat', 'sent']);
    const binary = (octet: number) =>
      world.send({
        text: '',
        clientEncoded: { encoding: 'binary', octets: Buffer.of(octet), header: [], reference: null },
      });
    assert.deepEqual([binary(1), binary(2), binary(1)], ['sent', 'sent', 'repeat']);
  });

  it('a message whose commit fails is not counted: sending it again is no repeat and exceeds no limit', () => {
    const world = new World({
      rate: { count: 1, seconds: 1 },
      receiverVelocity: { count: 1, seconds: 60 },
      prefixVelocity: { count: 1, seconds: 60, digits: 5 },
      repeatSeconds: 60,
    });
    for (let tried = 0; tried < 3; tried++) {
      const message = world.parsed({});
      assert.equal(world.limits.judge(world.account, message), undefined);
      world.limits.take(world.account, message)?.();
    }
    assert.deepEqual([world.send(), world.send()], ['sent', 'rate']);
  });

  it('a watched rule refuses nothing, and counts the messages that it would refuse', () => {
    const watched = new World({ rate: { count: 1, seconds: 1 }, burst: 3, modes: { rate: 'watch' } });
    const refusing = new World({ rate: { count: 1, seconds: 1 }, burst: 3 });
    for (let sent = 0; sent < 40; sent++) {
      for (const world of [watched, refusing]) world.ms += 300;
      assert.equal(watched.send(), 'sent');
      refusing.send();
    }
    assert.ok(watched.hits.length > 0);
    assert.deepEqual(
      watched.hits,
      refusing.hits.map((hit) => hit.replace('refuse', 'watch')),
    );
  });

  it('several watched rules each count their own hits, and a refusing rule still refuses', () => {
    const world = new World({
      allowCountries: ['DE'],
      repeatSeconds: 60,
      rate: { count: 1, seconds: 60 },
      modes: { countries: 'watch', repeat: 'watch' },
    });
    assert.deepEqual([world.send(), world.send()], ['sent', 'rate']);
    assert.deepEqual(world.hits, ['acme countries watch', 'acme countries watch', 'acme rate refuse']);
  });

  it('a rule that is off is not checked, whatever its setting', () => {
    const world = new World({ allowCountries: ['DE'], repeatSeconds: 60, modes: { countries: 'off', repeat: 'off' } });
    assert.deepEqual([world.send(), world.send(), world.hits], ['sent', 'sent', []]);
  });

  it('a quote gets the same answer as a message, and counts nothing', () => {
    const world = new World({ repeatSeconds: 60, denyCountries: ['CH'] });
    assert.deepEqual(world.limits.ask(world.account, world.parsed({})), {
      code: 'destination_blocked',
      rule: 'countries',
    });
    assert.deepEqual(world.hits, []);
  });

  it('accounts do not share their counts', () => {
    const world = new World({ repeatSeconds: 60, receiverVelocity: { count: 1, seconds: 60 } });
    const other = { ...world.account, id: 2, name: 'other' };
    assert.deepEqual(
      [world.send(), world.send({}, other), world.send({}, other)],
      ['sent', 'sent', 'receiver-velocity'],
    );
  });

  it('a change of a rule drops its counts, and another change of the account drops none', () => {
    const world = new World({ rate: { count: 1, seconds: 3_600 }, repeatSeconds: 60 });
    world.send();
    world.set({ modes: { premium: 'refuse' } });
    assert.equal(world.send(), 'rate');
    world.set({ rate: { count: 100, seconds: 1 } });
    assert.equal(world.send(), 'repeat');
    world.set({ repeatSeconds: 30 });
    world.ms += 1_000;
    assert.equal(world.send(), 'sent');
  });
});
