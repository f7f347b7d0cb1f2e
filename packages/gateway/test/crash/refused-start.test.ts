import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startGateway } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { testConfig } from '../support/gateway/gateway.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { listenAnywhere, portOf } from '../support/listen.ts';

/*
 * A start that is refused must not connect to a carrier first: a supervisor repeats the start without limit, and each
 * repeat would send messages.
 */

describe('a refused start', () => {
  let carrier: Server;
  let taken: Server;
  let tour: Tour;
  let config: Config;
  let connections = 0;

  before(async () => {
    // This carrier answers no bind, so a link to it would stay connected.
    carrier = await listening(() => (connections += 1));
    taken = await listening(() => undefined);
    tour = await Tour.open({ carriers: [{ name: 'alpha', prefix: '41', port: portOf(carrier) }] });
    await tour.accept({ receiver: '+41790000002' });
    await waitUntil('the carrier is configured and connected to', () => connections === 1);
    await tour.stop();
    config = testConfig(tour.dataDir);
    connections = 0;
  });

  after(async () => {
    await tour[Symbol.asyncDispose]();
    carrier.close();
    taken.close();
  });

  const inUse = { code: 'EADDRINUSE' };
  const rows: readonly (readonly [what: string, change: () => Disposition, error: object])[] = [
    ['the port of HTTP is taken', () => ({ config: { httpPort: portOf(taken) } }), inUse],
    [
      'the certificate cannot be used',
      () => {
        const file = join(tour.dataDir, 'cert');
        writeFileSync(file, 'no certificate');
        const smppTls = { host: '127.0.0.1', port: portOf(taken), cert: file, key: file };
        return { config: { smppTls }, undo: () => rmSync(file) };
      },
      { message: /^SMPP over TLS: / },
    ],
    ['adminHost is of another machine', () => ({ config: { adminHost: '192.0.2.1' } }), { code: 'EADDRNOTAVAIL' }],
    [
      'other users can read the operator key',
      () => {
        const file = join(tour.dataDir, 'operator-key');
        chmodSync(file, 0o644);
        return { undo: () => chmodSync(file, 0o600) };
      },
      { message: /^other users can read the operator key/ },
    ],
  ];
  for (const [what, change, error] of rows) {
    it(`has not connected to its carrier: ${what}`, async () => {
      const { config: changed, undo } = change();
      try {
        await assert.rejects(startGateway({ ...config, ...changed }, { log: makeLog('silent') }), error);
      } finally {
        undo?.();
      }
      assert.equal(connections, 0);
    });
  }

  it('connects to its carrier when no fault is left', async () => {
    const gateway = await startGateway(config, { log: makeLog('silent') });
    await waitUntil('the carrier is connected to', () => connections > 0);
    await gateway.stop();
    assert.equal(connections, 1, 'no connection of an earlier start came late');
  });
});

/** The fault that refuses a start. */
interface Disposition {
  readonly config?: Partial<Config>;
  readonly undo?: () => void;
}

async function listening(connected: () => void): Promise<Server> {
  const server = createServer((socket) => {
    connected();
    socket.on('error', () => undefined).resume();
  });
  await listenAnywhere(server);
  return server;
}
