import { Readable } from 'node:stream';
import { Lobby } from '@morsel/smpp';
import { fastify, type FastifyInstance, type FastifyRequest, type HTTPMethods } from 'fastify';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { describeBug } from '../../runtime/bug.ts';
import type { Tools } from '../../flow/ports.ts';
import { doubledMember } from '@morsel/api/admin/doubled-member.ts';
import { illFormedMember } from '@morsel/api/admin/well-formed.ts';
import { checkBodyCoding } from '../http/request/head.ts';
import { parseForm } from '../http/request/form.ts';
import type { ReadyNeeds } from '../clients/morsel/routes.ts';
import { limitConnections, limitPipelining, unwrittenMax } from '../http/connection/pipelining.ts';
import { requestIds } from '../http/request-ids.ts';
import { readJson, writeJson, type Json } from '@morsel/api/admin/exact-json.ts';
import { adminBase, lateNodesHeader } from '@morsel/api/admin/client.ts';
import { isTrusted } from '../http/connection/client-address.ts';
import { localOwner, type Caller } from '../../core/account/caller.ts';
import type { Scrapes } from '../metrics/scrape.ts';
import { Admission } from './access/admission.ts';
import { portOf, TlsPort, type TlsPlace } from './access/tls-port.ts';
import { refuse, refuseOthers, succeed, write } from './answers.ts';
import { answerJson, perform, type Bound } from './bind.ts';
import { bound } from './handlers.ts';
import { addConsole } from './console/files.ts';
import { addSignIn } from './console/sign-in.ts';
import { addMetrics, addOpenApi, addProbes, metricsPath } from './fixed-paths.ts';
import { isStreamWanted, LiveAnswers } from './live.ts';
import { csvForm, formOf, startRows } from './rows.ts';
import type { OperatorNeeds } from './operator-needs.ts';

/* The HTTP server of the operator's API, which admits operators, checks their roles, and reads and writes JSON. */

export interface AdminOptions extends ReadyNeeds, Pick<Tools, 'clock' | 'log'> {
  readonly host: string;
  /** The port number; 0 for any free port. */
  readonly port: number;
  /** The owner's key, in the data directory. */
  readonly key: string;
  /** Names of the listener besides its addresses and localhost. */
  readonly names?: readonly string[] | undefined;
  readonly trustedProxies?: readonly AddressRange[] | undefined;
  /** The address and certificate of the listener with TLS, which is opened besides the plain one. */
  readonly tls?: TlsPlace | null | undefined;
  readonly operator: OperatorNeeds;
  /** Answers `GET /metrics`. */
  readonly scrapes: Pick<Scrapes, 'scrape'>;
}

export interface AdminServer {
  readonly port: number;
  readonly tlsPort: number | null;
  /** Stops listening, and waits for the answers to running requests. */
  close(): Promise<void>;
}

/** The most octets of a request body. A request with ten thousand prices is smaller. */
const bodyMax = 1024 * 1024;
/**
 * The time limit from the first to the last octet of a request. This time limit is short, because operators call the gateway from
 * the same machine or network.
 */
const requestTimeoutMs = 30 * secondMs;
/**
 * The time limit from the start of the connection, or from the first octet, to the end of the headers. This time limit is short,
 * because the caller has not sent the operator's key yet.
 */
const headersTimeoutMs = 5 * secondMs;
/**
 * The most connections of both listeners together. Connections without a key have places of their own, so they cannot
 * block the connections of known keys. The connections of one operator cannot block those of others. The key of the
 * data directory and the scrapes of the metrics count as operators, too. A connection shows its key some milliseconds
 * after it was accepted. So a program that opens all connections at once first needs places without a key.
 */
const placesMax = { max: 150, guestsMax: 80, guestsOfNetworkMax: 60, admittedMax: 70, partyMax: 40 };
const ownerParty = 'the key of the data directory';
/** The most characters of a name in a path. Valid names are much shorter than this limit. */
const nameInPathMax = 4_096;

/** Limits what browsers do with an answer (OWASP Secure Headers Project). The console's pages have their own policy. */
const safety: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
};

/**
 * Opens the operator's API. The role of the caller decides which operations it may call. The body of every refusal is a
 * problem document (RFC 9457). Amounts are JSON numbers with exact digits.
 */
export async function startAdmin(options: AdminOptions): Promise<AdminServer> {
  const app = fastify({
    bodyLimit: bodyMax,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: secondMs, highWaterMark: unwrittenMax },
    genReqId: requestIds(),
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // The router accepts names up to this length, so that the operation itself can refuse long names with a clear error.
    routerOptions: { maxParamLength: nameInPathMax },
    frameworkErrors: (_error, _request, reply) => void refuse(reply, badPath),
  });
  const { names = [], trustedProxies = [] } = options;
  const admission = new Admission({ ...options, names, trustedProxies });
  const isShared = (address: string) => isTrusted(address, trustedProxies);
  const lobby = new Lobby({ ...placesMax, isShared, now: () => options.clock.monotonicMs() });
  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions;
    if (Object.hasOwn(config, 'isProbe')) return undefined;
    const isOpen = Object.hasOwn(config, 'isOpen');
    const rejection = isOpen ? admission.admitAnybody(request) : admission.admit(request);
    if (rejection) return refuse(reply, rejection);
    return isOpen || takePlace(lobby, request, admission.callerOf(request)) ? undefined : refuse(reply, tooMany);
  });
  app.addHook('onSend', async (request, reply) => {
    for (const [name, value] of Object.entries(safety)) if (!reply.hasHeader(name)) reply.header(name, value);
    if ('encrypted' in request.raw.socket) reply.header('Strict-Transport-Security', 'max-age=31536000');
  });
  const { isIdle } = limitPipelining(app.server);
  limitConnections(app.server, lobby, (socket) => (isIdle(socket) ? 'idle' : 'waiting'));
  readBodiesExactly(app);
  app.setNotFoundHandler((_request, reply) => refuse(reply, notFound));
  app.setErrorHandler((error, request, reply) => {
    const rejection = rejectionOf(error, request.routeOptions.bodyLimit);
    if (rejection.code === 'internal_error') {
      options.log.error(
        { requestId: request.id, ...describeBug(error) },
        'internal error in an operation of the operator API',
      );
    }
    return refuse(reply, rejection);
  });
  const ending = new AbortController();
  const live = new LiveAnswers(options.clock, ending.signal);
  addRoutes(app, { operator: options.operator, admission, live });
  addProbes(app, options);
  addOpenApi(app);
  addMetrics(app, options.scrapes);
  addConsole(app);
  addSignIn(app, {
    ...options,
    links: options.operator.signInLinks,
    addressOf: (request) => admission.addressOf(request),
    refuse,
  });
  await app.listen({ host: options.host, port: options.port });
  const tls = options.tls
    ? await TlsPort.open(app.server, options.tls, { ...options, lobby }).catch(closing(app))
    : undefined;
  const close = async () => {
    ending.abort();
    options.operator.signInGuard.end();
    options.operator.imports.end();
    await tls?.[Symbol.asyncDispose]();
    await app.close();
  };
  return { port: portOf(app.server), tlsPort: tls?.port ?? null, close };
}

/** Gives the connection of a request with a valid key a place that connections without a key cannot take. */
function takePlace(lobby: Lobby, request: FastifyRequest, caller: Caller): boolean {
  const place = lobby.placeOf(request.raw.socket);
  return !place || lobby.admit(place, request.routeOptions.url === metricsPath ? metricsPath : partyOf(caller));
}

function partyOf({ name, key }: Caller): string {
  return key === localOwner.key ? ownerParty : `operator ${name}`;
}

/** Closes the plain listener if the listener with TLS cannot be opened. */
function closing(app: FastifyInstance): (fault: unknown) => Promise<never> {
  return async (fault) => {
    await app.close();
    throw fault;
  };
}

const notFound: Rejection = { code: 'not_found', detail: 'nothing is served at this path' };
const tooMany: Rejection = {
  code: 'unavailable',
  detail: 'this operator has too many connections that wait for an answer: try again',
};
const badPath: Rejection = { code: 'malformed_request', detail: 'the path is not valid percent-encoded UTF-8' };
const badBody: Rejection = { code: 'malformed_request', detail: 'the body must be a JSON object in UTF-8' };
const doubled: Rejection = { code: 'malformed_request', detail: 'a parameter or a JSON member occurs twice' };
const illFormed: Rejection = {
  code: 'malformed_request',
  detail: 'a text has half of a surrogate pair, which is no character',
};
const notJson: Rejection = { code: 'unsupported_media_type', detail: 'the body must be application/json' };

/** An error that the body reader passes to fastify's error handler. */
class RefusedBody extends Error {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.code);
    this.rejection = rejection;
  }
}

function readBodiesExactly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, ({ headers, routeOptions }, body, done) => {
    const unreadable = checkBodyCoding(headers);
    const octets = typeof body === 'string' ? Buffer.from(body) : body;
    const read = unreadable ? refused(unreadable) : readBody(octets, hasText in routeOptions.config);
    if (read.ok) done(null, read.value);
    else done(new RefusedBody(read.error));
  });
}

/** Marks a route whose operation takes a message's text. The encoder then reports characters that it cannot encode. */
const hasText = 'hasText';

function readBody(octets: Buffer, isMessage: boolean): Result<unknown, Rejection> {
  let text: string;
  let content: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
    content = text === '' ? undefined : readJson(text);
  } catch {
    return refused(badBody);
  }
  if (doubledMember(text, content) !== undefined) return refused(doubled);
  const except = isMessage && typeof content === 'object' && content !== null ? content : undefined;
  return illFormedMember(text, content, except && { of: except, member: 'text' }) === undefined
    ? ok(content)
    : refused(illFormed);
}

/** The fields of a request. Numbers of a JSON body keep their digits, so that amounts are exact. */
type Fields = { readonly [field: string]: unknown };

/** A method and a path of the operator's API, with their handler. */
interface Served {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly rights: Pick<Operation, 'role' | 'isForSessions' | 'bodyMax'>;
  /** Whether the body has the text of a message. */
  readonly isMessage?: boolean;
  /** Whether the answer, or its entry in the audit log, depends on the caller beyond the role. */
  readonly isOfCaller: boolean;
  readonly answer: (fields: Fields, caller: Caller) => Promise<Result<Json, Rejection>>;
  /** The list operation of this path, if its rows can also be answered as CSV or JSON lines. */
  readonly list?: Bound;
}

function servedOf(operator: OperatorNeeds): readonly Served[] {
  const declared = bound.map((each): Served => {
    const { method, path } = each.operation;
    return {
      method,
      url: `${adminBase}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      rights: each.operation,
      isMessage: Object.hasOwn(each.operation.input, 'text'),
      isOfCaller: path.startsWith('/whoami') || each.operation.discloses,
      answer: async (fields, caller) => {
        const done = await perform(each, { ...operator, caller }, fields);
        return done.ok ? ok(answerJson(each.operation, done.value, caller.role)) : done;
      },
      ...(each.operation.isPage && { list: each }),
    };
  });
  return declared;
}

/** The end of further paths that serve lists as CSV. A link in a web page cannot ask for CSV with the header Accept. */
const csvEnd = '.csv';

function withCsv(served: Served): readonly Served[] {
  return served.list ? [served, { ...served, url: `${served.url}${csvEnd}` }] : [served];
}

function addRoutes(
  app: FastifyInstance,
  { operator, admission, live }: { operator: OperatorNeeds; admission: Admission; live: LiveAnswers },
): void {
  const methodsOf = new Map<string, HTTPMethods[]>();
  for (const { method, url, rights, isMessage, isOfCaller, answer, list } of servedOf(operator).flatMap(withCsv)) {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), method]);
    app.route({
      method,
      url,
      config: isMessage === true ? { [hasText]: true } : {},
      ...(rights.bodyMax !== undefined && { bodyLimit: rights.bodyMax }),
      // Checks the rights before the body is read.
      onRequest: async (request, reply) => {
        const rejection = admission.check(request, rights);
        return rejection && refuse(reply, rejection);
      },
      handler: async (request, reply) => {
        const fields = fieldsOf(request);
        if (!fields.ok) return refuse(reply, fields.error);
        const caller = admission.callerOf(request);
        const form = list && (url.endsWith(csvEnd) ? csvForm : formOf(request.headers.accept));
        if (list && form) {
          const rows = await startRows(list, { ...operator, caller }, { given: fields.value, form });
          return rows.ok
            ? write(reply.type(`${form.type}; charset=utf-8`), Readable.from(rows.value))
            : refuse(reply, rows.error);
        }
        if (!list && method === 'GET' && isStreamWanted(request.headers.accept)) {
          const stream = live.open({
            name: `${request.url} ${caller.role} ${isOfCaller ? JSON.stringify(caller) : ''}`,
            ask: () => answer(fields.value, caller),
            party: partyOf(caller),
            isAllowed: () => admission.isStillAdmitted(request),
          });
          if (!stream.ok) return refuse(reply, stream.error);
          reply.raw.once('close', stream.value.close);
          return write(reply.type('text/event-stream; charset=utf-8'), Readable.from(stream.value.events));
        }
        const done = await answer(fields.value, caller);
        if (!done.ok) return refuse(reply, done.error);
        const { late } = operator.nodes;
        if (method !== 'GET' && late.length > 0) reply.header(lateNodesHeader, late.join(', '));
        return succeed(reply, writeJson(done.value));
      },
    });
  }
  for (const [path, served] of methodsOf) refuseOthers(app, path, served);
}

/**
 * Reads the fields of a request: from the path, the query, and the body of a POST or PATCH. `parseForm` reads the
 * query, because fastify keeps escapes that are not UTF-8 as text.
 */
function fieldsOf(request: FastifyRequest): Result<Fields, Rejection> {
  const path = membersOf(request.params);
  const [, ...queries] = request.url.split('?');
  const parsed = parseForm(queries.join('?'), {});
  if (!parsed.ok) return parsed;
  const query = parsed.value;
  const hasBody = request.method === 'POST' || request.method === 'PATCH';
  const body = hasBody ? request.body : undefined;
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) return refused(badBody);
  const fields = { ...query, ...membersOf(body), ...path };
  const given = [query, membersOf(body), path].reduce((sum, each) => sum + Object.keys(each).length, 0);
  return Object.keys(fields).length < given ? refused(doubled) : ok(fields);
}

function membersOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The rejection for an error that fastify or the body reader found in a request. */
function rejectionOf(error: unknown, bodyLimit = bodyMax): Rejection {
  if (error instanceof RefusedBody) return error.rejection;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) {
    return { code: 'too_large', status, detail: `the body must have at most ${bodyLimit} octets` };
  }
  if (status === 415) return notJson;
  return status === 400 ? badBody : { code: 'internal_error' };
}
