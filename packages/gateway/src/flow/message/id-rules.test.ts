import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ok } from '@morsel/api/values/result.ts';
import { carrierIdKey, type KnownRule } from '../../core/message/carrier-id.ts';
import type { Command, CommandOf, Kind, ResultOf } from '../../state/commands.ts';
import { readShownRules } from '../../store/views/routing/shown-rules.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { viewOf } from '../../../test/support/store/operate.ts';
import { carrierCommand, setCarrierCommand } from '../../../test/support/store/routing-commands.ts';
import { propertyRuns, TestStore } from '../../../test/support/store/store.ts';
import { openTestDatabase } from '../../../test/support/store/test-database.ts';
import { followIdRules, type IdRuleNeeds } from './id-rules.ts';

type Pair = readonly [answer: string, receipt: string, receiver?: string];

const phone = (at: number) => `+417910000${String(at).padStart(2, '0')}`;

/** A store with a carrier whose id rule is not set. */
class Unruled extends TestStore {
  static override async open(): Promise<Unruled> {
    const store = await new Unruled(await openTestDatabase()).fill();
    await store.one(carrierCommand({ name: 'beta', idRule: 'auto', inDoubt: 'hold' }));
    await store.addAccount('rich', 1_000_000);
    return store;
  }

  async send(receiver: string): Promise<number> {
    const accept = this.accept({ account: 2, receiver, claim: { carrier: 2, link: 1, lease: 1, isWhole: false } });
    const [result] = await this.apply(accept);
    assert.ok(result?.ok);
    return accept.id;
  }

  answerOf(message: number, id: string): CommandOf<'outcome'> {
    return this.outcome(message, { carrier: 2, carrierId: id, carrierIdKey: carrierIdKey(id) });
  }

  receiptOf(receiver: string, id: string): CommandOf<'receipt'> {
    return this.receipt(id, { carrier: 2, carrierIdKey: carrierIdKey(id), receiver });
  }

  /** Messages with their answers and receipts, one after the other. */
  async pass(...pairs: readonly Pair[]): Promise<void> {
    for (const [at, [answer, receipt, receiver = phone(at)]] of pairs.entries()) {
      const message = await this.send(phone(at));
      await this.one(this.answerOf(message, answer));
      await this.one(this.receiptOf(receiver, receipt));
    }
  }

  async look(): Promise<void> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a test needs of each
    const needs = {
      log: quietLog,
      clock: { now: () => this.now, monotonicMs: () => this.now, wall: () => this.now },
      random: Math.random,
      journal: { append: <K extends Kind>(command: CommandOf<K>): Promise<ResultOf<K>> => this.one<K>(command) },
      prices: { ask: async () => ok(await readShownRules(this.queries)) },
      reloadSnapshot: async () => {},
    } as unknown as IdRuleNeeds;
    await followIdRules(needs);
    await this.one({ kind: 'rematch', at: this.now, max: 500 });
  }

  async rule(): Promise<unknown> {
    return this.value("select id_rule from carrier where name = 'beta'");
  }

  async setRule(idRule: KnownRule | 'auto'): Promise<void> {
    await this.one(setCarrierCommand({ at: this.now, carrier: 'beta', settings: { idRule } }));
  }
}

const hexAnswers: readonly Pair[] = [0xa1, 0xa2, 0xa3, 0xa4, 0xa5].map((id) => [id.toString(16), String(id)]);

describe('unmatched receipts of a carrier without a set id rule', () => {
  it('set the rule that five of them show, with an entry in the audit log, and are matched', async () => {
    await using store = await Unruled.open();
    await store.pass(...hexAnswers);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 5);
    await store.look();
    assert.equal(await store.rule(), 'hex-answer');
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
    assert.equal(await store.value("select count(*) from part where state <> 'delivered'"), 0);
    const [entry] = await store.rows('select operator, operation, carrier, given, changes from audit_entry');
    assert.deepEqual(
      [entry?.['operator'], entry?.['operation'], entry?.['carrier']],
      ['operator', 'carrier.set', 'beta'],
    );
    assert.equal(entry?.['given'], '{"carrier":"beta","idRule":"hex-answer"}');
    assert.match(String(entry?.['changes']), /auto.*hex-answer/);
    const learned = await viewOf(store.queries, 'carrier.learned', { carrier: 'beta' });
    assert.deepEqual([learned.learnedRule, learned.learnedAt], ['hex-answer', store.now]);
    const shown = learned.evidence.map(({ answerId, receiptId }) => [answerId, receiptId]);
    assert.deepEqual(new Set(shown?.map(String)), new Set(hexAnswers.map(String)));
    assert.deepEqual(store.faults, []);
  });

  const nothing: { readonly [about: string]: readonly Pair[] } = {
    'that are four': hexAnswers.slice(0, 4),
    'that contradict each other': [...hexAnswers, ['436949', '6aad5']],
    'that name other receivers': hexAnswers.map(([answer, receipt]) => [answer, receipt, '+41799999999']),
    'with short ids and no receiver': hexAnswers.map(([answer, receipt]) => [answer, receipt, '']),
    'with ids that no answer has': hexAnswers.map(([answer], at) => [answer, `9${at}`]),
    'of messages that have had a receipt': hexAnswers.flatMap(([answer, receipt], at): Pair[] => [
      [answer, answer],
      [`${answer}-2`, receipt, phone(2 * at)],
    ]),
  };
  for (const [about, pairs] of Object.entries(nothing)) {
    it(`${about} show no other rule`, async () => {
      await using store = await Unruled.open();
      await store.pass(...pairs);
      await store.look();
      assert.deepEqual(
        [await store.rule(), (await store.value('select learned from learning where learned <> ?', 'same')) ?? null],
        ['auto', null],
      );
      assert.equal(await store.value('select count(*) from audit_entry'), 0);
    });
  }

  it('with short ids wait for a rule while another message to their receiver has no answer', async () => {
    await using store = await Unruled.open();
    for (const at of hexAnswers.keys()) await store.send(phone(at));
    await store.pass(...hexAnswers.map(([id]): Pair => [id, id]));
    assert.equal(await store.value("select count(*) from part where state = 'delivered'"), 0);
    await store.look();
    assert.deepEqual([await store.rule(), await store.value('select count(*) from unmatched_receipt')], ['same', 0]);
  });

  it('may lack a number if their ids are long', async () => {
    await using store = await Unruled.open();
    await store.pass(...hexAnswers.map((_, at): Pair => [(0xbeef00 + at).toString(16), String(0xbeef00 + at), '']));
    await store.look();
    assert.deepEqual(
      [await store.rule(), await store.value('select count(*) from unmatched_receipt')],
      ['hex-answer', 0],
    );
  });
});

describe('unmatched receipts of a carrier with a set id rule', () => {
  it('only propose another one, until an operator sets a rule', async () => {
    await using store = await Unruled.open();
    await store.setRule('same');
    await store.pass(...hexAnswers);
    await store.look();
    const known = async () => {
      const learned = await viewOf(store.queries, 'carrier.learned', { carrier: 'beta' });
      return [learned.idRule, learned.learnedRule, learned.evidence.length];
    };
    assert.deepEqual(await known(), ['same', 'hex-answer', 5]);
    await store.restart();
    await store.setRule('hex-receipt');
    assert.deepEqual(await known(), ['hex-receipt', null, 0]);
    await store.look();
    await store.setRule('hex-answer');
    await store.look();
    assert.deepEqual(await known(), ['hex-answer', 'hex-answer', 5]);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });
});

const spellings: Record<KnownRule, readonly [answer: 10 | 16, receipt: 10 | 16]> = {
  same: [10, 10],
  'hex-answer': [16, 10],
  'hex-receipt': [10, 16],
};

it('whatever a carrier does with its ids, no receipt goes to the wrong message, and only the true rule is set (D1, D3)', async () => {
  const event = fc.record({
    what: fc.constantFrom(
      'send',
      'send',
      'answer',
      'answer',
      'doubt',
      'receipt',
      'receipt',
      'repeat',
      'look',
      'restart',
    ),
    which: fc.nat(30),
    receiver: fc.constantFrom(phone(91), phone(92)),
  });
  const groups = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { minLength: 10, maxLength: 60 });
  const carriers = fc.record({
    rule: fc.constantFrom<KnownRule>('same', 'hex-answer', 'hex-receipt'),
    /** Small consecutive ids are read in every way; wide ones need BigInt. */
    first: fc.constantFrom(1n, 8n, 95n, 0xfffen, 2n ** 64n - 3n),
    step: fc.constantFrom(1n, 3n, 6n),
    zeros: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(carriers, groups, async ({ rule, first, step, zeros }, script) => {
      await using store = await Unruled.open();
      const sent: { message: number; receiver: string; number: bigint; isAnswered: boolean; isReported: boolean }[] =
        [];
      const [ours, theirs] = spellings[rule];
      const commandsOf = (each: { what: string; which: number }): Command[] => {
        const subject = sent[each.which % Math.max(1, sent.length)];
        if (!subject) return [];
        if (each.what === 'answer' && !subject.isAnswered) {
          subject.isAnswered = true;
          return [store.answerOf(subject.message, subject.number.toString(ours))];
        }
        if (each.what === 'doubt' && !subject.isAnswered)
          return [store.outcome(subject.message, { carrier: 2, outcome: 'in_doubt' })];
        if (each.what !== 'repeat' && (each.what !== 'receipt' || subject.isReported)) return [];
        subject.isReported = true;
        return [store.receiptOf(subject.receiver, '0'.repeat(zeros) + subject.number.toString(theirs))];
      };
      const check = async () => {
        assert.deepEqual(store.faults, []);
        for (const { message, isReported } of sent)
          assert.ok(isReported || (await store.event(message)) !== 'delivered', `${message} has no receipt yet`);
        const set = await store.rule();
        assert.ok(set === 'auto' || set === rule, `${String(set)} was set for a carrier of ${rule}`);
      };
      for (const group of script) {
        store.now += 10;
        for (const { what, receiver } of group) {
          if (what !== 'send') continue;
          const number = first + step * BigInt(sent.length);
          sent.push({ message: await store.send(receiver), receiver, number, isAnswered: false, isReported: false });
        }
        store.now += 10;
        await store.apply(...group.flatMap(commandsOf));
        if (group.some(({ what }) => what === 'look')) await store.look();
        if (group.some(({ what }) => what === 'restart')) await store.restart();
        await check();
      }
      // In the end everything is answered and reported, with enough receipts behind it to show another rule than the same.
      store.now += 10;
      for (const [which] of sent.entries()) {
        await store.apply(...commandsOf({ what: 'answer', which }));
        await store.apply(...commandsOf({ what: 'receipt', which }));
      }
      const last = [0, 1, 2, 3, 4].map((at) => 0xabcdef0n + BigInt(at));
      await store.pass(...last.map((number): Pair => [number.toString(ours), number.toString(theirs)]));
      await store.look();
      await check();
      if (rule === 'same') await store.setRule(rule);
      assert.equal(await store.rule(), rule);
      await store.one({ kind: 'rematch', at: store.now, max: 500 });
      for (const { message } of sent) assert.equal(await store.event(message), 'delivered');
      assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
      assert.deepEqual(await store.moneyFaults(), []);
    }),
    { numRuns: propertyRuns(50) },
  );
});
