/* The thread that reads, in short snapshots, so that a read never waits for a group that is being written. */

import { parentPort, workerData } from 'node:worker_threads';
import { answerQuestions } from '../views/answer.ts';
import { Vault } from '../../state/sealing/vault.ts';
import type { Queries } from '../views/queries.ts';
import type { PlaceOf } from '../writer.ts';
import { openForReading } from './database.ts';
import { isDamage } from './faults.ts';
import { SqliteQueries } from './queries.ts';

function start({ file, masterKey, memoryMib }: PlaceOf<'sqlite'>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const queries = new SqliteQueries(openForReading(file, memoryMib), new Vault(masterKey));
  let last: Promise<unknown> = Promise.resolve();
  answerQuestions(port, {
    // Reads run one after the other, because the connection has only one transaction at a time.
    snapshot: (read: (from: Queries) => Promise<unknown>) => {
      const answer = last.then(() => queries.snapshot(read));
      last = answer.catch(() => undefined);
      return answer;
    },
    isFatal: isDamage,
    describe: (fault) => (fault instanceof Error ? fault.message : 'unknown fault'),
  });
}

const place: PlaceOf<'sqlite'> = workerData;
start(place);
