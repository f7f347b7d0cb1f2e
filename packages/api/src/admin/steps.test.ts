import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok, refused } from '../values/result.ts';
import { toMicros } from '../values/money.ts';
import { optional, orNone, rows } from '../fields/compose.ts';
import { amount, count, instant, place, text } from '../fields/fields.ts';
import { post } from './resource.ts';
import { resources } from './resources.ts';
import { addedUp, allSteps } from './steps.ts';

const { find } = resources.message.operations;
const about = { summary: 'of a step' };
const until = instant(about);
const inSteps = post('/steps', {
  summary: 'Cancel messages in steps',
  input: { after: optional(place(/./)), until: optional(until) },
  answer: {
    messages: count(about),
    parts: count(about),
    next: orNone(text(about)),
    until,
    canceled: count(about),
    refunds: rows({ currency: text(about), amount: amount({ ...about, addsUp: true }) }, about),
  },
});

const refund = (currency: string, sum: bigint) => ({ currency, amount: toMicros(sum) });
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
  const done = await allSteps(inSteps, async (from) => ok([first, second][asked.push(from) - 1] ?? {}));
  assert.deepEqual(asked, [{}, { after: 'q/1', until: 7 }]);
  assert.deepEqual(done, { steps: [first, second] });
  let calls = 0;
  const failed = await allSteps(inSteps, async () => ((calls += 1) === 2 ? refused('gone') : ok(first)));
  assert.deepEqual(failed, { steps: [first], failure: 'gone' });
  const page = await allSteps(find, async () => ok({ items: [], next: 'more' }));
  assert.equal(page.steps.length, 1, 'a page is no step');
});

it('the counts of all steps are added, and so are the amounts of rows that are otherwise the same', () => {
  const refunds = [refund('EUR', 7n), refund('USD', 1n)];
  const sum = { messages: 253, parts: 303, next: 'q/1', until: 7, canceled: 252, refunds };
  assert.deepEqual(addedUp(inSteps, [first, second]), sum);
  assert.equal(addedUp(inSteps, [first]), first);
});
