/* The HTTP client of the tests. */

import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The members of a JSON object, or of an array by their index; empty for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** A client of one port. Its connections are its own, and stay open. */
export class HttpClient {
  readonly #port: number;
  readonly #agent: Agent;

  constructor(port: number, connectionsMax = 8) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  }

  /** Sends a request, never twice. Rejects if the answer is missing or incomplete. */
  ask({ method = 'GET', path, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent };
      const asked = request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: objectOf(text) });
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  post(path: string, fields: object, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const body = JSON.stringify(fields);
    return this.ask({ method: 'POST', path, headers: { 'Content-Type': 'application/json', ...headers }, body });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The text in a member of an answer; fails the test if the member is not text. */
export function textIn(body: Readonly<Record<string, unknown>>, member: string): string {
  const value = body[member];
  if (typeof value !== 'string') throw new TypeError(`${member} is no text in ${JSON.stringify(body)}`);
  return value;
}

/** An amount in millionths from the digits of the answer, without a float. */
export function microsIn(json: string, member: string): bigint {
  const digits = new RegExp(`"${member}":(-?)(\\d+)(?:\\.(\\d{1,6}))?[,}]`).exec(json);
  if (!digits) throw new TypeError(`${member} is no amount in ${json}`);
  const [, sign = '', whole = '', decimals = ''] = digits;
  const micros = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
  return sign === '-' ? -micros : micros;
}
