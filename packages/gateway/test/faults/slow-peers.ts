import { connect, createServer, type Socket } from 'node:net';
import { encode } from '@morsel/smpp';
import { RawCarrier } from '../support/carriers/raw-carrier.ts';
import { textIn } from '../support/clients/http-client.ts';
import { waitUntil } from '../support/wait-until.ts';
import { send } from '../peers/send.ts';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';
import { listenAnywhere } from '../support/listen.ts';

const about = `Peers that stop reading: under load, 50 HTTP clients and 50 SMPP sessions ask without end, a webhook and a carrier take
connections, and none of them reads. The gateway buffers little for them, others are not delayed, and nothing of theirs
is lost or double.`;

const peers = 50;
const mib = 1_024 * 1_024;
/** What the clients want to write in all; the sockets of a connection hold up to 7 MiB of it. */
const offeredMib = 16;
const growthMaxMib = 128;
const healthMaxMs = 2_000;
const password = 'Right-1';
const bind = {
  command: 'bind_transceiver',
  system_id: 'deaf',
  password,
  interface_version: 0x34,
  sequence_number: 1,
} as const;
const floods = {
  http: Buffer.from('GET /sms/dlr HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000)),
  smpp: Buffer.concat(
    Array.from({ length: 1_000 }, (_, at) =>
      encode({ command: 'submit_sm', sequence_number: at + 2, destination_addr: '4999' }),
    ),
  ),
};

/** A client that writes as long as the other side reads, and reads nothing. */
function flood(port: number, first: Uint8Array, more: Buffer): Socket {
  const socket = connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  let left = (offeredMib * mib) / more.length;
  const write = (): void => {
    while (left-- > 0 && socket.write(more));
  };
  socket.on('drain', write).write(first);
  write();
  return socket;
}

async function run(): Promise<Outcome> {
  await using world = await World.open();
  const { gateway } = world;
  await using carrier = await RawCarrier.open();
  const webhook = createServer((socket) => socket.on('error', () => undefined).pause());
  const url = `http://127.0.0.1:${await listenAnywhere(webhook)}/`;
  await gateway.administer('POST', '/v1/webhooks', { account: 'rich', url, allow: '127.0.0.0/8', on: 'receipt' });
  await gateway.administer('POST', '/v1/accounts', { name: 'deaf', currency: 'EUR', balance: '9', smppBinds: peers });
  await gateway.administer('POST', '/v1/accounts/deaf/logins', { systemId: 'deaf', password });
  const token = textIn((await gateway.administer('POST', '/v1/accounts/deaf/tokens')).body, 'token');
  const login = `--host 127.0.0.1 --port ${carrier.port} --system-id deaf --password secret --in-doubt hold`;
  const times = '--enquire-link-ms 1000 --answer-timeout-ms 1000';
  await gateway.morsel(...`carrier add deaf ${login} ${times}`.split(' '));
  await gateway.morsel(...'route add --prefix 4179 --carrier deaf'.split(' '));
  await gateway.morsel(...'price set --list default --currency EUR --prefix 4179 --price 0.01'.split(' '));
  await waitUntil('the carrier is bound', () => carrier.binds.length > 0);
  const deafen = setInterval(() => {
    for (const socket of carrier.sockets) socket.pause();
  }, 50);
  const residentMib = async () => (await gateway.ask('v1/status')).number('memory', 'residentBytes') / mib;
  let [growthMib, slowestMs, takenMib] = [0, 0, 0];
  await world.loadDuring(async () => {
    const before = await residentMib();
    for (let number = 0; number < 20; number++) await send(gateway, { token, number, text: 'Hello' });
    const sockets = Array.from({ length: peers }, () => [
      flood(gateway.httpPort, Buffer.alloc(0), floods.http),
      flood(gateway.smppPort, encode(bind), floods.smpp),
    ]).flat();
    const links = carrier.binds.length;
    for (let turn = 0; turn < 20; turn++) {
      await world.untilMore(20);
      slowestMs = Math.max(slowestMs, await world.healthMs());
      growthMib = Math.max(growthMib, (await residentMib()) - before);
    }
    await waitUntil('the link to the carrier is made anew', () => carrier.binds.length > links);
    takenMib = Math.max(...sockets.map(({ bytesWritten }) => bytesWritten / mib));
    for (const socket of sockets) socket.destroy();
  });
  world.expect(takenMib < offeredMib, `a client that reads nothing could write ${takenMib} MiB`);
  world.expect(growthMib < growthMaxMib, `the process grew by ${growthMib} MiB`);
  world.expect(slowestMs < healthMaxMs, `/health took ${slowestMs} ms`);
  const outcome = await world.compare(
    { growthMib: Math.ceil(growthMib), slowestMs: Math.ceil(slowestMs) },
    (sentence) => !/deaf|\+4179/.test(sentence),
  );
  clearInterval(deafen);
  webhook.close();
  return outcome;
}

await runFault({ about, needs: [], run });
