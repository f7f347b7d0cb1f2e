/*
 * The thread that writes to PostgreSQL, one group at a time. If the database does not answer, only this thread waits:
 * the event loop still answers enquire_link.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { Vault } from '../../state/sealing/vault.ts';
import { checkMasterKey } from '../views/sealed.ts';
import { threadPort, writeFor, type FromWriter, type PlaceOf } from '../writer.ts';
import { PostgresConnection, sqlStateOf } from './wire/connection.ts';
import { whyUnusable } from './wire/unusable.ts';
import { LeaseLost, PostgresEngine } from './engine.ts';
import { openSchema } from './migrate.ts';
import { PostgresQueries } from './queries.ts';

async function start({ url, name, masterKey, memoryMib, commitDelayMs }: PlaceOf<'postgres'>): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const say = (message: FromWriter) => port.postMessage(message);
  try {
    const warnings = await openSchema(url);
    const vault = new Vault(masterKey);
    await checkVault(url, vault);
    const engine = await PostgresEngine.open({
      vault,
      url,
      name,
      memoryMib,
      away: (isAway) => say({ kind: 'away', isAway }),
      lost: (groups) => say({ kind: 'lost', groups }),
    });
    const commitSettings = await engine.commitSettings();
    writeFor({ port: threadPort(port), engine, describe, isReplaced, commitDelayMs });
    say({ kind: 'opened', engine: 'PostgreSQL', commitSettings, warnings });
  } catch (fault) {
    say({ kind: 'refused', reason: whyUnusable(url, fault) });
  }
}

function isReplaced(fault: unknown): boolean {
  return fault instanceof LeaseLost;
}

/** The master key of this node must be the one of the database. The first node of a database makes the file. */
async function checkVault(url: string, vault: Vault): Promise<void> {
  await using connection = await PostgresConnection.open(url, []);
  await checkMasterKey(new PostgresQueries(connection, vault));
}

/** Messages of PostgreSQL may contain values, so only the SQLSTATE and the place in the program are kept. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  const where =
    fault.stack
      ?.split('\n')
      .find((line) => line.includes('/store/'))
      ?.trim() ?? '';
  const code = sqlStateOf(fault) ?? ('code' in fault ? String(fault.code) : fault.name);
  return `${code} ${where}`.trim();
}

const place: PlaceOf<'postgres'> = workerData;
await start(place);
