import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { accountDefaults, type Account } from '../../core/account/account.ts';
import { changeRules, type RulesChange } from '../../core/account/rules.ts';
import { parseDraft, type Draft, type ParsedDraft } from '../../core/message/admission.ts';
import { Limits } from './limits.ts';

/** An account, its rules and a clock; `send` returns the rule that refuses, or `passed`. */
class World {
  now = 100_000;
  readonly hits: string[] = [];
  account: Account = { id: 1, name: 'acme', currency: 'EUR', status: 'active', ...accountDefaults, priceList: 1 };
  readonly limits = new Limits({
    now: () => this.now,
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
    const rejection = this.limits.judge(by, this.parsed(fields));
    if (!rejection) return 'passed';
    return 'rule' in rejection ? rejection.rule : rejection.code;
  }

  /** The commit refuses a message by this limit. */
  refuse(rule: 'rate' | 'receiver-velocity' | 'repeat', waitMs: number, fields: Partial<Draft> = {}): void {
    const result = refused({ code: 'rate_limited', rule, count: 1, seconds: 60, left: 0, waitMs } as const);
    this.limits.decided(this.account, this.parsed(fields), { at: this.now, result });
  }

  parsed(fields: Partial<Draft>): ParsedDraft {
    const draft = { sender: '+41790000001', receiver: '+41791234567', text: 'Hello', dcs: 'GSM', ...fields };
    const read = parseDraft(draft, this.account, 0);
    assert.ok(read.ok);
    return read.value;
  }
}

const parts = (count: number) => ({ text: 'x'.repeat(count === 1 ? 10 : 153 * count) });
const to = (last: number) => ({ receiver: `+4179123${String(last).padStart(4, '0')}` });

describe('rules of an account', () => {
  it('premium, unknown and fixed-line numbers pass where the operator allows their prefixes', () => {
    const modes = { premium: 'refuse', unknown: 'refuse', 'fixed-line': 'refuse' } as const;
    const world = new World({ modes, allowPrefixes: ['+41900123', '+4199', '+4144'] });
    for (const [receiver, answer] of [
      ['+41900123456', 'passed'],
      ['+41900124456', 'premium'],
      ['+41901123456', 'premium'],
      ['+41991234567', 'passed'],
      ['+41981234567', 'unknown'],
      ['+41446681800', 'passed'],
      ['+41316681800', 'fixed-line'],
      ['+41791234567', 'passed'],
    ] as const) {
      assert.equal(world.send({ receiver }), answer, receiver);
    }
    world.set({ allowCountries: ['DE'] });
    assert.equal(world.send({ receiver: '+41900123456' }), 'countries');
    world.set({ allowCountries: 'any', allowPrefixes: [] });
    assert.equal(world.send({ receiver: '+41900123456' }), 'premium');
    world.set({ allowPrefixes: 'any' });
    assert.equal(world.send({ receiver: '+41900123456' }), 'passed');
  });

  it('several watched rules each count their own hits, and a refusing rule still refuses', () => {
    const world = new World({
      senders: ['ACME'],
      allowCountries: ['DE'],
      modes: { senders: 'watch', countries: 'watch', unknown: 'refuse' },
    });
    assert.deepEqual([world.send(), world.send({ receiver: '+41981234567' })], ['passed', 'unknown']);
    const watched = ['acme senders watch', 'acme countries watch'];
    assert.deepEqual(world.hits, [...watched, ...watched, 'acme unknown refuse']);
  });

  it('a rule that is off is not checked, whatever its setting', () => {
    const world = new World({ allowCountries: ['DE'], modes: { countries: 'off' } });
    assert.deepEqual([world.send(), world.hits], ['passed', []]);
  });

  it('a quote gets the same answer as a message, and no hit', () => {
    const world = new World({ denyCountries: ['CH'] });
    assert.deepEqual(world.limits.ask(world.account, world.parsed({})), {
      code: 'destination_blocked',
      rule: 'countries',
    });
    assert.deepEqual(world.hits, []);
  });
});

describe('a limit that refused a message in its commit', () => {
  it('refuses others with the same subject, and says how long, until the message could pass', () => {
    const world = new World({
      rate: { count: 1, seconds: 60 },
      burst: 2,
      receiverVelocity: { count: 1, seconds: 60 },
      repeatSeconds: 60,
    });
    world.refuse('receiver-velocity', 1_000);
    world.refuse('repeat', 3_000, to(1));
    assert.deepEqual(
      [world.send(), world.send(to(1)), world.send({ ...to(1), text: 'Other' }), world.send(to(2))],
      ['receiver-velocity', 'repeat', 'passed', 'passed'],
    );
    world.now += 600;
    assert.deepEqual(world.limits.judge(world.account, world.parsed({})), {
      code: 'rate_limited',
      rule: 'receiver-velocity',
      count: 1,
      seconds: 60,
      left: 0,
      waitMs: 400,
    });
    world.now += 400;
    assert.deepEqual([world.send(), world.send(to(1))], ['passed', 'repeat']);
    world.now += 2_000;
    assert.equal(world.send(to(1)), 'passed');
  });

  it('by the rate, refuses messages that need as many parts of the burst', () => {
    const world = new World({ rate: { count: 1, seconds: 60 }, burst: 2 });
    world.refuse('rate', 1_000, parts(3));
    assert.deepEqual(
      [1, 2, 4].map((count) => world.send(parts(count))),
      ['passed', 'rate', 'rate'],
    );
  });

  it('refuses nothing after a change of the account, and nothing of other accounts', () => {
    const world = new World({ rate: { count: 1, seconds: 60 } });
    world.refuse('rate', 60_000);
    assert.equal(world.send({}, { ...world.account, id: 2, name: 'other' }), 'passed');
    world.set({ rate: { count: 2, seconds: 60 } });
    assert.equal(world.send(), 'passed');
  });

  it('gets a hit for each message that it refuses, and a watched limit for each that breaks it', () => {
    const world = new World({ rate: { count: 1, seconds: 60 }, repeatSeconds: 60, modes: { repeat: 'watch' } });
    world.refuse('rate', 1_000);
    world.send();
    const accepted = { clientBalance: toMicros(0n), reference: null, watched: ['repeat'] } as const;
    world.limits.decided(world.account, world.parsed({}), { at: world.now, result: ok(accepted) });
    assert.deepEqual(world.hits, ['acme rate refuse', 'acme rate refuse', 'acme repeat watch']);
  });
});
