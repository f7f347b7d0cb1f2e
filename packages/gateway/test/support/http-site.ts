import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { accountDefaults } from '../../src/core/account/account.ts';
import type { Account } from '../../src/core/account/account.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { toMessageId } from '../../src/core/base/message-id.ts';
import type { Draft } from '../../src/core/message/admission.ts';
import type { AcceptedMessage, Balance, DeliveryReport } from '../../src/flow/ports.ts';
import type { Quote } from '../../src/flow/message/quote.ts';
import type { ClientApi } from '../../src/edge/http/client-api.ts';
import type { HttpWaits } from '../../src/edge/http/connection/limits.ts';
import { startHttp } from '../../src/edge/http/server.ts';
import { machineClock } from '../../src/runtime/clock.ts';

/** For tests: the real server on a free port, before an API that writes down what it is asked. */
export interface TestSite extends AsyncDisposable {
  readonly port: number;
  /** What came through the API, in order. */
  readonly calls: unknown[];
  /** Every line of the log at level error. */
  readonly log: string[];
  /** The paths of the refused requests in the log. */
  readonly refused: unknown[];
  /** What the API does with the next messages, instead of accepting them. */
  submit: ((draft: Draft) => Promise<Result<AcceptedMessage, Rejection>>) | undefined;
  ready: boolean;
  close(): Promise<void>;
}

export const token = 'morsel_secret_of_a_client';

export const account: Account = {
  id: 7,
  name: 'acme',
  currency: 'EUR',
  status: 'active',
  ...accountDefaults,
  priceList: 1,
};

export const accepted: AcceptedMessage = {
  msgId: toMessageId(1_023_456_789_012_345),
  numParts: 2,
  totalCost: toMicros(15_001n),
  clientBalance: toMicros(9_007_199_254_740_993_000_001n),
  clientCurrency: 'EUR',
};

export const quoted: Quote = {
  way: null,
  unitPrice: toMicros(7_500n),
  totalCost: toMicros(15_000n),
  routePrefix: '41',
  receiver: '+41791112234',
  numParts: 2,
  encoding: 'UCS',
  outside: { count: 21, characters: [{ character: '"', position: 3 }] },
  clientBalance: toMicros(10_000n),
  balanceAfter: toMicros(-5_000n),
  isCovered: false,
  isReplay: false,
  clientCurrency: 'EUR',
};

const report: DeliveryReport = {
  msgId: toMessageId(1_023_456_789_012_345),
  event: 'undelivered',
  numParts: 2,
  sendTime: Date.UTC(2026, 0, 2, 3, 4, 5, 999),
  dlrTime: Date.UTC(2026, 0, 2, 3, 4, 6, 1),
};

export const details = {
  errorCode: '0"B',
  clientRef: 'Grüße 😀',
  parts: [
    { part: 1, event: 'delivered', dlrTime: report.dlrTime },
    { part: 2, event: 'undelivered', dlrTime: report.dlrTime, errorCode: '0"B' },
  ],
} as const;

export async function startTestSite(waits: Partial<HttpWaits> = {}): Promise<TestSite> {
  const calls: unknown[] = [];
  const log: string[] = [];
  const refusedPaths: unknown[] = [];
  const api: ClientApi = {
    authenticate(given, address) {
      if (given !== token) return refused({ code: 'unauthorized' });
      return address === '127.0.0.1' ? ok(account) : refused({ code: 'forbidden', detail: 'not from here' });
    },
    async submit(by, draft) {
      calls.push(['submit', by.id, draft]);
      return site.submit ? site.submit(draft) : ok(accepted);
    },
    async quote(by, draft) {
      calls.push(['quote', by.id, draft]);
      return ok(quoted);
    },
    async delivery(by, messageId, asked) {
      calls.push(['delivery', by.id, messageId, asked]);
      if (messageId !== String(report.msgId)) return refused({ code: 'message_not_found' });
      return ok(asked.details ? { ...report, ...details } : report);
    },
    async cancel(by, messageId) {
      calls.push(['cancel', by.id, messageId]);
      if (messageId !== String(report.msgId)) return refused({ code: 'message_not_found' });
      return ok({ ...report, event: 'canceled', parts: [{ part: 1, event: 'canceled', dlrTime: report.dlrTime }] });
    },
    async balance(by): Promise<Result<Balance, Rejection>> {
      calls.push(['balance', by.id]);
      return ok({ clientBalance: toMicros(-2_500_000n), clientCurrency: by.currency });
    },
  };
  const server = await startHttp({
    api,
    clock: machineClock,
    host: '127.0.0.1',
    port: 0,
    readiness: {
      ready: () => (site.ready ? ok(undefined) : refused({ code: 'unavailable', detail: 'the service is stopping' })),
    },
    connectionsMax: 100,
    log: {
      error: (fields, message) => log.push(`${message} ${JSON.stringify(fields)}`),
      info: (fields) => void refusedPaths.push('path' in fields ? fields.path : undefined),
    },
    waits,
  });
  const site: TestSite = {
    port: server.port,
    calls,
    log,
    refused: refusedPaths,
    submit: undefined,
    ready: true,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return site;
}

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Bytes = string | Buffer;

/** A connection that sends bytes as they are and reads what comes back. */
export class Talk implements Disposable {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    for (const event of ['end', 'error', 'close']) {
      this.#socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  send(bytes: Bytes): void {
    this.#socket.write(bytes);
  }

  /** The next reply; undefined when the connection ends first. An answer to HEAD has no body whatever its length. */
  async reply({ toHead = false } = {}): Promise<Reply | undefined> {
    for (;;) {
      const reply = this.#take(toHead);
      if (reply || this.#ended) return reply;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Whether the other side ends the connection, with nothing more to say. */
  async ends(): Promise<boolean> {
    return (await this.reply()) === undefined && this.#received.length === 0;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(toHead: boolean): Reply | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const [first = '', ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const bodyEnd = headEnd + 4 + (toHead ? 0 : Number(headers['content-length']));
    if (this.#received.length < bodyEnd) return undefined;
    const body = this.#received.toString('utf8', headEnd + 4, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    return { status: Number(first.split(' ')[1]), headers, body };
  }
}

/** One request on a connection of its own. */
export async function ask(port: number, bytes: Bytes): Promise<Reply> {
  using talk = new Talk(port);
  talk.send(bytes);
  const reply = await talk.reply({ toHead: bytes.toString('latin1', 0, 5) === 'HEAD ' });
  if (!reply) throw new Error('the connection ended without an answer');
  return reply;
}

export interface RequestParts {
  readonly headers?: readonly string[];
  readonly body?: Bytes;
}

/** A request as bytes, with Host and, when it has a body, Content-Length. */
export function request(line: string, { headers = [], body }: RequestParts = {}): Buffer {
  const octets = Buffer.from(body ?? '');
  const length = body === undefined ? [] : [`Content-Length: ${octets.length}`];
  const head = [`${line} HTTP/1.1`, 'Host: localhost', ...headers, ...length].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), octets]);
}
