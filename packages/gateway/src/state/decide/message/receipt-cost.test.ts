import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carrierIdKey } from '../../../core/message/carrier-id.ts';
import { shownAfter } from '../routing/learning.ts';
import type { IdRule } from '../../../core/routing/carrier.ts';
import { carrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { SqliteTestStore } from '../../../../test/support/store/store.ts';

/* What a receipt costs: how many statements, of which kind. */

class Counted extends SqliteTestStore {
  #asked: string[] = [];

  /** With the rule `auto`, receipts have shown already that ids are the same. */
  static async under(idRule: IdRule): Promise<Counted> {
    const store = await new Counted().fill();
    await store.one(carrierCommand({ name: 'beta', idRule }));
    store.#asked = await store.restartCounting();
    for (let seen = 0; seen < (idRule === 'auto' ? shownAfter : 0); seen++) {
      const [message, id] = [await store.send(), `cc${seen}`];
      await store.apply(store.answerOf(message, id), store.receiptOf(id));
    }
    return store;
  }

  /** The statements that ran meanwhile, without those of each group. */
  async during(act: () => Promise<unknown>): Promise<readonly string[]> {
    this.#asked.length = 0;
    await act();
    return this.#asked.filter((sql) => !['begin immediate', 'commit', 'select total_changes()'].includes(sql));
  }

  async reads(act: () => Promise<unknown>): Promise<readonly string[]> {
    return (await this.during(act)).filter((sql) => sql.startsWith('select'));
  }

  async send(): Promise<number> {
    const accept = this.accept({ claim: { carrier: 2, link: 1, lease: 1, isWhole: false } });
    await this.one(accept);
    return accept.id;
  }

  answerOf(message: number, id: string): CommandOf<'outcome'> {
    return this.outcome(message, { carrier: 2, carrierId: id, carrierIdKey: carrierIdKey(id) });
  }

  receiptOf(id: string): CommandOf<'receipt'> {
    return this.receipt(id, { carrier: 2, carrierIdKey: carrierIdKey(id) });
  }
}

for (const idRule of ['same', 'hex-answer', 'auto'] as const) {
  describe(`under the rule ${idRule}`, () => {
    const [answer, receipt] = idRule === 'hex-answer' ? ['ff1', '4081'] : ['ff1000', 'ff1000'];

    it('a receipt whose attempt is in memory reads only the balance of its account', async () => {
      await using store = await Counted.under(idRule);
      const message = await store.send();
      await store.one(store.answerOf(message, answer));
      const reads = await store.reads(() => store.one(store.receiptOf(receipt)));
      assert.equal(await store.event(message), 'delivered');
      assert.deepEqual(
        reads.filter((sql) => !sql.includes('from account')),
        [],
      );
    });

    it('a receipt in the group of its answer reads nothing for itself', async () => {
      await using store = await Counted.under(idRule);
      const [first, one, other] = [await store.send(), await store.send(), await store.send()];
      await store.one(store.answerOf(first, 'ddd'));
      const alone = await store.reads(() => store.one(store.answerOf(one, 'eee')));
      const both = await store.reads(() => store.apply(store.answerOf(other, answer), store.receiptOf(receipt)));
      assert.deepEqual(both, alone);
      assert.equal(await store.event(other), 'delivered');
    });

    it('a flood of unknown receipts costs two statements each, all by index', async () => {
      await using store = await Counted.under(idRule);
      const count = 200;
      const flood = Array.from({ length: count }, (_, at) => store.receiptOf(`9${at}00`));
      const asked = await store.during(() => store.apply(...flood));
      const few = 40;
      assert.ok(asked.length <= 2 * count + few, `${asked.length} statements`);
      for (const sql of new Set(asked)) {
        if (!sql.startsWith('select')) continue;
        const plan = store.database
          .prepare(`explain query plan ${sql}`)
          .all(...Array(sql.split('?').length - 1).fill(0));
        for (const { detail } of plan) assert.doesNotMatch(String(detail), /^SCAN (attempt|doubt|unmatched)/, sql);
      }
    });
  });
}
