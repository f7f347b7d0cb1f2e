import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { PeerProcess } from '../peer-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

/*
 * Kannel's drive_smpp, the tool that tests Kannel's own SMPP driver. It is an SMSC that takes binds of transmitters and
 * receivers (no transceiver), answers submit_sm with an empty message_id, and sends no receipts. It sends each bound
 * receiver a number of messages, from sequence_number 0 on, with an enquire_link after each. drive_smpp ends with the
 * first connection, and prints its counts.
 */

export const driveSmpp = '/usr/lib/kannel/test/drive_smpp';

/** drive_smpp also connects to a bearerbox, on this port; if it cannot, it stops after some seconds. */
const bearerboxPort = 13_001;

export class DriveSmpp implements AsyncDisposable {
  readonly process: PeerProcess;
  readonly #bearerbox: SilentBearerbox;

  private constructor(process: PeerProcess, bearerbox: SilentBearerbox) {
    this.process = process;
    this.#bearerbox = bearerbox;
  }

  /** Listens on `port` and will send `messages` messages to the client that binds as receiver. */
  static async start({ port, messages }: { port: number; messages: number }): Promise<DriveSmpp> {
    const bearerbox = await SilentBearerbox.start();
    const words = [driveSmpp, '-v', '0', '-p', String(port), '-m', String(messages)];
    const peer = new DriveSmpp(new PeerProcess(words, 'stderr'), bearerbox);
    await waitUntil('drive_smpp runs', () => peer.#count('accept_thread) maps to pid') > 0);
    return peer;
  }

  /** The texts of the submit_sm that drive_smpp got, in order. */
  get texts(): string[] {
    return this.process.lines.flatMap((line) => /submit_sm: short_message = <(.*)>$/.exec(line)?.[1] ?? []);
  }

  /** The names of the PDUs that drive_smpp got, in order. */
  get pdus(): string[] {
    return this.process.lines.flatMap((line) => /Handling SMPP PDU of type (\w+)$/.exec(line)?.[1] ?? []);
  }

  /** The number of PDUs of a kind that drive_smpp got. */
  countOf(name: string): number {
    return this.pdus.filter((pdu) => pdu === name).length;
  }

  /** A figure that drive_smpp prints at its end, such as `Number of messages sent to SMSC`. */
  figure(name: string): number {
    const line = this.process.lines.find((each) => each.includes(`${name}: `));
    return Number(line?.split(`${name}: `)[1]);
  }

  /** The errors that drive_smpp printed. */
  get complaints(): string[] {
    return this.process.lines.filter((line) => /\] (WARNING|ERROR|PANIC): |Unhandled/.test(line));
  }

  #count(words: string): number {
    return this.process.lines.filter((line) => line.includes(words)).length;
  }

  async kill(): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await this.#bearerbox[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** A stand-in for the bearerbox: it accepts connections, and sends nothing. */
class SilentBearerbox implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy()).resume();
    });
  }

  static async start(): Promise<SilentBearerbox> {
    const server = createServer().listen(bearerboxPort, '127.0.0.1');
    await once(server, 'listening');
    return new SilentBearerbox(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}
