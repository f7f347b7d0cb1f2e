import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runTrial } from './trial.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 2);
/** The number of trials. Each has its own data directory. */
const trials = Number(process.env['CRASH_TRIALS'] ?? 1);
const firstSeed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
const shownMax = 20;

for (let trial = 1; trial <= trials; trial++) {
  const seed = firstSeed + trial - 1;
  it(`${kills} times kill -9 in the middle of a load: client, carrier and store agree on every message and every cent (${trial})`, async (t) => {
    t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same requests again`);
    const { faults, ...counts } = await runTrial({ seed, kills });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(faults.slice(0, shownMax), [], `${faults.length} faults`);
    assert.equal(counts.kills, kills);
    assert.ok(counts.everInDoubt > 0, 'kills that came in the middle of something');
  });
}
