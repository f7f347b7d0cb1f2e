import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode } from '@morsel/smpp';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { host } from './gateway.ts';
import { propertyRuns } from '../support/store/store.ts';
import { waitUntil } from '../support/wait-until.ts';
import { RawSmpp } from '../support/clients/raw-smpp.ts';

/* 500 idle or hostile connections do not affect other sessions, and memory does not grow. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-hostile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const pems = join(import.meta.dirname, '../../../smpp/vectors/tls');
const ofEachKind = 100;
const mebi = 2 ** 20;
/**
 * How much the process may grow when the same load runs again. V8 and malloc keep the memory of a peak: some 100 MiB
 * after 25 waves, and no more, although the heap and its buffers do not grow.
 */
const growthMax = 128 * mebi;
/** The number of waves before memory is first measured, and again after that; twenty with `npm run test:long`. */
const waves = propertyRuns(1);

const password = 'Right-1';
const login = (system_id: string, sequence_number = 1) =>
  encode({ command: 'bind_transceiver', sequence_number, system_id, password, interface_version: 0x34 });
const enquiry = encode({ command: 'enquire_link', sequence_number: 7 });
const flood = Buffer.concat(
  Array.from({ length: 200 }, (_, at) =>
    encode({ command: 'submit_sm', sequence_number: at + 2, destination_addr: '41790000001' }),
  ),
);

/** What each kind of connection sends at first, and once a second from then on. */
const kinds: readonly (readonly [
  name: string,
  port: 'plain' | 'tls',
  then: (socket: Socket, second: number) => void,
])[] = [
  ['never binds', 'plain', () => undefined],
  ['half a header', 'plain', (socket, second) => void (second === 0 && socket.write(enquiry.subarray(0, 8)))],
  ['one octet a second', 'plain', (socket, second) => void socket.write(login('none').subarray(second, second + 1))],
  [
    'never ends its handshake',
    'tls',
    (socket, second) => void (second === 0 && socket.write(Buffer.from('1603010200', 'hex'))),
  ],
  [
    'binds, asks without end and reads nothing',
    'plain',
    (socket, second) => {
      socket.pause();
      if (second === 0) socket.write(login('hostile'));
      else if (socket.writableLength < mebi) socket.write(flood);
    },
  ],
];

it('500 hostile connections leave an honest session answered, a new one bound, and memory flat', async () => {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  copyFileSync(join(pems, 'carrier.pem'), files.cert);
  copyFileSync(join(pems, 'carrier.key'), files.key);
  await using gateway = await GatewayProcess.start({
    dataDir: join(folder, 'data'),
    environment: { MORSEL_SMPP_TLS_PORT: '0', MORSEL_SMPP_TLS_CERT: files.cert, MORSEL_SMPP_TLS_KEY: files.key },
  });
  const ports = { plain: gateway.smppPort, tls: gateway.smppTlsPort };
  for (const [name, smppBinds] of [
    ['honest', 4],
    ['hostile', ofEachKind],
  ] as const) {
    await gateway.administer('POST', '/v1/accounts', { name, currency: 'EUR', smppBinds });
    await gateway.administer('POST', `/v1/accounts/${name}/logins`, { systemId: name, password });
  }
  const residentOctets = async () => {
    const { text } = await gateway.administer('GET', '/v1/status');
    return Number(/"residentBytes":(\d+)/.exec(text)?.[1]);
  };

  const honest = await RawSmpp.connect(ports.plain);
  honest.socket.write(login('honest'));
  await waitUntil('the honest one is bound', () => honest.answers[0]?.command_status === 0);
  let enquired = 0;
  const answered = () => honest.answers.filter(({ command }) => command === 'enquire_link_resp').length;

  /** Keeps all 500 connections for some seconds. Those that are closed connect again at once. */
  const wave = async () => {
    const sockets: Socket[] = [];
    for (let second = 0; second < 4; second++) {
      for (let at = 0; at < kinds.length * ofEachKind; at++) {
        const [, port, then] = kinds[at % kinds.length] ?? assert.fail();
        if (second > 0 && sockets[at]?.destroyed === false) {
          then(sockets[at] ?? assert.fail(), second);
          continue;
        }
        const socket = connectTcp({ port: ports[port], host }).on('error', () => undefined);
        socket.once('connect', () => then(socket, 0));
        sockets[at] = socket;
      }
      for (let each = 0; each < 4; each++) {
        honest.socket.write(enquiry);
        enquired += 1;
        await sleep(250);
        await waitUntil('enquire_link is answered', () => answered() === enquired);
      }
    }
    const other = await RawSmpp.connect(ports.plain);
    other.socket.write(login('honest'));
    const answer = await waitUntil('another one is bound', () => other.answers[0]);
    assert.equal(answer.command_status, 0);
    other.socket.destroy();
    for (const socket of sockets) socket.destroy();
  };

  const before = await residentOctets();
  for (let each = 0; each < waves; each++) await wave();
  const first = await residentOctets();
  for (let each = 0; each < waves; each++) await wave();
  const last = await residentOctets();
  const had = [before, first, last].map((octets) => `${Math.round(octets / mebi)} MiB`).join(', then ');
  assert.ok(last - first < growthMax, had);
  assert.ok(last - before < 3 * growthMax, had);
  assert.equal(honest.socket.destroyed, false);
  honest.socket.destroy();
  await gateway.stop();
});
