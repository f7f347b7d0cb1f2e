import type { CommandOf } from '../../../state/commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestStore } from '../../../../test/support/store/store.ts';
import { readCarriers } from './carriers.ts';
import { readTotals } from '../money/totals.ts';

const unanswered: Partial<CommandOf<'outcome'>> = { outcome: 'in_doubt' };
const named: Partial<CommandOf<'outcome'>> = { carrierId: 'a', carrierIdKey: 'a' };

describe('the count of parts in doubt', () => {
  for (const [what, outcomes, count] of [
    ['one without an answer', [unanswered], 1],
    ['one accepted without an id', [{}], 0],
    ['one whose answer came late', [unanswered, named], 0],
  ] as const) {
    it(`are ${count} of ${what}`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } }));
      for (const outcome of outcomes) await store.one(store.outcome(1001, outcome));
      const queries = store.queries;
      assert.deepEqual(
        (await readCarriers(queries)).map(({ inDoubtParts }) => inDoubtParts),
        [count],
      );
      assert.equal((await readTotals(queries)).inDoubt, count);
    });
  }
});
