import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../peers/needs.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';

const about = `No descriptors: a gateway may open 300. Under load, 600 idle connections come to its HTTP and SMPP ports; then its
limit falls below what it has open, and its links break. Messages are sent all the while, new connections and links work
again when there are descriptors, and nothing is lost or double.`;

const limit = 300;
const hoarded = 600;
const emptyMs = 5_000;

async function run(): Promise<Outcome> {
  await using world = await World.open({ under: ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'] });
  const { gateway, cable } = world;
  const setLimit = (soft: number) => runProgram('prlimit', ['--pid', String(gateway.pid), `--nofile=${soft}:`]);
  let [refused, closed] = [0, 0];
  await world.loadDuring(async () => {
    const ports = [gateway.httpPort, gateway.smppPort];
    const sockets = Array.from({ length: hoarded }, (_, at): Socket =>
      connect(ports[at % 2] ?? 0, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => (refused += 1))
        .resume(),
    );
    await waitUntil('connections are refused', () => refused > hoarded / 2);
    await world.untilMore(50);
    closed = refused;
    for (const socket of sockets) socket.destroy();
    await waitUntil('a new connection works', () =>
      world.healthMs().then(
        () => true,
        () => false,
      ),
    );

    setLimit(16);
    cable.cut();
    cable.restore();
    const { calls } = cable;
    await world.untilMore(50);
    await sleep(emptyMs);
    world.expect(cable.calls === calls, 'a link connected without a descriptor');
    setLimit(limit);
    await waitUntil('links connect again', () => cable.calls > calls);
    await waitUntil(
      'a new session works',
      async () => (await world.bind().catch(() => undefined))?.phase === 'bound_trx',
    );
  });
  return await world.compare({ limit, hoarded, closed });
}

await runFault({ about, needs: ['prlimit'], run });
