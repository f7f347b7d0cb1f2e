import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Gateway } from '../../../src/app.ts';
import { AlarmWatch } from '../../../src/flow/alarm/watch.ts';
import { quietLog } from '../quiet-log.ts';
import { startOn } from './gateway.ts';
import { HttpClient, type HttpAnswer, type HttpRequest } from '../clients/http-client.ts';
import { TestClock } from '../test-clock.ts';

/* A gateway for one test file, and its operator's API. */

export const folder = mkdtempSync(join(tmpdir(), 'morsel-admin-'));
/** The clock of the gateway: it goes as fast as the machine's clock, and tests may advance it. */
export const clock = TestClock.flowing();
export let gateway: Gateway;
export let key = '';
let client: HttpClient;

before(async () => {
  gateway = await startOn(folder, { clock });
  client = new HttpClient(gateway.adminPort);
  key = readFileSync(join(folder, 'operator-key'), 'utf8').trim();
});

after(async () => {
  client.close();
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** Calls the API with the operator key of the data directory or, if `headers` has a cookie, with that session. */
export function call(
  method: string,
  path: string,
  { body, headers }: Pick<HttpRequest, 'body' | 'headers'> = {},
): Promise<HttpAnswer> {
  const type = body === undefined ? undefined : { 'content-type': 'application/json' };
  const who = headers?.['cookie'] === undefined ? { authorization: `Bearer ${key}` } : undefined;
  return client.ask({ method, path, headers: { ...who, ...type, ...headers }, body });
}

export function post(path: string, fields: object): Promise<HttpAnswer> {
  return call('POST', path, { body: JSON.stringify(fields) });
}

export function codeOf({ body }: HttpAnswer): unknown {
  return body['code'];
}

/** An alarm watch that the test runs. The gateway's watch runs as well, and may open an alarm first. */
export function watchOf(wall: () => number = () => gateway.operator.clock.now()): AlarmWatch {
  return new AlarmWatch({
    ...gateway.operator,
    dataDir: folder,
    freeSpace: async () => undefined,
    wall,
    certificates: [],
    ledger: () => undefined,
    goneMs: 0,
    turned: () => undefined,
    writeCounts: async () => undefined,
    log: quietLog,
  });
}
