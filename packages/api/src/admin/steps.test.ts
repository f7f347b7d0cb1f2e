import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok, refused } from '../values/result.ts';
import { toMicros } from '../values/money.ts';
import { resources } from './resources.ts';
import { addedUp, allSteps } from './steps.ts';

const { cancelMany, find } = resources.message.operations;

const refund = (currency: string, amount: bigint) => ({ currency, amount: toMicros(amount) });
const first = { messages: 250, parts: 300, next: 'q/1', until: 7, canceled: 249, refunds: [refund('EUR', 5n)] };
const second = {
  ...first,
  messages: 3,
  parts: 3,
  next: null,
  canceled: 3,
  refunds: [refund('USD', 1n), refund('EUR', 2n)],
};

it('all steps get the end time of the first step, until the last step or a failure', async () => {
  const asked: object[] = [];
  const done = await allSteps(cancelMany, async (place) => ok([first, second][asked.push(place) - 1] ?? {}));
  assert.deepEqual(asked, [{}, { after: 'q/1', until: 7 }]);
  assert.deepEqual(done, { steps: [first, second] });
  let count = 0;
  const failed = await allSteps(cancelMany, async () => ((count += 1) === 2 ? refused('gone') : ok(first)));
  assert.deepEqual(failed, { steps: [first], failure: 'gone' });
  const page = await allSteps(find, async () => ok({ items: [], next: 'more' }));
  assert.equal(page.steps.length, 1, 'a page is no step');
});

it('the counts of all steps are added, and so are the amounts of rows that are otherwise the same', () => {
  const refunds = [refund('EUR', 7n), refund('USD', 1n)];
  const sum = { messages: 253, parts: 303, next: 'q/1', until: 7, canceled: 252, refunds };
  assert.deepEqual(addedUp(cancelMany, [first, second]), sum);
  assert.equal(addedUp(cancelMany, [first]), first);
});
