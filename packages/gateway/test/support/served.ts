import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Gateway } from '../../src/app.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { writeNewDatabase } from './database.ts';
import { dataDir } from './morsel.ts';
import { startOn } from './tour.ts';

/**
 * A new gateway in this process, on the data directory that commands ask: a process of its own costs more than most tests of
 * commands. Another one may start there when this one has stopped.
 */
export async function served({ log = makeLog('silent') } = {}): Promise<Gateway> {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir);
  writeNewDatabase(join(dataDir, 'morsel.db'));
  return startOn(dataDir, { log });
}
