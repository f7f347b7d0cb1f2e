import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fillUp, mountSmallDisk } from '../peers/needs.ts';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';

const about = `A full disk: under load, the disk of the data folder becomes full five times. The gateway refuses messages, goes on
when there is room, and nothing is lost or double. The disk is a small tmpfs; without root, a shim fails the writes.`;

const rounds = 5;

async function run(): Promise<Outcome> {
  using disk = mountSmallDisk('64m');
  await using world = await World.open({ isShimmed: !disk, disk: disk?.path });
  const filler = disk && join(disk.path, 'filler');
  await world.loadDuring(async () => {
    for (let round = 0; round < rounds; round++) {
      if (filler === undefined) world.shim?.set({ isFull: true });
      else fillUp(filler);
      await world.untilMore(50, 503);
      if (filler === undefined) world.shim?.set({});
      else rmSync(filler);
      await world.untilMore(50);
    }
  });
  return await world.compare({ rounds, tmpfs: disk ? 1 : 0 });
}

await runFault({ about, needs: ['cc'], run });
