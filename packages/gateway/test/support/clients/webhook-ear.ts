import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenAnywhere, portOf } from '../listen.ts';
import { waitUntil } from '../wait-until.ts';

/** One request that the webhook of a client got. */
export interface Told {
  readonly method: string;
  readonly path: string;
  /** The query of the URL, without its question mark. */
  readonly query: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** The webhook of a client: it keeps each request that it gets, and answers as the test sets. */
export class WebhookEar implements AsyncDisposable {
  readonly told: Told[] = [];
  status = 200;
  headers: { readonly [name: string]: string } = {};
  text = 'thank you';
  readonly #server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const [path = '', query = ''] = (request.url ?? '').split('?', 2);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      this.told.push({ method: request.method ?? '', path, query, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(this.status, this.headers).end(this.text);
    });
  });

  static async open(): Promise<WebhookEar> {
    const ear = new WebhookEar();
    await listenAnywhere(ear.#server);
    return ear;
  }

  get port(): number {
    return portOf(this.#server);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.origin}/sms`;
  }

  /** Resolves with the requests when the webhook has got this many. */
  heard(count: number): Promise<readonly Told[]> {
    return waitUntil(
      () => `${count} requests, but ${this.told.length}`,
      () => (this.told.length >= count ? this.told : undefined),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
