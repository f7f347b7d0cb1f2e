/* A carrier that writes any octets, for tests of links with broken carriers. */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { decode, encode, Framer, responseName, type Pdu } from '@morsel/smpp';
import { listenAnywhere, portOf } from '../listen.ts';

/** What a carrier does with its connections: `bound` is normal. */
export type Manner = 'bound' | 'silent' | 'http' | 'hang up' | number;

/** A carrier without SMPP sessions: it writes any octets, and treats a bind as its `Manner` says. */
export class RawCarrier implements AsyncDisposable {
  manner: Manner;
  /** The PDUs that the carrier got, in order, without binds, unbinds and enquire_link. */
  readonly heard: Pdu[] = [];
  readonly binds: string[] = [];
  readonly sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(server: Server, manner: Manner) {
    this.#server = server;
    this.manner = manner;
    server.on('connection', (socket: Socket) => this.#take(socket));
  }

  static async open(manner: Manner = 'bound'): Promise<RawCarrier> {
    const server = createServer();
    await listenAnywhere(server);
    return new RawCarrier(server, manner);
  }

  get port(): number {
    return portOf(this.#server);
  }

  write(octets: Uint8Array): void {
    for (const socket of this.sockets) socket.write(octets);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #take(socket: Socket): void {
    const framer = new Framer();
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const frame of framer.push(chunk)) {
        if ('fault' in frame) {
          socket.destroy();
          return;
        }
        const decoded = decode(frame.bytes);
        if (decoded.ok) this.#answer(socket, decoded.pdu);
      }
    });
  }

  #answer(socket: Socket, pdu: Pdu): void {
    const { sequence_number } = pdu;
    switch (pdu.command) {
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        this.binds.push(pdu.system_id);
        this.#meet(socket, { command: responseName(pdu.command), sequence_number });
        return;
      case 'enquire_link':
      case 'unbind':
        socket.write(encode({ command: responseName(pdu.command), sequence_number }));
        return;
      default:
        this.heard.push(pdu);
    }
  }

  #meet(socket: Socket, response: Parameters<typeof encode>[0]): void {
    const { manner } = this;
    if (manner === 'bound') socket.write(encode(response));
    else if (typeof manner === 'number') socket.write(encode({ ...response, command_status: manner }));
    else if (manner === 'http') socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
    else if (manner === 'hang up') socket.end();
  }
}
