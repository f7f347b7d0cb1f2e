import { setTimeout as sleep } from 'node:timers/promises';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';

const about = `Clock steps: under load, a shim puts the clock of the gateway forward and back by an hour and by a year. No message
expires, and nothing is lost or double.`;

const hour = 3_600;
const year = 366 * 24 * hour;
/** The gateway compares its clocks each second. */
const lookMs = 2_500;

async function run(): Promise<Outcome> {
  await using world = await World.open({ isShimmed: true });
  const steps = [hour, 0, -hour, 0, year, -year, 0];
  await world.loadDuring(async () => {
    for (const clockSeconds of steps) {
      world.shim?.set({ clockSeconds });
      await sleep(lookMs);
      await world.untilMore(50);
    }
  });
  const reports = world.gateway.errors.split('was changed by a step').length - 1;
  world.expect(reports > 0, 'the log has no step of the clock');
  return await world.compare({ steps: steps.length, reports });
}

await runFault({ about, needs: ['cc'], run });
