import { endpoints, pathsOf, type Endpoint } from '@morsel/api/endpoints.ts';
import { openApiDocument } from '@morsel/api/openapi.ts';
import { ok } from '@morsel/api/values/result.ts';
import { version } from '../../../runtime/version.ts';
import { Document } from '../../http/document.ts';
import type { HttpRoute, Success } from '../../http/routes.ts';
import type { ClientApi } from '../client-api.ts';
import { clientOperations, operationNames } from './operations.ts';

/* The routes of the client API: its endpoints, its OpenAPI document and its front page. */

/** One endpoint may have several paths. */
export function morselRoutes(api: ClientApi): readonly HttpRoute[] {
  const ofEndpoints = operationNames.flatMap((name) => {
    const { methods } = endpoints[name];
    const operation = clientOperations[name];
    return pathsOf(endpoints[name]).map((path): HttpRoute => ({
      path,
      methods,
      isPlain: name === 'send' || name === 'dlr',
      run: (incoming) => operation(api, incoming),
    }));
  });
  return [
    ...ofEndpoints,
    { path: '/', methods: ['GET'], run: async () => ok(frontPage) },
    {
      path: endpoints.openapi.path,
      methods: endpoints.openapi.methods,
      run: async ({ request }) => ok(openApi.in(request.headers['accept-encoding'])),
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
${Object.values(endpoints).map(lineOf).join('\n')}
</ul>
<p><a href="${endpoints.openapi.path}">${endpoints.openapi.path}</a> describes all requests and answers.</p>
</html>
`,
};

function lineOf({ path, methods }: Endpoint): string {
  const isOpen = !path.startsWith('/sms/');
  return `<li>${methods.join(' or ')} ${isOpen ? `<a href="${path}">${path}</a>` : path}</li>`;
}

/** A client may keep it for five minutes: it changes with the version of the gateway. */
const openApi = new Document(() => Buffer.from(JSON.stringify(openApiDocument(version))), 'public, max-age=300');
