import { Type } from 'typebox';
import type { TObject, TSchema } from 'typebox';
import { endpoints, pathsOf } from './endpoints.ts';
import type { Endpoint, EndpointName, NamedHeader } from './endpoints.ts';
import { problems } from './problems.ts';
import type { ProblemCode } from './problems.ts';
import * as shapes from './shapes.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | TSchema };

/** The shapes that the document names; every other schema stands where it is used. */
const named = {
  SendRequest: shapes.SendRequest,
  SendResult: shapes.SendResult,
  DeliveryRequest: shapes.DeliveryRequest,
  CancelRequest: shapes.CancelRequest,
  Quote: shapes.Quote,
  DeliveryReport: shapes.DeliveryReport,
  BalanceRequest: shapes.BalanceRequest,
  Balance: shapes.Balance,
  Status: shapes.Status,
  Problem: shapes.Problem,
} as const satisfies Record<string, TObject>;

/** The OpenAPI 3.1 document of the public door, made from the endpoints, shapes and problems of this package. */
export function openApiDocument(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Morsel',
      version,
      description: 'Send SMS messages, read their delivery reports and the balance.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      names.flatMap((name) => pathsOf(endpoints[name]).map((path) => [path, pathItem(name, path)])),
    ),
    components: {
      schemas: named,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The client token in the `Authorization` header.' },
        auth: {
          type: 'apiKey',
          in: 'query',
          name: 'auth',
          description: 'The client token in the field `auth`: in the query of a GET, in the body of a POST.',
        },
      },
    },
  };
}

const names: readonly EndpointName[] = ['send', 'quote', 'dlr', 'cancel', 'balance', 'health', 'ready', 'openapi'];

function pathItem(name: EndpointName, path: string): Json {
  const endpoint: Endpoint = endpoints[name];
  const suffix = path === endpoint.path ? '' : 'V1';
  return Object.fromEntries(
    endpoint.methods.map((method) => [
      method.toLowerCase(),
      {
        operationId: `${name}${endpoint.methods.length > 1 ? capitalized(method) : ''}${suffix}`,
        summary: endpoint.summary,
        description: endpoint.description,
        ...(endpoint.request
          ? { security: [{ bearer: [] }, { auth: [] }], ...input(endpoint, endpoint.request, method) }
          : {}),
        responses: responses(endpoint),
      },
    ]),
  );
}

function capitalized(method: string): string {
  return method.charAt(0) + method.slice(1).toLowerCase();
}

function input(endpoint: Endpoint, request: TObject, method: 'GET' | 'POST'): { readonly [name: string]: Json } {
  const inHeaders = (endpoint.requestHeaders ?? []).map(({ name, description }) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  if (method === 'POST') {
    const flat = reference(request);
    return {
      ...(inHeaders.length > 0 ? { parameters: inHeaders } : {}),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { anyOf: [flat, { type: 'object', required: ['data'], properties: { data: flat } }] },
          },
          'application/x-www-form-urlencoded': { schema: flat },
        },
      },
    };
  }
  // The token of a GET is in the security schemes.
  const fields = Object.entries<TSchema>(request.properties).filter(([name]) => name !== 'auth');
  return {
    parameters: [
      ...fields.map(([name, schema]) => ({ name, in: 'query', required: !Type.IsOptional(schema), schema })),
      ...inHeaders,
    ],
  };
}

function responses(endpoint: Endpoint): Json {
  const bad = new Map<number, ProblemCode[]>();
  for (const code of endpoint.problems) {
    for (const status of problems[code].statuses) bad.set(status, [...(bad.get(status) ?? []), code]);
  }
  return {
    '200': {
      description: 'Success',
      headers: { ...headers, ...headersOf(endpoint.responseHeaders ?? []) },
      content: {
        'application/json': { schema: endpoint.response ? reference(endpoint.response) : { type: 'object' } },
      },
    },
    ...Object.fromEntries(
      [...bad].map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
          headers: codes.includes('rate_limited') ? { ...headers, ...rateLimitHeaders } : headers,
          content: { 'application/problem+json': { schema: reference(shapes.Problem) } },
        },
      ]),
    ),
  };
}

function headersOf(list: readonly NamedHeader[]): { readonly [name: string]: Json } {
  return Object.fromEntries(list.map(({ name, description }) => [name, { description, schema: { type: 'string' } }]));
}

const headers = {
  'X-Request-Id': { description: 'Names this request in the logs of the service.', schema: { type: 'string' } },
};

const rateLimitHeaders = {
  'Retry-After': { description: 'Seconds until the message fits.', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description: 'The limit by the name of its rule: `q` of it in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of it (`r`), and in how many seconds more is (`t`).',
    schema: { type: 'string' },
  },
};

function reference(shape: TObject): Json {
  const found = Object.entries(named).find(([, schema]) => schema === shape);
  if (!found) throw new Error('an endpoint uses a shape that the document does not name');
  return { $ref: `#/components/schemas/${found[0]}` };
}
