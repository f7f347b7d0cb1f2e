import { METHODS } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { paths, pathsOf } from '@morsel/api/paths.ts';
import type { EndpointName, EndpointPath } from '@morsel/api/paths.ts';
import { errorCodes } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Readiness } from '../../flow/readiness.ts';
import { checkBodyHeaders, checkHeadSize } from './request/head.ts';
import { bodyMax } from './connection/limits.ts';
import { clientOperations } from './operations.ts';
import type { Operation } from './operations.ts';
import type { Site } from './site.ts';

/* Serves each endpoint of the client API at its paths, and reads the bodies of requests. */

export interface RouteOptions {
  readonly site: Site;
  readonly readiness: Pick<Readiness, 'ready'>;
}

/** Adds a route for each endpoint; all other paths and methods are refused. */
export function addRoutes(app: FastifyInstance, { site, readiness }: RouteOptions): void {
  const byName: Readonly<Record<EndpointName, Operation>> = {
    ...clientOperations,
    health: async () => ok('{"status":"ok"}'),
    ready: async () => {
      const ready = readiness.ready();
      return ready.ok ? ok('{"status":"ready"}') : ready;
    },
    openapi: async () => ok(await (openApi ??= makeOpenApi())),
  };
  let openApi: Promise<Buffer> | undefined;
  const known = new Set(app.supportedMethods);
  for (const method of METHODS) if (!known.has(method) && method !== 'CONNECT') app.addHttpMethod(method);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => readBody(payload, done));
  app.setErrorHandler((error, request, reply) => site.refuseBody(error, request, reply));
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) site.refuse(request, reply, notFound);
    else done();
  });

  for (const name of endpointNames) {
    const endpoint: EndpointPath = paths[name];
    for (const url of pathsOf(endpoint)) addRoute(app, site, { url, endpoint, operation: byName[name] });
  }
}

/**
 * Makes the OpenAPI document at the first request for it. Loading the OpenAPI library takes a quarter of the CPU time of loading
 * the gateway.
 */
async function makeOpenApi(): Promise<Buffer> {
  const { openApiDocument } = await import('@morsel/api/openapi.ts');
  return Buffer.from(JSON.stringify(openApiDocument(manifest.version)));
}

/**
 * The most pieces of a body that are kept before they are joined. Each piece takes hundreds of octets of memory, and a client may
 * send chunks of one octet.
 */
const piecesMax = 256;

/** Reads a whole body, and refuses a body that is too long. */
function readBody(payload: IncomingMessage, done: (error: Error | null, body?: Buffer) => void): void {
  let pieces: Buffer[] = [];
  let length = 0;
  const hear = (piece: Buffer): void => {
    length += piece.length;
    if (length > bodyMax) {
      end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      return;
    }
    pieces.push(piece);
    if (pieces.length === piecesMax) pieces = [Buffer.concat(pieces)];
  };
  const end = (error?: Error): void => {
    payload.off('data', hear).off('end', end).off('error', end);
    if (error) done(error);
    else done(null, Buffer.concat(pieces));
  };
  payload.on('data', hear).on('end', end).on('error', end);
}

const endpointNames: readonly EndpointName[] = [
  'send',
  'quote',
  'dlr',
  'cancel',
  'balance',
  'health',
  'ready',
  'openapi',
];

interface Route {
  readonly url: string;
  readonly endpoint: EndpointPath;
  readonly operation: Operation;
}

function addRoute(app: FastifyInstance, site: Site, { url, endpoint, operation }: Route): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    void site.serve(operation, request, reply);
  };
  const allowed: readonly string[] = endpoint.methods;
  for (const method of endpoint.methods) {
    app.route({
      method,
      url,
      handler,
      onRequest: (request, reply, done) => {
        const { raw } = request;
        const rejection = checkHeadSize(raw) ?? (method === 'POST' ? checkBodyHeaders(raw) : undefined);
        if (rejection) site.refuse(request, reply, rejection);
        else done();
      },
    });
  }
  const refusal: Rejection = { code: 'method_not_allowed', allow: allowed.join(', ') };
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    // Refuses a wrong method before the body is read, even if the body is large.
    onRequest: (request, reply) => site.refuse(request, reply, refusal),
    handler,
  });
}

const notFound: Rejection = { code: 'not_found', detail: 'nothing is served at this path' };
