import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { listenAnywhere } from '../support/listen.ts';

/** The network between a node and its database, which a test cuts. */
export class Cable implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The number of connections that the node has requested. */
  calls = 0;
  #state: 'whole' | 'cut' | 'silent' = 'whole';
  /** The application_name of each connection to PostgreSQL. */
  readonly #names = new Map<Socket, string>();
  #refused: string | undefined;

  private constructor(server: Server, port: number, target: NetConnectOpts) {
    this.#server = server;
    this.port = port;
    server.on('connection', (caller: Socket) => {
      this.calls += 1;
      if (this.#state === 'cut') {
        caller.resetAndDestroy();
        return;
      }
      const listener = connect(target);
      this.#pipe(caller, listener);
      this.#pipe(listener, caller);
    });
  }

  /** Listens on any free port, and connects to `target`. */
  static async open(target: NetConnectOpts): Promise<Cable> {
    const server = createServer({ noDelay: true });
    return new Cable(server, await listenAnywhere(server), target);
  }

  /** The number of open connections. */
  get open(): number {
    return this.#sockets.size / 2;
  }

  /** Ends all connections, and refuses new ones. */
  cut(): void {
    this.#state = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Keeps connections, and accepts new ones, but lets no octet through. */
  silence(): void {
    this.#state = 'silent';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Ends the connections of this application_name, and refuses new ones. */
  refuse(name: string): void {
    this.#refused = name;
    for (const [socket, of] of this.#names) if (of === name) socket.destroy();
  }

  /** Delivers the octets that wait in silent connections, as TCP does when it repeats them. */
  restore(): void {
    this.#state = 'whole';
    for (const socket of this.#sockets) socket.resume();
  }

  /**
   * Nothing comes or goes on the present connections any more, and none of their ends notices. New ones work. Returns a
   * function by which the other side notices.
   */
  lose(): () => void {
    const lost = [...this.#sockets];
    for (const socket of lost) socket.pause();
    this.#sockets.clear();
    return () => {
      for (const socket of lost) socket.destroy();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (octets: Buffer) => {
      const [, name] = /application_name\0(.*?)\0/.exec(octets.toString('latin1')) ?? [];
      if (name !== undefined) this.#names.set(from, name);
      if (name !== undefined && name === this.#refused) from.destroy();
      else to.write(octets);
    });
    if (this.#state === 'silent') from.pause();
    from.on('error', () => undefined);
    from.on('end', () => to.end());
    from.on('close', () => {
      this.#sockets.delete(from);
      this.#names.delete(from);
      to.destroy();
    });
  }
}
