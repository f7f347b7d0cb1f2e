import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Tools } from '../../flow/ports.ts';
import type { Clock } from '../../runtime/clock.ts';
import { keepAliveMs } from './connection/limits.ts';
import { headEnd } from './connection/node-parser.ts';
import type { Head } from './request/head.ts';

/*
 * The lane for plain requests: it reads them from the octets of a connection and writes their answers without
 * node:http, whose parser, streams and events would cost more than the rest of such a request. `Lane.read`
 * alone decides which requests are plain. Decision 28 says why there is a lane.
 */

/** The most octets of the head and of the body of a plain request. Usual clients need a few hundred. */
const headMax = 4 * 1024;
const bodyMax = 16 * 1024;

/**
 * Every octet of a plain head is visible ASCII, or a space within a value, so that its lines and values are what any
 * reader of HTTP finds. The target has only characters that a query may have (RFC 3986 section 3.4).
 */
const plainHead =
  /^(GET|POST) (\/[\w/.-]*)(?:\?[\w/.~%!$&'()*+,;=:@?-]*)? HTTP\/1\.1\r\n(?:[A-Za-z-]+: ?[!-~](?:[ -~]*[!-~])?\r\n)+$/;

/**
 * The headers of plain requests. They say nothing about the connection or the form of the body, or their values are
 * checked below.
 */
const plainHeaders = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'forwarded',
  'host',
  'idempotency-key',
  'origin',
  'pragma',
  'referer',
  'sec-fetch-mode',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

/** A request that has arrived with its whole body. */
export interface PlainRequest extends Head {
  readonly complete: true;
  readonly body: Buffer | undefined;
  /** The octets of the head and the body. */
  readonly length: number;
}

export interface LaneNeeds extends Pick<Tools, 'clock'> {
  readonly routes: readonly {
    readonly path: string;
    readonly methods: readonly string[];
    readonly isPlain?: boolean;
  }[];
  readonly run: (request: PlainRequest, answer: PlainAnswer, socket: Socket) => void;
}

export class Lane {
  readonly run: LaneNeeds['run'];
  readonly #clock: Clock;
  /** The method and the path of each route for plain requests. */
  readonly #starts: ReadonlySet<string>;
  #isStopped = false;
  #second = 0;
  #date = '';

  constructor({ clock, routes, run }: LaneNeeds) {
    const plain = routes.filter(({ isPlain }) => isPlain);
    this.#clock = clock;
    this.#starts = new Set(plain.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`)));
    this.run = run;
  }

  /** From now on no request is plain, because node:http ends each connection with the answer to its next request. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The plain request that `octets` begin with; undefined if Node's parser must read them. */
  read(octets: Buffer): PlainRequest | undefined {
    if (this.#isStopped) return undefined;
    const end = octets.indexOf(headEnd);
    if (end === -1 || end > headMax) return undefined;
    const head = octets.toString('latin1', 0, end + 2);
    const [, method, path] = plainHead.exec(head) ?? [];
    if (method === undefined || !this.#starts.has(`${method} ${path}`)) return undefined;
    const line = head.indexOf('\r\n');
    const fields = readHeaders(head, line + 2);
    if (!fields) return undefined;
    const given = fields.headers['content-length'];
    const length = Number(given ?? 0);
    const start = end + headEnd.length;
    const isWhole = length <= bodyMax && octets.length >= start + length;
    if (!isWhole || (given === undefined) !== (method === 'GET')) return undefined;
    return {
      ...fields,
      method,
      url: head.slice(method.length + 1, line - ' HTTP/1.1'.length),
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      complete: true,
      body: length === 0 ? undefined : octets.subarray(start, start + length),
      length: start + length,
    };
  }

  /** The value of the header Date. */
  date(): string {
    const second = Math.floor(this.#clock.now() / secondMs);
    if (second !== this.#second) this.#date = new Date(second * secondMs).toUTCString();
    this.#second = second;
    return this.#date;
  }
}

/** Returns undefined if a header is not plain, occurs twice, or says that the connection ends. */
function readHeaders(head: string, from: number): Pick<Head, 'headers' | 'rawHeaders'> | undefined {
  const headers: IncomingHttpHeaders = {};
  const rawHeaders: string[] = [];
  for (let at = from; at < head.length;) {
    const colon = head.indexOf(':', at);
    const end = head.indexOf('\r\n', colon);
    const name = head.slice(at, colon);
    const value = head.slice(head[colon + 1] === ' ' ? colon + 2 : colon + 1, end);
    const key = name.toLowerCase();
    if (!plainHeaders.has(key) || headers[key] !== undefined) return undefined;
    headers[key] = value;
    rawHeaders.push(name, value);
    at = end + 2;
  }
  const { host, connection = 'keep-alive' } = headers;
  const length = headers['content-length'];
  if (host === undefined || connection.toLowerCase() !== 'keep-alive') return undefined;
  if (length !== undefined && !/^\d{1,5}$/.test(length)) return undefined;
  return { headers, rawHeaders };
}

/** The answer to a plain request, which has the octets that node:http would write. */
export class PlainAnswer {
  readonly #lane: Pick<Lane, 'date'>;
  readonly #ended: () => void;
  #text = '';
  isEnded = false;

  /** Calls `ended` when the answer is complete. */
  constructor(lane: Pick<Lane, 'date'>, ended: () => void) {
    this.#lane = lane;
    this.#ended = ended;
  }

  get text(): string {
    return this.#text;
  }

  get writableLength(): number {
    return this.#text.length;
  }

  /** `headers` has names and values in turn. */
  writeHead(status: number, headers: readonly string[]): void {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
    this.#text = `${text}Date: ${this.#lane.date()}\r\n${keptAlive}`;
  }

  end(body: string | Buffer): void {
    this.#text += body;
    this.isEnded = true;
    this.#ended();
  }
}

const keptAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / secondMs}\r\n\r\n`;
