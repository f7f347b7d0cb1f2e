import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Rejection } from '../../core/base/rejection.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { Meters } from '../../flow/metrics/meters.ts';
import type { Traces } from '../../flow/metrics/traces.ts';
import type { Clock } from '../../runtime/clock.ts';
import { describeBug } from '../../runtime/bug.ts';
import type { Counts } from '../../flow/account/counts.ts';
import { RefusalLog } from '../refusal-log.ts';
import { httpStatus } from '../refusals.ts';
import { clientAddress } from './connection/client-address.ts';
import { Connections } from './connection/connections.ts';
import type { ClientApi } from '../clients/client-api.ts';
import type { Incoming } from '../clients/morsel/fields.ts';
import { checkBodyHeaders, checkHeadSize, checkHost, readTraceId, traceParentOf } from './request/head.ts';
import { bodyTooLarge, rejectionOf, type ParserError } from './request/parser-errors.ts';
import { hasBody, receiveBody } from './request/receive-body.ts';
import { requestIds } from './request-ids.ts';
import { findRoute, isProbe, makeRoutes, type HttpRoute, type HttpRoutes } from '../clients/morsel/routes.ts';
import type { Success } from '../clients/morsel/successes.ts';
import { refusalText, writeRefusal, writeSuccess, type HttpExchange } from './write.ts';

/* Answers complete requests, refused requests, and octets that are not an HTTP request. */

export interface HttpLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs refused requests. */
  info?(fields: object, message: string): void;
  debug?(fields: object, message: string): void;
  isLevelEnabled?(level: string): boolean;
}

export interface SiteOptions {
  readonly api: ClientApi;
  readonly clock: Clock;
  readonly readiness: Pick<Readiness, 'ready'>;
  /** Whether a carrier has a bound link, for the probe /ready?carriers=1. */
  readonly hasBoundLink: () => boolean;
  readonly log?: HttpLog | undefined;
  readonly counts?: Pick<Counts, 'refused'> | undefined;
  readonly meters?: Pick<Meters, 'request'> | undefined;
  readonly traces?: Pick<Traces, 'request'> | undefined;
  readonly trustedProxies?: readonly AddressRange[] | undefined;
}

export class Site {
  readonly #nextRequestId = requestIds();
  readonly #connections = new Connections();
  readonly #api: ClientApi;
  readonly #log: HttpLog | undefined;
  readonly #refusals: RefusalLog;
  readonly #trustedProxies: readonly AddressRange[];
  readonly #routes: HttpRoutes;
  readonly #clock: Clock;
  readonly #isDebug: boolean;
  readonly #traces: Pick<Traces, 'request'> | undefined;
  readonly #meters: Pick<Meters, 'request'> | undefined;
  #isStopping = false;

  constructor({ api, clock, log, counts, meters, traces, trustedProxies, ...ready }: SiteOptions) {
    this.#clock = clock;
    this.#meters = meters;
    this.#traces = traces;
    this.#api = api;
    this.#log = log;
    this.#isDebug = log?.isLevelEnabled?.('debug') ?? false;
    this.#refusals = new RefusalLog(log, clock, counts);
    this.#trustedProxies = trustedProxies ?? [];
    this.#routes = makeRoutes(ready);
  }

  /** From now on, each connection ends with the answer to its next request. */
  stop(): void {
    this.#isStopping = true;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopping) response.setHeader('Connection', 'close');
    const connection = this.#connections.of(request.socket);
    const exchange: HttpExchange = {
      request,
      response,
      connection,
      requestId: this.#nextRequestId(),
      from: this.#clock.monotonicMs(),
    };
    const named = findRoute(this.#routes, request.url ?? '');
    const badHost = checkHost(request, named.ok && isProbe(named.value));
    const found = badHost ? refused(badHost) : named;
    if (!found.ok) {
      this.#refuse(exchange, found.error);
      return;
    }
    const route = found.value;
    // A wrong method is refused before the body is read, even if the body is large.
    const rejection = checkMethod(request, route) ?? checkHeadSize(request) ?? checkBodyHeaders(request);
    if (rejection) this.#refuse(exchange, rejection, route.path);
    else if (request.method === 'POST' && hasBody(request)) this.#receive(exchange, route);
    else void this.#serve(exchange, route);
  }

  /** Refuses octets that are not an HTTP request, and requests that do not arrive completely. */
  refuseBytes(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.partFrom(socket, rejectionOf(error));
  }

  partFrom(socket: Socket, rejection: Rejection): void {
    const connection = this.#connections.of(socket);
    const requestId = this.#nextRequestId();
    const answer = refusalText(rejection, requestId);
    this.#refusals.note(rejection, { requestId });
    // Complete requests in the same chunk begin in the next turn of the event loop, and must be answered before the
    // refusal.
    setImmediate(() => connection.part(answer));
  }

  #receive(exchange: HttpExchange, route: HttpRoute): void {
    receiveBody(exchange.request, (body) => {
      // Nobody reads an answer if the client has closed the connection.
      if (body === 'lost') return;
      if (body === 'too large') this.#refuse(exchange, bodyTooLarge, route.path);
      else void this.#serve(exchange, route, body);
    });
  }

  /** Runs a complete request and answers it. Never rejects. */
  async #serve(exchange: HttpExchange, { path, operation }: HttpRoute, body?: Buffer): Promise<void> {
    const { request, response, connection } = exchange;
    if (!connection.begin()) return;
    const address = clientAddress(request, connection.address, this.#trustedProxies);
    const incoming: Incoming = { raw: request, body, address };
    let result: Result<Success, Rejection>;
    try {
      const run = () => operation(this.#api, incoming);
      const traceParent = traceParentOf(request);
      result = await (this.#traces ? this.#traces.request({ path, traceParent }, run) : run());
    } catch (error) {
      this.#log?.error({ ...idsOf(exchange), ...describeBug(error) }, 'internal error while answering an HTTP request');
      result = refused({ code: 'internal_error' });
    }
    if (this.#isDebug) this.#describe(exchange, { path, account: incoming.account, result });
    if (result.ok) {
      this.#count(exchange, path, 200);
      writeSuccess(exchange, result.value);
    } else {
      const { account } = incoming;
      // Refusals of `/ready` are not logged: probes call it every second, and the log says elsewhere why the gateway is not
      // ready.
      if (path !== '/ready') this.#refusals.note(result.error, { ...idsOf(exchange), account, path });
      this.#count(exchange, path, httpStatus(result.error));
      writeRefusal(exchange, result.error);
    }
    connection.finish(response);
  }

  #refuse(exchange: HttpExchange, rejection: Rejection, path?: string): void {
    this.#refusals.note(rejection, { ...idsOf(exchange), path });
    this.#count(exchange, path ?? '', httpStatus(rejection));
    writeRefusal(exchange, rejection);
  }

  #describe(
    exchange: HttpExchange,
    { path, account, result }: { path: string; account: string | undefined; result: Result<Success, Rejection> },
  ): void {
    const status = result.ok ? 200 : httpStatus(result.error);
    const tookMs = Math.round(this.#clock.monotonicMs() - exchange.from);
    this.#log?.debug?.({ ...idsOf(exchange), account, path, status, tookMs }, 'request answered');
  }

  #count({ from }: HttpExchange, path: string, status: number): void {
    this.#meters?.request(path, status, this.#clock.monotonicMs() - from);
  }
}

function checkMethod({ method = '' }: IncomingMessage, { methods }: HttpRoute): Rejection | undefined {
  return methods.includes(method) ? undefined : { code: 'method_not_allowed', allow: methods.join(', ') };
}

/** The ids of a request for the log: ours, and that of the client's trace. */
function idsOf({ request, requestId }: HttpExchange): { readonly requestId: string; readonly traceId?: string } {
  const traceId = readTraceId(request);
  return traceId === undefined ? { requestId } : { requestId, traceId };
}
