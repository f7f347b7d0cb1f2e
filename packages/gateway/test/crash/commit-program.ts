import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../../src/store/journal.ts';
import { Chance } from '../support/chance.ts';
import { testMasterKey } from '../support/store/vault.ts';

/*
 * Commits to a database (first argument) in random bursts (second argument: the seed) until this program is killed. It
 * prints the time after each commit.
 */

const [file = '', seed = ''] = process.argv.slice(2);
const chance = new Chance(Number(seed));

const fail = (reason: string) => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};
const place = { kind: 'sqlite', file, isExpected: false, masterKey: testMasterKey } as const;
const journal = await Journal.open({ place, onFatal: fail, onFault: fail });
for (;;) {
  for (let left = chance.between(1, 400); left > 0; left--) {
    const at = Date.now();
    await journal.append<'see-clock'>({ kind: 'see-clock', at, isForced: true });
    process.stdout.write(`${Date.now()}\n`);
  }
  await sleep(chance.between(0, 700));
}
