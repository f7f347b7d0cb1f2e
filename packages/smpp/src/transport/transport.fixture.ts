import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { type ConnectOptions, connect } from './client.ts';
import { decode } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import { Framer } from '../codec/framer.ts';
import type { Encodable, Pdu } from '../codec/pdu.ts';
import { type Server, type ServerOptions, listen } from './server.ts';
import type { Session, SessionHandlers } from '../session/session-contract.ts';
import type { CloseReason } from '../session/session-state.ts';
import { statuses } from '../codec/statuses.ts';

/*
 * Support for the tests over real sockets: servers and clients, and peers made of plain sockets, which may break rules.
 */

export const host = '127.0.0.1';
export const login = { command: 'bind_transceiver', system_id: 'them', password: 'secret' } as const;
export const bindOctets = encode({ ...login, sequence_number: 1, interface_version: 0x34 });
export const submit = { command: 'submit_sm', destination_addr: '46700000001' } as const;

/** A server that admits binds with the right password, and notes how their sessions end. */
export async function serve(
  more: Partial<ServerOptions> = {},
  onRequest: SessionHandlers['onRequest'] = (_pdu, respond) => void respond(0, { message_id: '1' }),
): Promise<Server & { readonly closes: readonly CloseReason[] }> {
  const closes: CloseReason[] = [];
  const server = await listen({
    port: 0,
    host,
    system_id: 'us',
    authenticate: ({ bind }) =>
      Promise.resolve(
        bind.password === login.password
          ? {
              kind: 'admitted',
              handlers: () => ({ onRequest, onClose: (reason) => void closes.push(reason) }),
            }
          : { kind: 'refused', command_status: statuses.ESME_RINVPASWD },
      ),
    ...more,
  });
  return Object.assign(server, { closes });
}

export function client({ port }: { readonly port: number }, more: Partial<ConnectOptions> = {}): Promise<Session> {
  return connect({ host, port, bind: login, onRequest: (_pdu, respond) => void respond(0), ...more });
}

/** Reads all PDUs that a socket gets. */
function readPdus(socket: Socket, hear: (pdu: Pdu) => void): void {
  const framer = new Framer();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    for (const frame of framer.push(chunk)) {
      const decoded = 'bytes' in frame ? decode(frame.bytes) : undefined;
      if (decoded?.ok === true) hear(decoded.pdu);
    }
  });
}

/** A plain socket with the answers that it got, each as `command number status`. */
export interface Peer {
  readonly socket: Socket;
  readonly pdus: readonly Pdu[];
  readonly heard: readonly string[];
  /** Resolves when the connection ends, even by a reset. */
  readonly closed: Promise<void>;
}

export function peerOf(socket: Socket): Peer {
  const pdus: Pdu[] = [];
  const heard: string[] = [];
  readPdus(socket, (pdu) => {
    pdus.push(pdu);
    heard.push(`${pdu.command} ${pdu.sequence_number} ${pdu.command_status}`);
  });
  socket.on('end', () => heard.push('end'));
  return { socket, pdus, heard, closed: new Promise((resolve) => void socket.once('close', () => resolve())) };
}

/** Connects, and sends octets. */
export async function plainPeer({ port }: Server, ...octets: readonly (Uint8Array | string)[]): Promise<Peer> {
  const peer = peerOf(connectTcp({ port, host }));
  await once(peer.socket, 'connect');
  for (const each of octets) peer.socket.write(each);
  return peer;
}

export type Answering = (pdu: Pdu, socket: Socket) => void;

/** A carrier made of a plain socket. The test writes its answers. */
export type Carrier = AsyncDisposable & { readonly port: number; readonly heard: Pdu[]; readonly sockets: Socket[] };

export async function carrier(answer: Answering): Promise<Carrier> {
  const heard: Pdu[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    readPdus(socket, (pdu) => {
      heard.push(pdu);
      answer(pdu, socket);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    heard,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function send(socket: Socket, ...pdus: readonly Encodable[]): void {
  socket.write(Buffer.concat(pdus.map((pdu) => encode(pdu))));
}

/** Answers binds, unbinds and enquire_link, and passes all other PDUs to the test. */
export function polite(rest: Answering = () => undefined): Answering {
  return (pdu, socket) => {
    const { sequence_number } = pdu;
    if (pdu.command === 'bind_transceiver') {
      send(socket, { command: 'bind_transceiver_resp', sequence_number, system_id: 'them' });
    } else if (pdu.command === 'unbind') send(socket, { command: 'unbind_resp', sequence_number });
    else if (pdu.command === 'enquire_link') send(socket, { command: 'enquire_link_resp', sequence_number });
    else rest(pdu, socket);
  };
}

export async function until(what: string, holds: () => boolean): Promise<void> {
  for (const endsAt = performance.now() + 10_000; !holds();) {
    if (performance.now() > endsAt) assert.fail(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
