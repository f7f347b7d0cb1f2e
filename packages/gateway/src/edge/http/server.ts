import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { Lobby } from '@morsel/smpp';
import type { Rejection } from '../../core/base/rejection.ts';
import { isTrusted } from './connection/client-address.ts';
import { defaultWaits, headMax, keepAliveMs, stillMs, type HttpWaits } from './connection/limits.ts';
import { limitConnections, limitPipelining, unwrittenMax } from './connection/pipelining.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Site, type SiteOptions } from './site.ts';

/* Opens the HTTP listener of the client API with its limits, and closes it without losing answers. */

export interface HttpOptions extends SiteOptions {
  readonly host: string;
  /** The port number; 0 for any free port. */
  readonly port: number;
  readonly connectionsMax: number;
  readonly waits?: Partial<HttpWaits> | undefined;
}

export interface HttpServer {
  readonly port: number;
  /** Stops listening, and waits for the answers to running requests, at most `drainMs` in total. */
  close(): Promise<void>;
}

/**
 * Opens the listener. Every answer has an `X-Request-Id`, and a refusal is a problem (RFC 9457). The order of the
 * checks: method, size, parsing, token, fields, and then the checks of the gateway.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const site = new Site(options);
  const waits: HttpWaits = { ...defaultWaits, ...options.waits };
  const server = makeServer(site, { ...options, waits });
  server.listen({ host: options.host, port: options.port });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server did not get a port');
  return {
    port: address.port,
    close: () => {
      site.stop();
      return close(server, options.clock, waits.drainMs);
    },
  };
}

const noTunnel: Rejection = { code: 'method_not_allowed', allow: 'GET, POST' };

function makeServer(
  site: Site,
  {
    waits,
    clock,
    connectionsMax,
    trustedProxies,
  }: Pick<HttpOptions, 'clock' | 'connectionsMax' | 'trustedProxies'> & {
    readonly waits: HttpWaits;
  },
): Server {
  const server = createServer({
    highWaterMark: unwrittenMax,
    // Twice our limit, so that a head above our limit reaches `checkHeadSize`, which reports whether the request line
    // or the headers are too long.
    maxHeaderSize: 2 * headMax,
    headersTimeout: waits.headersMs,
    requestTimeout: waits.requestMs,
    connectionsCheckingInterval: waits.checkMs,
    keepAliveTimeout: keepAliveMs,
    // `Site` checks the Host header instead of Node, whose answer would have no body.
    requireHostHeader: false,
    noDelay: true,
  });
  server.timeout = stillMs;
  // A client that closes its half of the connection after a request (`nc -N`) still gets the answer. The TypeScript types of Node
  // lack this setting.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', (request, response) => site.answer(request, response));
  // Expectations other than 100-continue may be ignored (RFC 9110 section 10.1.1). Without this listener Node would answer 417
  // without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const { leave, isIdle } = limitPipelining(server);
  server.on('connect', (request) => {
    leave(request.socket);
    site.partFrom(request.socket, noTunnel);
  });
  server.on('clientError', (error, socket) => {
    if (!(socket instanceof Socket)) return;
    leave(socket);
    site.refuseBytes(error, socket);
  });
  const lobby = new Lobby({
    max: connectionsMax,
    guestsOfNetworkMax: Math.ceil(connectionsMax / 2),
    isShared: (address) => isTrusted(address, trustedProxies ?? []),
    now: () => clock.monotonicMs(),
  });
  // A connection with an unanswered request stays open: its client must learn whether its message was accepted.
  limitConnections(server, lobby, (socket) => (isIdle(socket) ? 'idle' : 'busy'));
  return server;
}

/** How often idle connections are closed while the listener closes. */
const idleCheckMs = 50;

async function close(server: Server, clock: Clock, drainMs: number): Promise<void> {
  const closeIdle = () => {
    server.closeIdleConnections();
    idle = clock.setTimer(closeIdle, idleCheckMs);
  };
  let idle = clock.setTimer(closeIdle, idleCheckMs);
  const limit = clock.setTimer(() => server.closeAllConnections(), drainMs);
  await new Promise<void>((resolve) => {
    // A server that is closed already reports an error here, which is ignored.
    server.close(() => resolve());
  });
  idle.cancel();
  limit.cancel();
}
