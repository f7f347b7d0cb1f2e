import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '../../src/app.ts';
import type { Gateway } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Config } from '../../src/config.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { anyPorts } from './child.ts';
import { writeNewDatabase } from './database.ts';

/* A gateway in this process, for tests; `gateway-process.ts` starts one in a process of its own. */

type Needs = Partial<Parameters<typeof startGateway>[1]>;

export interface GatewayOptions extends Needs {
  /** Settings, besides the data directory and any free ports. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Cheap hashes, because no test is about the strength of passwords. */
const cheapHash = { cost: 16_384, block: 8, lanes: 1 };

export function testConfig(dataDir: string, environment: GatewayOptions['environment'] = {}): Config {
  const config = readConfig({ MORSEL_DATA_DIR: dataDir, ...anyPorts, MORSEL_LOG_LEVEL: 'silent', ...environment });
  assert.ok(config.ok, config.ok ? '' : config.error);
  return config.value;
}

/** Starts a gateway on any free ports. A missing data directory is made, with a new database. */
export async function startOn(dataDir: string, { environment, ...needs }: GatewayOptions = {}): Promise<Gateway> {
  const database = join(dataDir, 'morsel.db');
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(database)) writeNewDatabase(database);
  return startGateway(testConfig(dataDir, environment), {
    log: makeLog('silent'),
    passwordCost: cheapHash,
    ...needs,
  });
}
