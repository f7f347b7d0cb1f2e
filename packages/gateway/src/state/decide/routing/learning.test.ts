import type { Command, CommandOf, ResultOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { IdRule } from '../../../core/routing/carrier.ts';
import { carrierIdKey, type KnownRule } from '../../../core/message/carrier-id.ts';
import { learnedAfter, relearnedAfter } from './learning.ts';
import { done } from '../../../../test/support/done.ts';
import { openTestDatabase } from '../../../../test/support/store/test-database.ts';
import { carrierCommand, setCarrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { propertyRuns, TestStore } from '../../../../test/support/store/store.ts';
import { stories } from '../../../../test/support/store/story.ts';

/** A store with a carrier whose id rule is not set. */
class Unlearned extends TestStore {
  readonly #carrier = { carrier: 2, link: 1, lease: 1, isWhole: false };

  static override async open(): Promise<Unlearned> {
    const store = await new Unlearned(await openTestDatabase()).fill();
    await store.one(carrierCommand({ name: 'beta', idRule: 'auto', inDoubt: 'hold' }));
    await store.addAccount('rich', 1_000_000);
    return store;
  }

  /** A message in flight to this receiver. Returns its id. */
  async send(receiver: string): Promise<number> {
    const accept = this.accept({ account: 2, receiver, claim: this.#carrier });
    const [result] = await this.apply(accept);
    assert.ok(result?.ok);
    return accept.id;
  }

  answerOf(message: number, id: string): CommandOf<'outcome'> {
    const answer = { carrier: 2, carrierId: id, carrierIdKey: carrierIdKey(id) };
    return this.outcome(message, answer);
  }

  receiptOf(receiver: string, id: string, more: Partial<CommandOf<'receipt'>> = {}): CommandOf<'receipt'> {
    return this.receipt(id, { carrier: 2, carrierIdKey: carrierIdKey(id), receiver, ...more });
  }

  /** A message, its answer and its receipt, one after the other. */
  async pass(receiver: string, answerId: string, receiptId: string): Promise<number> {
    const message = await this.send(receiver);
    await this.one(this.answerOf(message, answerId));
    await this.one(this.receiptOf(receiver, receiptId));
    return message;
  }

  async setRule(idRule: IdRule): Promise<void> {
    await this.one(setCarrierCommand({ at: this.now, carrier: 'beta', settings: { idRule } }));
  }

  async learned(): Promise<unknown> {
    return (await this.value('select learned from learning where carrier = 2')) ?? null;
  }

  rematch(max = 500): Promise<ResultOf<'rematch'>> {
    return this.one<'rematch'>({ kind: 'rematch', at: this.now, max });
  }

  async unmatched(why: string): Promise<number> {
    return Number(await this.value('select count(*) from unmatched_receipt where why = ?', why));
  }
}

const one = '+41790000011';
const two = '+41790000012';
const three = '+41790000013';
const four = '+41790000014';

/** A message to a phone, its answer and its receipt, one after the other. */
function passed(message: number, receiver: string, answer: string, receipt: string): string {
  return `${sending(receiver)}; ${message} accepted id=${answer}; receipt ${receipt} by=beta to=${receiver}`;
}

function sending(receiver: string): string {
  return `accept beta account=2 receiver=${receiver}`;
}

/** Three messages, from which the rule `hex-answer` is learned. */
function taught(first: number): string {
  const phones = [two, three, four].map((phone, at) => passed(first + at, phone, `a${at + 1}`, `16${at + 1}`));
  return `${phones.join('; ')}; rows learning learned=hex-answer = 1`;
}

const open = () => Unlearned.open();
const noEvidence = 'rows learning_evidence = 0';

describe('an id rule that is not known yet', () => {
  const rows: readonly (readonly [string, string, KnownRule | null])[] = [
    ['812FC7470000001B', '9308878062554710043', 'hex-answer'],
    ['6aad5', '0000436949', 'hex-answer'],
    ['436949', '6AAD5', 'hex-receipt'],
    ['0913121205', '913121205', 'same'],
    ['0e999f21-81ef-4974-a414-3de98174e3c7', '0E999F21-81EF-4974-A414-3DE98174E3C7', null],
    ['7', '7', null],
  ];
  for (const [answer, receipt, rule] of rows) {
    const [answered, reported] = [`1 accepted by=beta id=${answer}`, `receipt ${receipt} by=beta to=${one}`];
    const evidence = rule ? `rows learning_evidence rule=${rule} = 1` : noEvidence;
    const end = `events = delivered; ${evidence}; rows learning learned=${rule} = 0`;
    stories(
      {
        [`matches ${answer} with ${receipt}, and ${rule ? 'takes it as evidence' : 'learns nothing from it'}`]: `
          ${passed(1, one, answer, receipt)}; ${end}`,
        [`matches ${receipt} when it comes before its answer ${answer} (D1)`]: `
          ${sending(one)}; ${reported}; restart; ${answered}; ${end}`,
        [`matches ${answer} with ${receipt} behind it in one group`]: `
          ${sending(one)}; ${answered} & ${reported}; events = delivered`,
        [`matches ${answer} with ${receipt} before it in one group`]: `
          ${sending(one)}; ${reported} & ${answered}; events = delivered`,
      },
      open,
    );
  }

  for (const [answer, receipt] of [
    ['123456', '123456'],
    ['1e240', '123456'],
    ['1193046', '123456'],
  ]) {
    const about = `does not match ${answer} with ${receipt} of another receiver, and keeps the receipt as unmatched`;
    const text = `${sending(one)}; 1 accepted id=${answer}; receipt ${receipt} by=beta to=${two}; events = sent
      rows unmatched_receipt why=unknown = 1`;
    stories({ [about]: text }, open);
  }

  for (const [id, event] of [
    ['123456', 'delivered'],
    ['12345', 'sent'],
  ]) {
    for (const receiver of ['', '4179***11', 'SMSC']) {
      const about = `of a receipt without a number ("${receiver}") leaves ${id} ${event}, and learns nothing`;
      const text = `${sending(one)}; 1 accepted id=${id}; receipt ${id} by=beta to=${receiver}; events = ${event}
        ${noEvidence}`;
      stories({ [about]: text }, open);
    }
  }

  const both = `${sending(one)}; ${sending(one)}`;
  const sixteen = `receipt 16 by=beta to=${one}`;
  const undecided = 'rows unmatched_receipt why=undecided';
  stories(
    {
      'waits if an id fits two messages to one receiver, and decides when the rule is learned': `
        ${both}; 1 accepted id=10 & 2 accepted by=beta id=16; ${sixteen}; events = sent sent; ${undecided} = 1
        rematch; ${undecided} = 1; ${taught(3)}; rematch
        events = delivered sent delivered delivered delivered; ${undecided} = 0`,
      'waits if a message to the same receiver has no answer yet, and decides with the answer': `
        ${both}; 1 accepted id=16; ${sixteen}; events = sent queued; ${undecided} = 1
        wait 1s; 2 accepted id=10; rematch; events = sent sent; ${undecided} = 1`,
      'does not wait for it if no id of about the same time equals the id in another base, as it is so long': `
        ${both}; 1 accepted id=179525; 2 in_doubt; receipt 179525 by=beta to=${one}; events = delivered sent
        ${undecided} = 0`,
      'decides at the next look once the other message has another id': `
        ${both}; 1 accepted id=16; ${sixteen}; 2 accepted id=17; rematch; events = delivered sent; ${undecided} = 0`,
    },
    open,
  );
});

describe('learning', () => {
  it('takes three messages, is stored with its evidence, and survives a restart', async () => {
    await using store = await Unlearned.open();
    await store.pass(one, 'a1', '161');
    await store.pass(two, 'a2', '162');
    await store.one(store.receiptOf(two, '162'));
    assert.equal(await store.learned(), null, 'the same message twice is one');
    await store.restart();
    const third = await store.pass(three, 'a3', '163');
    assert.equal(learnedAfter, 3);
    assert.equal(await store.learned(), 'hex-answer');
    assert.deepEqual(await store.rematch(), {
      ok: true,
      value: { isMore: false, learned: [{ carrier: 2, rule: 'hex-answer', was: null, matches: 3 }] },
    });
    const last = (await store.rows('select * from learning_evidence order by place desc limit 1'))[0];
    assert.deepEqual(
      [last?.['message'], last?.['answer_id'], last?.['receipt_id'], last?.['counts_for']],
      [third, 'a3', '163', 'rule'],
    );
    await store.restart();
    // A known rule needs no receiver.
    const message = await store.send(four);
    await store.one(store.answerOf(message, 'ff'));
    await store.one(store.receiptOf('nobody', '255'));
    assert.equal(await store.event(message), 'delivered');
  });

  it('looks again at receipts from before the present rule, in as many steps as needed, over a restart', async () => {
    await using store = await Unlearned.open();
    await store.setRule('same');
    const messages: number[] = [];
    for (let id = 0xa000; id < 0xa000 + 25; id++) messages.push(await store.pass(one, id.toString(16), String(id)));
    await store.pass(one, 'a100', String(0xa999));
    assert.equal(await store.unmatched('unknown'), 26);
    await store.setRule('hex-answer');
    for (const [left, isMore] of [
      [16, true],
      [6, true],
      [1, false],
    ] as const) {
      await store.restart();
      const { newAfter: _newAfter, ...looked } = done(await store.rematch(10));
      assert.deepEqual(looked, { isMore, learned: [] });
      assert.equal(await store.unmatched('unknown'), left);
    }
    for (const message of messages) assert.equal(await store.event(message), 'delivered');
  });

  it('starts again after a run of receipts that fit another rule, and then matches them', async () => {
    await using store = await Unlearned.open();
    for (const id of [0xa1, 0xa2, 0xa3]) await store.pass(one, id.toString(16), String(id));
    assert.equal(await store.learned(), 'hex-answer');
    const changed: number[] = [];
    for (let at = 0; at < relearnedAfter; at++) changed.push(await store.pass(two, `beef${at}`, `BEEF${at}`));
    assert.equal(await store.learned(), 'same');
    assert.deepEqual(await Promise.all(changed.map((message) => store.event(message))), [
      'sent',
      'sent',
      'sent',
      'sent',
      'delivered',
    ]);
    assert.deepEqual(await store.rematch(), {
      ok: true,
      value: { isMore: false, learned: [{ carrier: 2, rule: 'same', was: 'hex-answer', matches: 5 }] },
    });
    for (const message of changed) assert.equal(await store.event(message), 'delivered');
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });

  it('does not start again for fewer, nor for a run that a match under the rule has ended', async () => {
    await using store = await Unlearned.open();
    for (const id of [0xa1, 0xa2, 0xa3]) await store.pass(one, id.toString(16), String(id));
    for (let at = 0; at < relearnedAfter - 1; at++) await store.pass(two, `beef${at}`, `beef${at}`);
    await store.pass(three, 'a4', '164');
    for (let at = 0; at < relearnedAfter - 1; at++) await store.pass(two, `cafe${at}`, `cafe${at}`);
    assert.equal(await store.learned(), 'hex-answer');
  });

  it('does not touch a rule that was set; auto starts again', async () => {
    await using store = await Unlearned.open();
    await store.setRule('same');
    for (let at = 0; at < 10; at++) await store.pass(one, (0xa0 + at).toString(16), String(0xa0 + at));
    assert.deepEqual([await store.learned(), await store.unmatched('unknown')], [null, 10]);
    await store.setRule('hex-answer');
    await store.rematch();
    assert.equal(
      await store.unmatched('unknown'),
      0,
      'what was unmatched under the wrong rule is found under the right one',
    );
    await store.setRule('auto');
    assert.equal(await store.learned(), null);
    for (const id of ['b1', 'b2', 'b3']) await store.pass(one, id, id);
    assert.equal(await store.learned(), 'same');
    await store.setRule('auto');
    assert.deepEqual([await store.learned(), await store.value('select count(*) from learning_evidence')], [null, 0]);
  });

  const named = [one, two, three, four].map((phone, at) => {
    const said = `by=beta to=${phone}`;
    return `${sending(phone)}; ${at + 1} accepted; receipt 10${at} ENROUTE ${said}; receipt 10${at} ${said}`;
  });
  stories(
    {
      'learns nothing from an id that only a receipt has given': `
        ${named.join('; ')}; events = delivered delivered delivered delivered; ${noEvidence}`,
      'is not misled by one pair that fits another rule between them': `
        ${passed(1, one, 'a1', '161')}; ${passed(2, two, 'a2', '162')}; ${passed(3, three, '123', '123')}
        ${passed(4, four, 'a3', '163')}; rows learning learned=hex-answer = 0
        ${passed(5, one, 'a4', '164')}; ${passed(6, two, 'a5', '165')}; rows learning learned=hex-answer = 1`,
      'matches a long id at once that another rule explains: several systems may stand behind one carrier': `
        ${taught(1)}; ${passed(4, two, 'beef01', 'BEEF01')}; ${passed(5, three, 'a4', '164')}
        events = delivered delivered delivered delivered delivered; rows unmatched_receipt = 0
        rows learning learned=hex-answer = 1`,
    },
    open,
  );
});

describe('a receipt that was unmatched before its part was in doubt', () => {
  const looked = 'restart; rematch; part state';
  const early = `receipt early-1 by=beta to=${one}`;
  stories(
    {
      'settles it at the next look (D1)': `
        ${sending(one)}; ${sending(two)}; ${early}; 1 in_doubt & 2 in_doubt by=beta; ${looked} = delivered in_doubt
        rows unmatched_receipt = 0`,
      'stays unmatched where two could be meant (D1)': `
        ${sending(one)}; ${sending(one)}; ${early}; 1 in_doubt & 2 in_doubt by=beta; ${looked} = in_doubt in_doubt
        rows unmatched_receipt why=unknown = 1`,
      'does not match if it came before its claim': `
        ${early}; wait 1s; ${sending(one)}; 1 in_doubt; rematch; events = sent; rows unmatched_receipt why=unknown = 1`,
    },
    open,
  );
});

/** A carrier of the property below: its rule, and how it spells a number on either side. */
const spellings: Record<KnownRule, readonly ['hex' | 'decimal', 'hex' | 'decimal']> = {
  same: ['decimal', 'decimal'],
  'hex-answer': ['hex', 'decimal'],
  'hex-receipt': ['decimal', 'hex'],
};

function spell(number: bigint, base: 'hex' | 'decimal'): string {
  return number.toString(base === 'hex' ? 16 : 10);
}

it('whatever a carrier does with its ids, no receipt goes to the wrong message, and only the true rule is learned (D1, D3)', async () => {
  const event = fc.record({
    what: fc.constantFrom('send', 'send', 'answer', 'answer', 'receipt', 'receipt', 'repeat', 'rematch', 'restart'),
    which: fc.nat(30),
    receiver: fc.constantFrom(one, two),
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
      await using store = await Unlearned.open();
      const sent: { message: number; receiver: string; number: bigint; isAnswered: boolean; isReported: boolean }[] =
        [];
      const [ours, theirs] = spellings[rule];
      const reported = new Set<number>();
      const commandsOf = (each: { what: string; which: number; receiver: string }): Command[] => {
        const subject = sent[each.which % Math.max(1, sent.length)];
        switch (each.what) {
          case 'answer':
            if (!subject || subject.isAnswered) return [];
            subject.isAnswered = true;
            return [store.answerOf(subject.message, spell(subject.number, ours))];
          case 'receipt':
          case 'repeat':
            if (!subject || (subject.isReported && each.what === 'receipt')) return [];
            subject.isReported = true;
            reported.add(subject.message);
            return [store.receiptOf(subject.receiver, '0'.repeat(zeros) + spell(subject.number, theirs))];
          case 'rematch':
            return [{ kind: 'rematch', at: store.now, max: 3 }];
          default:
            return [];
        }
      };
      const look = async () => {
        assert.deepEqual(store.faults, []);
        for (const { message } of sent) {
          assert.ok(
            (await store.event(message)) !== 'delivered' || reported.has(message),
            `${message} has no receipt yet`,
          );
        }
        const learned = await store.learned();
        assert.ok(learned === null || learned === rule, `${String(learned)} was learned of a carrier of ${rule}`);
      };
      for (const group of script) {
        store.now += 10;
        for (const each of group) {
          if (each.what !== 'send') continue;
          const message = await store.send(each.receiver);
          const number = first + step * BigInt(sent.length);
          sent.push({ message, receiver: each.receiver, number, isAnswered: false, isReported: false });
        }
        store.now += 10;
        await store.apply(...group.flatMap(commandsOf));
        if (group.some(({ what }) => what === 'restart')) await store.restart();
        await look();
      }
      // In the end everything is answered and reported, with enough receipts behind it to learn the rule.
      store.now += 10;
      for (const [which] of sent.entries()) {
        await store.apply(...commandsOf({ what: 'answer', which, receiver: one }));
        await store.apply(...commandsOf({ what: 'receipt', which, receiver: one }));
        await look();
      }
      for (let at = 0; at < learnedAfter; at++) {
        const number = 0xabcdef0n + BigInt(at);
        await store.pass(`+4179100000${at}`, spell(number, ours), spell(number, theirs));
      }
      assert.equal(await store.learned(), rule);
      for (let looks = 0; looks < 40; looks++) await store.rematch();
      for (const { message } of sent) assert.equal(await store.event(message), 'delivered');
      assert.equal(await store.value('select count(*) from unmatched_receipt where why <> ?', 'unknown'), 0);
      assert.deepEqual(await store.moneyFaults(), []);
    }),
    { numRuns: propertyRuns(50) },
  );
});
