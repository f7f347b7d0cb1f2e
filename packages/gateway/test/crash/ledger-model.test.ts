import { it } from 'node:test';
import { propertyRuns } from '../support/store/store.ts';
import { walk } from './ledger-walk.ts';

const stepsPerWalk = 300;
const seeds = Array.from({ length: propertyRuns(9) }, (_, at) => at + 1);

for (const seed of [...seeds, Number(process.env['LEDGER_SEED'] ?? Date.now() % 2 ** 32)]) {
  it(`the store agrees with the model after each of ${stepsPerWalk} steps (M1 to M4, M7, A3 to A5, S4, S5), seed ${seed}`, async (t) => {
    t.diagnostic(`LEDGER_SEED=${seed} takes the same steps again`);
    await walk(seed, stepsPerWalk);
  });
}
