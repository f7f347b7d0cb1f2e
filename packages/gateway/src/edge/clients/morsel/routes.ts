import { paths, pathsOf, type EndpointName, type EndpointPath } from '@morsel/api/paths.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Readiness } from '../../../flow/readiness.ts';
import { Document } from '../../document.ts';
import { clientOperations, type Operation } from './operations.ts';
import type { Success } from './successes.ts';

/* Paths of the client API, each with its methods and its operation. */

/** One endpoint may have several paths. */
export interface HttpRoute {
  readonly path: string;
  readonly methods: readonly string[];
  readonly operation: Operation;
}

export type HttpRoutes = ReadonlyMap<string, HttpRoute>;

export interface ReadyNeeds {
  readonly readiness: Pick<Readiness, 'ready'>;
  /** Whether a carrier has a bound link, at any node. */
  readonly hasBoundLink: () => boolean;
}

const asksForCarriers = /[?&]carriers=1(?:&|$)/;

export function makeRoutes(needs: ReadyNeeds): HttpRoutes {
  const byName: Readonly<Record<EndpointName, Operation>> = {
    ...clientOperations,
    health: async () => probes.health(),
    ready: async (_api, { raw }) => probes.ready(needs, raw.url ?? ''),
    openapi: async (_api, { raw }) => ok((await (openApi ??= makeOpenApi())).in(raw.headers['accept-encoding'])),
  };
  let openApi: Promise<Document> | undefined;
  const routes = endpointNames.flatMap((name): HttpRoute[] => {
    const { methods } = paths[name];
    return pathsOf(paths[name]).map((path) => ({ path, methods, operation: byName[name] }));
  });
  const front: HttpRoute = { path: '/', methods: ['GET'], operation: async () => ok(frontPage) };
  return new Map([front, ...routes].map((route) => [route.path, route]));
}

/** The answer to a person who opens the address in a browser. It needs no token, so it says only what is public. */
const frontPage: Success = {
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'" },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Morsel</title>
<h1>Morsel, an SMS gateway</h1>
<p>This is the HTTP API for clients. Requests need a token of an account, but for those with a link:</p>
<ul>
${Object.values(paths).map(lineOf).join('\n')}
</ul>
<p><a href="${paths.openapi.path}">${paths.openapi.path}</a> describes all requests and answers.</p>
</html>
`,
};

function lineOf({ path, methods }: EndpointPath): string {
  const isOpen = !path.startsWith('/sms/');
  return `<li>${methods.join(' or ')} ${isOpen ? `<a href="${path}">${path}</a>` : path}</li>`;
}

/** The answers to load balancers and supervisors. */
export const probes = {
  health: (): Result<string, Rejection> => ok('{"status":"ok"}'),
  ready: ({ readiness, hasBoundLink }: ReadyNeeds, url: string): Result<string, Rejection> => {
    const ready = readiness.ready();
    if (ready.ok && asksForCarriers.test(url) && !hasBoundLink()) return noBoundLink;
    return ready.ok ? ok('{"status":"ready"}') : ready;
  },
};

/** Whether a load balancer requests this route. Only such routes have the method HEAD. */
export function isProbe({ methods }: Pick<HttpRoute, 'methods'>): boolean {
  return methods.includes('HEAD');
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

/** How long a client may keep the OpenAPI document. It changes with the version of the gateway. */
const openApiCached = 'public, max-age=300';

/** Made at the first request: loading the OpenAPI library at the start would take a quarter of the start's CPU time. */
async function makeOpenApi(): Promise<Document> {
  const { openApiDocument } = await import('@morsel/api/openapi.ts');
  return new Document(Buffer.from(JSON.stringify(openApiDocument(manifest.version))), openApiCached);
}

/** Finds the route of a request target (RFC 9112, section 3.2). */
export function findRoute(routes: HttpRoutes, target: string): Result<HttpRoute, Rejection> {
  const end = target.indexOf('?');
  const asWritten = routes.get(end === -1 ? target : target.slice(0, end));
  if (asWritten) return ok(asWritten);
  const path = decodePath(target);
  if (path === undefined) return badPath;
  const route = routes.get(path);
  return route ? ok(route) : notFound;
}

/** A target in absolute form: its scheme, its authority and its path. */
const absoluteForm = /^https?:\/\/[^/?#]+([^?#]*)(?:\?[^#]*)?$/i;

/** The path without percent-escapes. Undefined if the target or an escape is invalid. */
function decodePath(target: string): string | undefined {
  let path = target.split(/[?#]/, 1)[0] ?? '';
  if (/^https?:\/\//i.test(target)) {
    const absolute = absoluteForm.exec(target);
    if (!absolute || !URL.canParse(target)) return undefined;
    path = absolute[1] || '/';
  }
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

const noBoundLink = refused<Rejection>({
  code: 'unavailable',
  detail: 'no carrier of the service has a bound link: messages are accepted and wait',
});
const notFound = refused<Rejection>({ code: 'not_found', detail: 'nothing is served at this path' });
const badPath = refused<Rejection>({
  code: 'malformed_request',
  detail: 'the path is not valid percent-encoded UTF-8',
});
