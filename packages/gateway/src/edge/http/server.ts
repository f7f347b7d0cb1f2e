import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Readiness } from '../../flow/readiness.ts';
import { isTrusted } from './connection/client-address.ts';
import { checkHost } from './request/head.ts';
import { limitConnections } from './connection/connection-limits.ts';
import { bodyMax, defaultWaits, headMax, keepAliveMs, stillMs } from './connection/limits.ts';
import type { HttpWaits } from './connection/limits.ts';
import { limitPipelining, unwrittenMax } from './connection/pipelining.ts';
import { addRoutes } from './routes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Site } from './site.ts';
import type { SiteOptions } from './site.ts';

/* Opens the HTTP listener of the client API with its limits, and closes it without losing answers. */

export interface HttpOptions extends SiteOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The answer of /ready. */
  readonly readiness: Pick<Readiness, 'ready'>;
  /** The most open connections at the same time. */
  readonly connectionsMax: number;
  readonly waits?: Partial<HttpWaits> | undefined;
}

export interface HttpServer {
  readonly port: number;
  /** Stops listening, waits for the answers to running requests, and ends every connection, all within `drainMs`. */
  close(): Promise<void>;
}

/**
 * Opens the public HTTP listener. Every answer has an `X-Request-Id`, and the body of every refusal is a problem (RFC 9457).
 * Requests are checked in this order: method, size, parsing, token, fields, and then the checks of the gateway.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, port, readiness, waits } = options;
  const site = new Site(options);
  const chosen: HttpWaits = { ...defaultWaits, ...waits };
  const app = fastify({
    serverFactory: (handler) => makeServer(handler, site, { ...options, waits: chosen }),
    clientErrorHandler: (error, socket) => site.refuseBytes(error, socket),
    genReqId: () => site.nextRequestId(),
    frameworkErrors: (_error, request, reply) => site.refuse(request, reply, badPath),
    bodyLimit: bodyMax,
    exposeHeadRoutes: false,
    // The API answers requests that arrive while the listener closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The router does not parse queries, because `parseForm` reads them from their octets.
    routerOptions: { querystringParser: () => noQuery },
  });
  addRoutes(app, { site, readiness });
  await app.listen({ host, port });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server did not get a port');
  return { port: address.port, close: () => close(app, options.clock, chosen.drainMs) };
}

const noQuery = {};
const badPath: Rejection = { code: 'malformed_request', detail: 'the path is not valid percent-encoded UTF-8' };
const noTunnel: Rejection = { code: 'method_not_allowed', allow: 'GET, POST' };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface ServerNeeds extends Pick<HttpOptions, 'connectionsMax' | 'trustedProxies'> {
  readonly waits: HttpWaits;
}

function makeServer(handler: Handler, site: Site, { waits, connectionsMax, trustedProxies }: ServerNeeds): Server {
  const server = createServer({
    highWaterMark: unwrittenMax,
    // Twice our limit: a head above our limit must reach `checkHeadSize`, which reports whether the request line or the headers
    // are too long.
    maxHeaderSize: 2 * headMax,
    headersTimeout: waits.headersMs,
    requestTimeout: waits.requestMs,
    connectionsCheckingInterval: waits.checkMs,
    keepAliveTimeout: keepAliveMs,
    // `checkHost` checks the Host header instead of Node, whose answer would have no body.
    requireHostHeader: false,
    noDelay: true,
  });
  server.timeout = stillMs;
  // A client that closes its half of the connection after a request (`nc -N`) still gets the answer. The TypeScript types of Node
  // lack this setting.
  Object.assign(server, { httpAllowHalfOpen: true });
  const admit = (request: IncomingMessage, response: ServerResponse): void => {
    const rejection = checkHost(request);
    if (rejection) site.refuseUnrouted(request, response, rejection);
    else handler(request, response);
  };
  server.on('request', admit);
  // Expectations other than 100-continue may be ignored (RFC 9110 section 10.1.1). Without this listener Node would answer 417
  // without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const { leave, isIdle } = limitPipelining(server);
  server.on('connect', (request) => {
    leave(request.socket);
    site.partFrom(request.socket, noTunnel);
  });
  server.prependListener('clientError', (_error, socket) => void (socket instanceof Socket && leave(socket)));
  limitConnections(server, {
    max: connectionsMax,
    maxOfNetwork: Math.ceil(connectionsMax / 2),
    mayGo: isIdle,
    isShared: (address) => isTrusted(address, trustedProxies ?? []),
  });
  return server;
}

/** How often idle connections are closed while the listener closes. */
const idleCheckMs = 50;

async function close(app: FastifyInstance, clock: Clock, drainMs: number): Promise<void> {
  const closeIdle = () => {
    app.server.closeIdleConnections();
    idle = clock.setTimer(closeIdle, idleCheckMs);
  };
  let idle = clock.setTimer(closeIdle, idleCheckMs);
  const limit = clock.setTimer(() => app.server.closeAllConnections(), drainMs);
  try {
    await app.close();
  } finally {
    idle.cancel();
    limit.cancel();
  }
}
