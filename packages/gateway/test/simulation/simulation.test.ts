import assert from 'node:assert/strict';
import { it } from 'node:test';
import { propertyRuns } from '../support/store/store.ts';
import { simulate } from './run.ts';

const seeds = propertyRuns(160);

it('all promises hold in simulated worlds', async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { broken, story } = await simulate(seed);
    const last = story.slice(-20).join('\n');
    assert.deepEqual(broken, [], `npm run simulate -- --seed ${seed} --trace tells the whole story. Its end:\n${last}`);
  }
});

it('a seed always makes the same world', async () => {
  const [first, second] = [await simulate(7), await simulate(7)];
  assert.deepEqual(first.story, second.story);
});
