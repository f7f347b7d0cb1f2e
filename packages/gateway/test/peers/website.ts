/* A web server that keeps the requests that it gets, for Kannel's smsbox. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** One request. */
export interface Visit {
  readonly path: string;
  /** By octets, as a query may escape octets that are not UTF-8. */
  readonly query: ReadonlyMap<string, Buffer>;
}

/** A client's site that keeps its requests, and answers with an empty page. */
export class Website implements AsyncDisposable {
  readonly port: number;
  readonly visits: Visit[] = [];
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('request', (request, response) => {
      this.visits.push(readVisit(request.url ?? ''));
      response.writeHead(200, { 'content-type': 'text/plain' }).end();
    });
  }

  static async start(): Promise<Website> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the site listens on no port');
    return new Website(server, address.port);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  of(path: string): readonly Visit[] {
    return this.visits.filter((visit) => visit.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function readVisit(url: string): Visit {
  const [path = '', query = ''] = url.split('?');
  const fields = query.split('&').map((field): [string, Buffer] => {
    const [name = '', value = ''] = field.split('=');
    return [name, unescaped(value)];
  });
  return { path, query: new Map(fields) };
}

/** application/x-www-form-urlencoded, to octets. */
function unescaped(value: string): Buffer {
  const latin1 = value
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin1, 'latin1');
}
