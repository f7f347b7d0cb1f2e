import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Lobby, Standing } from '@morsel/smpp';
import type { Rejection } from '../../core/base/rejection.ts';
import { defaultWaits, keepAliveMs, stillMs, type HttpWaits } from './connection/limits.ts';
import { limitConnections, limitPipelining, unwrittenMax } from './connection/pipelining.ts';
import { portOf, TlsPort, type TlsPlace, type TlsPortNeeds } from './connection/tls-port.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Site, type SiteOptions } from './site.ts';

/* Opens an HTTP listener with its limits, and closes it without losing answers. */

export interface HttpOptions extends SiteOptions, Pick<TlsPortNeeds, 'name'> {
  readonly host: string;
  /** The port number; 0 for any free port. */
  readonly port: number;
  /** The address and certificate of the port with TLS, which is opened besides the plain one. */
  readonly tls?: TlsPlace | null | undefined;
  /** The places of the connections of both ports. */
  readonly lobby: Lobby;
  /** Whether a newer connection may replace a connection whose request is not answered yet. */
  readonly unanswered: Standing;
  readonly waits?: Partial<HttpWaits> | undefined;
}

export interface HttpServer {
  readonly port: number;
  readonly tlsPort: number | null;
  /** Stops listening, and waits for the answers to running requests, at most `drainMs` in total. */
  close(): Promise<void>;
}

/**
 * Opens the listener. Every answer has an `X-Request-Id`, and a refusal is a problem (RFC 9457). The order of the
 * checks: Host, path, caller, method, size, and then the checks of the route.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const site = new Site(options);
  const waits: HttpWaits = { ...defaultWaits, ...options.waits };
  const server = makeServer(site, { ...options, waits });
  server.listen({ host: options.host, port: options.port });
  await once(server, 'listening');
  await using opened = new AsyncDisposableStack();
  opened.defer(() => void server.close());
  const tls = options.tls ? opened.use(await TlsPort.open(server, options.tls, options)) : undefined;
  opened.move();
  return {
    port: portOf(server),
    tlsPort: tls?.port ?? null,
    close: () => {
      site.stop();
      return close({ server, tls }, options.clock, waits.drainMs);
    },
  };
}

const noTunnel: Rejection = { code: 'method_not_allowed', allow: 'GET, POST' };

function makeServer(
  site: Site,
  { waits, limits, lobby, unanswered }: Pick<HttpOptions, 'limits' | 'lobby' | 'unanswered'> & { waits: HttpWaits },
): Server {
  const server = createServer({
    highWaterMark: unwrittenMax,
    // Twice our limit, so that a head above our limit reaches `checkHeadSize`, which reports whether the request line
    // or the headers are too long.
    maxHeaderSize: 2 * limits.headMax,
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
  limitConnections(server, lobby, (socket) => (isIdle(socket) ? 'idle' : unanswered));
  return server;
}

/** How often idle connections are closed while the listener closes. */
const idleCheckMs = 50;

async function close(
  { server, tls }: { readonly server: Server; readonly tls: TlsPort | undefined },
  clock: Clock,
  drainMs: number,
): Promise<void> {
  const closeIdle = () => {
    server.closeIdleConnections();
    idle = clock.setTimer(closeIdle, idleCheckMs);
  };
  let idle = clock.setTimer(closeIdle, idleCheckMs);
  const limit = clock.setTimer(() => server.closeAllConnections(), drainMs);
  const closed = new Promise<void>((resolve) => {
    // A server that is closed already reports an error here, which is ignored.
    server.close(() => resolve());
  });
  await Promise.all([closed, tls?.[Symbol.asyncDispose]()]);
  idle.cancel();
  limit.cancel();
}
