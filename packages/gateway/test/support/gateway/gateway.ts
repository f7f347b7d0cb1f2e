import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway, type Gateway } from '../../../src/app.ts';
import { readConfig, type Config } from '../../../src/config.ts';
import { makeLog } from '../../../src/runtime/log.ts';
import { anyPorts } from './child.ts';
import { writeNewDatabase } from '../store/database.ts';
import { isOnPostgres } from '../store/test-database.ts';

/* A gateway in this process, for tests; `gateway-process.ts` starts one in a process of its own. */

type Reads = Partial<Parameters<typeof startGateway>[1]>;

export interface GatewayOptions extends Reads {
  /** Settings, besides the data directory and any free ports. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Cheap hashes, because no test is about the strength of passwords. */
const cheapHash = { cost: 1_024, block: 8, lanes: 1 };

export function testConfig(dataDir: string, environment: GatewayOptions['environment'] = {}): Config {
  const config = readConfig({ MORSEL_DATA_DIR: dataDir, ...anyPorts, MORSEL_LOG_LEVEL: 'silent', ...environment });
  assert.ok(config.ok, config.ok ? '' : config.error);
  return config.value;
}

/** Starts a gateway on any free ports. A missing data directory is made, with a new database. */
export async function startOn(dataDir: string, { environment, ...needs }: GatewayOptions = {}): Promise<Gateway> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const engine = environment?.['MORSEL_DATABASE_URL'] === undefined ? await openEngine(dataDir) : {};
  return startGateway(testConfig(dataDir, { ...engine, ...environment }), {
    log: makeLog('silent'),
    passwordCost: cheapHash,
    ...(isOnPostgres && { nodeTimes: timesOfOneNode }),
    ...needs,
  });
}

/** Times that let a test advance the clock by days: no other node takes over, and no clocks are compared. */
export const timesOfOneNode = {
  renewEveryMs: 1_000,
  quietMs: Infinity,
  actsMs: Infinity,
  silentMs: Infinity,
  clockOffMaxMs: Infinity,
};

/** Makes the database of a data directory if it is missing. Returns the settings that name the database. */
async function openEngine(dataDir: string): Promise<Readonly<Record<string, string>>> {
  if (isOnPostgres) {
    const { databaseOf } = await import('../store/postgres-test-database.ts');
    return { MORSEL_DATABASE_URL: await databaseOf(dataDir) };
  }
  const file = join(dataDir, 'morsel.db');
  if (!existsSync(file)) writeNewDatabase(file);
  return {};
}
