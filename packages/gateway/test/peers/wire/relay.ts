import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Passed } from './capture.ts';
import { listenAnywhere } from '../../support/listen.ts';

/** Passes octets between a client and the gateway, and keeps a copy. When one side ends a connection, both close. */
export class Relay implements AsyncDisposable {
  readonly port: number;
  readonly passed: Passed[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor(server: Server, ports: { readonly own: number; readonly target: number }) {
    this.#server = server;
    this.port = ports.own;
    server.on('connection', (caller: Socket) => {
      const listener = connect({ port: ports.target, host: '127.0.0.1', noDelay: true });
      const connection = this.#connections++;
      this.#pipe({ from: 'caller', connection }, caller, listener);
      this.#pipe({ from: 'listener', connection }, listener, caller);
    });
  }

  /** Listens on any free port, and passes octets to the port `target`. */
  static async start(target: number): Promise<Relay> {
    const server = createServer({ noDelay: true });
    return new Relay(server, { own: await listenAnywhere(server), target });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pipe(side: Omit<Passed, 'bytes'>, one: Socket, other: Socket): void {
    this.#sockets.add(one);
    one.on('data', (bytes: Buffer) => {
      this.passed.push({ ...side, bytes });
      other.write(bytes);
    });
    one.on('end', () => other.end());
    one.on('error', () => undefined);
    one.on('close', () => {
      this.#sockets.delete(one);
      other.destroySoon();
    });
  }
}
