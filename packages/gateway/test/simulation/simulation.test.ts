import assert from 'node:assert/strict';
import { it } from 'node:test';
import { simulateMany } from './many.ts';
import { simulate } from './run.ts';

const seeds = 300;

it('all promises hold in simulated worlds', async () => {
  const broken: string[] = [];
  let runs = 0;
  await simulateMany({ from: 1, count: seeds }, (told) => {
    runs += 1;
    const how = `npm run simulate -- --seed ${told.seed} --trace tells the whole story. Its end:`;
    if (told.broken.length > 0) broken.push([...told.broken, how, ...told.end].join('\n'));
  });
  assert.equal(broken.join('\n\n'), '');
  assert.equal(runs, seeds);
});

/** Seeds that have found a fault of the gateway. CHANGELOG.md says which. */
const found = [
  { seed: 9, nodes: 2 },
  { seed: 56, nodes: 1 },
  { seed: 80, nodes: 1 },
  { seed: 43, nodes: 2 },
  { seed: 4080, nodes: 1 },
  { seed: 8046, nodes: 3 },
  { seed: 9337, nodes: 1 },
  { seed: 20_891, nodes: 1 },
  { seed: 1616, nodes: 1 },
  { seed: 4461, nodes: 1 },
];

for (const { seed, nodes } of found) {
  it(`all promises hold with seed ${seed}, which once found a fault`, async () => {
    assert.deepEqual((await simulate(seed, { nodes })).broken, []);
  });
}

it('a seed always makes the same world', async () => {
  const [first, second] = [await simulate(7), await simulate(7)];
  assert.deepEqual(first.story, second.story);
});
