import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';

const about = `Stalled syncs: under load, a shim lets syncs of the database take 1, 10 and 40 s. Meanwhile /health and
enquire_link are answered; afterwards the gateway goes on, and nothing is lost or double.`;

/** Far less than the stalls; a busy machine needs some of it. */
const answerMaxMs = 2_000;

async function run(): Promise<Outcome> {
  await using world = await World.open({ isShimmed: true });
  const session = await world.bind();
  let slowestMs = 0;
  const askBoth = async (): Promise<void> => {
    const beganAt = performance.now();
    await Promise.all([world.healthMs(), session.request({ command: 'enquire_link' })]);
    slowestMs = Math.max(slowestMs, performance.now() - beganAt);
  };
  await world.loadDuring(async () => {
    for (const syncMs of [1_000, 10_000, 40_000]) {
      world.shim?.set({ syncMs });
      await sleep(1_000);
      world.shim?.set({});
      const before = world.count(200);
      const goesOn = async (): Promise<boolean> => {
        await askBoth();
        return world.count(200) > before + 24;
      };
      await waitUntil('messages are accepted again', goesOn, 3 * syncMs + 60_000);
    }
  });
  world.expect(slowestMs < answerMaxMs, `an answer took ${slowestMs} ms while the disk stalled`);
  return await world.compare({ slowestMs: Math.ceil(slowestMs) });
}

await runFault({ about, needs: ['cc'], run });
