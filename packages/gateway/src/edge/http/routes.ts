import { METHODS } from 'node:http';
import { endpoints, openApiDocument, pathsOf } from '@morsel/api';
import type { Endpoint, EndpointName } from '@morsel/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import type { Rejection } from '../../core/rejection.ts';
import { ok } from '../../core/result.ts';
import type { Readiness } from '../../flow/readiness.ts';
import { checkBodyHeaders, checkHeadSize } from './head.ts';
import { operations } from './operations.ts';
import type { Operation } from './operations.ts';
import type { Site } from './site.ts';

export interface RouteOptions {
  readonly site: Site;
  readonly readiness: Pick<Readiness, 'ready'>;
}

/** Serves every endpoint of the contract at its paths, and answers whatever else comes. */
export function addRoutes(app: FastifyInstance, { site, readiness }: RouteOptions): void {
  const byName: Readonly<Record<EndpointName, Operation>> = {
    ...operations,
    health: async () => ok('{"status":"ok"}'),
    ready: async () => {
      const ready = readiness.ready();
      return ready.ok ? ok('{"status":"ready"}') : ready;
    },
    openapi: async () => ok(openApi),
  };
  const openApi = Buffer.from(JSON.stringify(openApiDocument(manifest.version)));
  const known = new Set(app.supportedMethods);
  for (const method of METHODS) if (!known.has(method) && method !== 'CONNECT') app.addHttpMethod(method);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => site.refuseBody(error, request, reply));
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) site.refuse(request, reply, notFound);
    else done();
  });

  for (const name of endpointNames) {
    const endpoint: Endpoint = endpoints[name];
    for (const url of pathsOf(endpoint)) addRoute(app, site, { url, endpoint, operation: byName[name] });
  }
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
  readonly endpoint: Endpoint;
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
    // Before the body is read, and whatever its size.
    onRequest: (request, reply) => site.refuse(request, reply, refusal),
    handler,
  });
}

const notFound: Rejection = { code: 'not_found', detail: 'nothing is served at this path' };
