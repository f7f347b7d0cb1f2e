import { paths, pathsOf, type EndpointPath } from '@morsel/api/paths.ts';
import { ok } from '@morsel/api/values/result.ts';
import { version } from '../../../runtime/version.ts';
import { Document } from '../../http/document.ts';
import type { HttpRoute, Success } from '../../http/routes.ts';
import type { ClientApi } from '../client-api.ts';
import { clientOperations, type OperationName } from './operations.ts';

/* The routes of the client API: its endpoints, its OpenAPI document and its front page. */

const endpoints: readonly OperationName[] = ['send', 'quote', 'dlr', 'cancel', 'balance'];

/** One endpoint may have several paths. */
export function morselRoutes(api: ClientApi): readonly HttpRoute[] {
  const ofEndpoints = endpoints.flatMap((name) => {
    const { methods } = paths[name];
    const operation = clientOperations[name];
    return pathsOf(paths[name]).map((path): HttpRoute => ({
      path,
      methods,
      run: (incoming) => operation(api, incoming),
    }));
  });
  let openApi: Promise<Document> | undefined;
  return [
    ...ofEndpoints,
    { path: '/', methods: ['GET'], run: async () => ok(frontPage) },
    {
      ...paths.openapi,
      run: async ({ request }) => ok((await (openApi ??= makeOpenApi())).in(request.headers['accept-encoding'])),
    },
  ];
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

/** How long a client may keep the OpenAPI document. It changes with the version of the gateway. */
const openApiCached = 'public, max-age=300';

/** Made at the first request: loading the OpenAPI library at the start would take a quarter of the start's CPU time. */
async function makeOpenApi(): Promise<Document> {
  const { openApiDocument } = await import('@morsel/api/openapi.ts');
  return new Document(Buffer.from(JSON.stringify(openApiDocument(version))), openApiCached);
}
