import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runTrial } from './trial.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 2);
const shownMax = 20;

it(`${kills} times kill -9 in the middle of a load: client, carrier and store agree on every message and every cent`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same requests again`);
  const { faults, ...counts } = await runTrial({ seed, kills });
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(faults.slice(0, shownMax), [], `${faults.length} faults`);
  assert.equal(counts.kills, kills);
  assert.ok(counts.everInDoubt > 0, 'kills that came in the middle of something');
});
