import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { Lobby, type LobbyOptions } from '@morsel/smpp';
import type { Rejection } from '../../core/base/rejection.ts';
import type { CertificatePort } from '../certificates.ts';
import { isTrusted } from './connection/client-address.ts';
import { rememberConnections, type ConnectionNeeds } from './connection/connections.ts';
import { defaultWaits, keepAliveMs, stillMs, type HttpLimits, type HttpWaits } from './connection/limits.ts';
import { limitPipelining, unwrittenMax, type Pipelining } from './connection/pipelining.ts';
import { openTlsPort, portOf, type TlsPort, type TlsPortNeeds } from './connection/tls-port.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Lane } from './lane.ts';
import { Site, type SiteOptions } from './site.ts';

/* Opens an HTTP listener with its limits, and closes it without losing answers. */

export interface HttpOptions
  extends SiteOptions, Pick<ConnectionNeeds, 'unanswered' | 'headersOf'>, Pick<TlsPortNeeds, 'name'> {
  readonly host: string;
  /** The port number; 0 for any free port. */
  readonly port: number;
  /** The address and certificate of the port with TLS, which is opened besides the plain one. */
  readonly tls?: CertificatePort | null | undefined;
  /** The most connections of both ports. */
  readonly places: Omit<LobbyOptions, 'isShared' | 'now'>;
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
  const { host, port, places, clock, trustedProxies = [] } = options;
  const waits: HttpWaits = { ...defaultWaits, ...options.waits };
  const server = makeServer(options.limits, waits);
  const lane = new Lane({ ...options, run: (...plain) => site.run(...plain) });
  const { leave, isIdle } = limitPipelining(server, lane);
  const isShared = (address: string) => isTrusted(address, trustedProxies);
  const lobby = new Lobby({ ...places, isShared, now: () => clock.monotonicMs() });
  lobby.watch(server);
  const site = new Site(options, rememberConnections({ ...options, lobby, isIdle }));
  serve(server, site, leave);
  server.listen({ host, port });
  await once(server, 'listening');
  await using opened = new AsyncDisposableStack();
  opened.defer(() => void server.close());
  const tls = options.tls && (await openTlsPort(server, options.tls, { ...options, lobby }));
  opened.move();
  return {
    port: portOf(server),
    tlsPort: tls?.port ?? null,
    close: () => {
      lane.stop();
      site.stop();
      return close({ server, tls }, clock, waits.drainMs);
    },
  };
}

function makeServer({ headMax }: HttpLimits, waits: HttpWaits): Server {
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
  return Object.assign(server, { httpAllowHalfOpen: true });
}

const noTunnel: Rejection = { code: 'method_not_allowed', allow: 'GET, POST' };

/** `leave` stops the parsing of a connection that no longer speaks HTTP. */
function serve(server: Server, site: Site, leave: Pipelining['leave']): void {
  server.on('request', (request, response) => site.answer(request, response));
  // Expectations other than 100-continue may be ignored (RFC 9110 section 10.1.1). Without this listener Node would answer 417
  // without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request) => {
    leave(request.socket);
    site.partFrom(request.socket, noTunnel);
  });
  server.on('clientError', (error, socket) => {
    if (!(socket instanceof Socket)) return;
    leave(socket);
    site.refuseBytes(error, socket);
  });
}

const idleCheckMs = 50;

async function close(
  { server, tls }: { readonly server: Server; readonly tls: TlsPort | null | undefined },
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
  await Promise.all([closed, tls?.close()]);
  idle.cancel();
  limit.cancel();
}
