import type { Socket } from 'node:net';
import { adminBase } from '@morsel/api/admin/client.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { adminOpenApi } from '@morsel/api/admin/openapi.ts';
import { ok } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { version } from '../../runtime/version.ts';
import type { HttpLimits } from '../http/connection/limits.ts';
import { Document } from '../http/document.ts';
import { probes, type ReadyNeeds } from '../http/probes.ts';
import type { Admit, HttpRoute } from '../http/routes.ts';
import { startHttp, type HttpOptions, type HttpServer } from '../http/server.ts';
import type { Scrapes } from '../metrics/scrape.ts';
import { Admission } from './access/admission.ts';
import { consoleRoutes } from './console/files.ts';
import { signInRoutes } from './console/sign-in.ts';
import { LiveAnswers } from './live.ts';
import { operationRoutes } from './operation-routes.ts';
import type { OperatorNeeds } from './operator-needs.ts';
import { checkJsonBody } from './request-fields.ts';

/* The listener of the operators: their API, the console, metrics and probes. */

export interface AdminOptions
  extends ReadyNeeds, Pick<HttpOptions, 'host' | 'port' | 'tls' | 'trustedProxies' | 'clock' | 'log'> {
  /** The owner's key, in the data directory. */
  readonly key: string;
  /** Names of the listener besides its addresses and localhost. */
  readonly names?: readonly string[] | undefined;
  readonly operator: OperatorNeeds;
  readonly scrapes: Pick<Scrapes, 'scrape'>;
}

/** A request with ten thousand prices is smaller. Requests of operators have short heads. */
const limits: HttpLimits = { headMax: 16 * 1024, bodyMax: 1024 * 1024 };
/** This time limit is short, because the caller has not sent the operator's key yet, and is near. */
const headersMs = 5 * secondMs;
/**
 * The most connections of both ports together. Connections without a key have places of their own, so they cannot
 * block the connections of known keys. The connections of one operator cannot block those of others. The key of the
 * data directory and the scrapes of the metrics count as operators, too. A connection shows its key some milliseconds
 * after it was accepted. So a program that opens all connections at once first needs places without a key.
 */
const places = { max: 150, guestsMax: 80, guestsOfNetworkMax: 60, admittedMax: 70, partyMax: 40 };

/** Limits what browsers do with an answer (OWASP Secure Headers Project). The console's pages have their own policy. */
const safety = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
].flat();
const safetyOverTls = [...safety, 'Strict-Transport-Security', 'max-age=31536000'];

/**
 * Opens the listener. The role of the caller decides which operations it may call. Amounts are JSON numbers with exact
 * digits.
 */
export async function startAdmin(options: AdminOptions): Promise<HttpServer> {
  const { names = [], operator, clock } = options;
  const admission = new Admission({ ...options, names });
  const ending = new AbortController();
  const live = new LiveAnswers(clock, ending.signal);
  const open: Admit = (exchange) => admission.admitAnybody(exchange);
  const { files, page } = consoleRoutes(open);
  const server = await startHttp({
    ...options,
    name: 'the operator API',
    routes: [
      ...probes(options),
      ...operationRoutes({ operator, admission, live }),
      openApiRoute(admission),
      metricsRoute(admission, options.scrapes),
      ...files,
      ...signInRoutes(options, open),
    ],
    otherwise: page,
    admit: (exchange) => admission.admit(exchange),
    checkBody: checkJsonBody,
    limits,
    headersOf: (socket: Socket) => ('encrypted' in socket ? safetyOverTls : safety),
    places,
    unanswered: 'waiting',
    waits: { headersMs },
  });
  const close = async () => {
    ending.abort();
    operator.signInGuard.end();
    operator.imports.end();
    await server.close();
  };
  return { ...server, close };
}

/** Every role may read the OpenAPI document. The document is made once, which takes some 100 ms. */
function openApiRoute(admission: Admission): HttpRoute {
  const openApi = new Document(() => Buffer.from(writeJson(adminOpenApi(version))), 'no-store');
  return {
    path: `${adminBase}/openapi.json`,
    methods: ['GET'],
    admit: (exchange) => admission.admit(exchange),
    run: async ({ request }) => ok(openApi.in(request.headers['accept-encoding'])),
  };
}

/** Every role may read the metrics. */
function metricsRoute(admission: Admission, scrapes: Pick<Scrapes, 'scrape'>): HttpRoute {
  const path = '/metrics';
  return {
    path,
    methods: ['GET'],
    // The connections of scrapes have places of their own.
    admit: (exchange) => admission.admit(exchange, path),
    run: async () => {
      const { contentType, text } = await scrapes.scrape();
      return ok({ body: text, headers: { 'Content-Type': contentType } });
    },
  };
}
