import { randomBytes } from 'node:crypto';
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { Meters } from '../../flow/metrics/meters.ts';
import type { Traces } from '../../flow/metrics/traces.ts';
import type { Tools } from '../../flow/ports.ts';
import { describeBug } from '../../runtime/bug.ts';
import type { RefusalLog } from '../refusal-log.ts';
import { httpStatus } from '../refusals.ts';
import { clientAddress } from './connection/client-address.ts';
import type { Connection } from './connection/connections.ts';
import type { HttpLimits } from './connection/limits.ts';
import type { PlainAnswer, PlainRequest } from './lane.ts';
import { checkHeadSize, checkHost, readTraceId, traceParentOf, type Head } from './request/head.ts';
import { rejectionOf, tooLarge, type ParserError } from './request/parser-errors.ts';
import { hasBody, receiveBody } from './request/receive-body.ts';
import { HttpRoutes, type Admit, type Exchange, type FoundPath, type HttpRoute, type Success } from './routes.ts';
import { refusalText, writeRefusal, writeSuccess } from './write.ts';

/* Answers complete requests, refused requests, and octets that are not an HTTP request. */

/** What a listener serves, and what it demands of requests. */
export interface SiteOptions extends Pick<Tools, 'clock' | 'log'> {
  readonly routes: readonly HttpRoute[];
  /** Answers GET requests for all other paths. */
  readonly otherwise?: HttpRoute | undefined;
  /** Checks the caller of a request that no route serves. Such a listener also checks the names in Host itself. */
  readonly admit?: Admit;
  /** Checks the headers that describe a body, before the body is read. */
  readonly checkBody: (head: Head) => Rejection | undefined;
  readonly limits: HttpLimits;
  readonly refusals?: Pick<RefusalLog, 'note'> | undefined;
  readonly meters?: Pick<Meters, 'request'> | undefined;
  readonly traces?: Pick<Traces, 'request'> | undefined;
  readonly trustedProxies?: readonly AddressRange[] | undefined;
}

export class Site {
  readonly #nextRequestId = requestIds();
  readonly #connectionOf: (socket: Socket) => Connection;
  readonly #options: SiteOptions;
  readonly #routes: HttpRoutes;
  readonly #isDebug: boolean;
  #isStopping = false;

  constructor(options: SiteOptions, connectionOf: (socket: Socket) => Connection) {
    this.#options = options;
    this.#routes = new HttpRoutes(options.routes);
    this.#connectionOf = connectionOf;
    this.#isDebug = options.log.isLevelEnabled?.('debug') ?? false;
  }

  /** From now on, each connection ends with the answer to its next request. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Answers a request of node:http. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopping) response.setHeader('Connection', 'close');
    this.run(request, response, request.socket);
  }

  /** Answers a request of node:http or of the lane. */
  run(request: IncomingMessage | PlainRequest, response: ServerResponse | PlainAnswer, socket: Socket): void {
    const connection = this.#connectionOf(socket);
    const found = this.#routes.find(request.url ?? '');
    const path = typeof found === 'object' ? found : undefined;
    const { method = '' } = request;
    const route = path ? path.byMethod.get(method) : this.#otherwise(method);
    const exchange: Exchange = {
      request,
      response,
      connection,
      requestId: this.#nextRequestId(),
      from: this.#options.clock.monotonicMs(),
      address: clientAddress(request, connection.address, this.#options.trustedProxies),
      parameters: path?.parameters ?? {},
      body: request instanceof IncomingMessage ? undefined : request.body,
      account: undefined,
    };
    const badHost = checkHost(request, path?.isProbe === true || this.#options.admit !== undefined);
    const rejection = badHost ?? (found === 'bad path' ? badPath : this.#check(exchange, path, route));
    if (rejection) this.#refuse(exchange, rejection, badHost ? undefined : path?.path);
    else if (route && request instanceof IncomingMessage && mayHaveBody(request) && hasBody(request)) {
      this.#receive(exchange, route, request);
    } else if (route) void this.#serve(exchange, route);
  }

  /** Refuses octets that are not an HTTP request, and requests that do not arrive completely. */
  refuseBytes(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.partFrom(socket, rejectionOf(error, this.#options.limits));
  }

  partFrom(socket: Socket, rejection: Rejection): void {
    const connection = this.#connectionOf(socket);
    const requestId = this.#nextRequestId();
    const answer = refusalText(rejection, { connection, requestId });
    this.#options.refusals?.note(rejection, { requestId });
    // Complete requests in the same chunk begin in the next turn of the event loop, and must be answered before the
    // refusal.
    setImmediate(() => connection.part(answer));
  }

  #otherwise(method: string): HttpRoute | undefined {
    return method === 'GET' ? this.#options.otherwise : undefined;
  }

  /** Checks everything that is known before the body: a wrong method is refused even if the body is large. */
  #check(exchange: Exchange, path: FoundPath | undefined, route: HttpRoute | undefined): Rejection | undefined {
    const { limits, checkBody } = this.#options;
    const notAdmitted = this.#admit(exchange, route);
    if (notAdmitted) return notAdmitted;
    if (!route) return path ? { code: 'method_not_allowed', allow: path.allow } : notFound;
    const { request } = exchange;
    const badHead = checkHeadSize(request, limits.headMax);
    if (badHead || !mayHaveBody(request)) return badHead;
    const { bodyMax = limits.bodyMax } = route;
    return Number(request.headers['content-length']) > bodyMax ? tooLarge(413, bodyMax) : checkBody(request);
  }

  #admit(exchange: Exchange, route: HttpRoute | undefined): Rejection | undefined {
    const { admit } = route ?? this.#options;
    try {
      return admit?.(exchange);
    } catch (error) {
      return this.#internalError(exchange, error);
    }
  }

  #receive(exchange: Exchange, route: HttpRoute, request: IncomingMessage): void {
    const { bodyMax = this.#options.limits.bodyMax } = route;
    receiveBody(request, bodyMax, (body) => {
      // Nobody reads an answer if the client has closed the connection.
      if (body === 'lost') return;
      if (body === 'too large') {
        this.#refuse(exchange, tooLarge(413, bodyMax), route.path);
        return;
      }
      exchange.body = body;
      void this.#serve(exchange, route);
    });
  }

  /** Runs a complete request and answers it. Never rejects. */
  async #serve(exchange: Exchange, route: HttpRoute): Promise<void> {
    const { response, connection } = exchange;
    if (!connection.begin()) return;
    let result: Result<Success, Rejection>;
    try {
      const { traces } = this.#options;
      result = await (traces ? traced(traces, exchange, route) : route.run(exchange));
    } catch (error) {
      result = refused(this.#internalError(exchange, error));
    }
    const refusal = result.ok ? undefined : route.refuse?.(result.error);
    const answer = refusal === undefined ? result : ok(refusal);
    const status = statusOf(answer);
    if (this.#isDebug) this.#describe(exchange, route.path, status);
    this.#count(exchange, route.path, status);
    // Refusals of probes are not logged: the log says elsewhere why the gateway is not ready.
    if (!result.ok && route.isProbe !== true) this.#note(exchange, result.error, route.path);
    if (answer.ok) {
      const streamed = writeSuccess(exchange, answer.value);
      if (streamed) await streamed;
    } else {
      writeRefusal(exchange, answer.error);
    }
    connection.finish(response);
  }

  #internalError(exchange: Exchange, error: unknown): Rejection {
    const fields = { ...idsOf(exchange), ...describeBug(error) };
    this.#options.log.error(fields, 'internal error while answering an HTTP request');
    return { code: 'internal_error' };
  }

  #refuse(exchange: Exchange, rejection: Rejection, path?: string): void {
    const { connection, response } = exchange;
    if (!connection.begin()) return;
    this.#note(exchange, rejection, path);
    this.#count(exchange, path ?? '', httpStatus(rejection));
    writeRefusal(exchange, rejection);
    connection.finish(response);
  }

  #note(exchange: Exchange, rejection: Rejection, path: string | undefined): void {
    const { account } = exchange;
    this.#options.refusals?.note(rejection, { ...idsOf(exchange), account, path });
  }

  #describe(exchange: Exchange, path: string, status: number): void {
    const { account, from } = exchange;
    const tookMs = Math.round(this.#options.clock.monotonicMs() - from);
    this.#options.log.debug?.({ ...idsOf(exchange), account, path, status, tookMs }, 'request answered');
  }

  #count({ from }: Exchange, path: string, status: number): void {
    this.#options.meters?.request(path, status, this.#options.clock.monotonicMs() - from);
  }
}

export const notFound: Rejection = { code: 'not_found', detail: 'nothing is served at this path' };
const badPath: Rejection = { code: 'malformed_request', detail: 'the path is not valid percent-encoded UTF-8' };

function mayHaveBody({ method }: Head): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function traced(traces: Pick<Traces, 'request'>, exchange: Exchange, { path, run }: HttpRoute) {
  return traces.request({ path, traceParent: traceParentOf(exchange.request) }, () => run(exchange));
}

function statusOf(result: Result<Success, Rejection>): number {
  if (!result.ok) return httpStatus(result.error);
  return typeof result.value === 'string' ? 200 : (result.value.status ?? 200);
}

/** An id is a random prefix, which changes with each start, and a counter. Ids are unique, but need not be secret. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** The ids of a request for the log: ours, and that of the client's trace. */
function idsOf({ request, requestId }: Exchange): { readonly requestId: string; readonly traceId?: string } {
  const traceId = readTraceId(request);
  return traceId === undefined ? { requestId } : { requestId, traceId };
}
