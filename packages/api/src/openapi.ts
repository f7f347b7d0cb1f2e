/* The OpenAPI 3.1 document of the public HTTP API. It is generated from the endpoints, shapes and problems. */

import { Type, type TObject, type TSchema } from 'typebox';
import { endpoints, type Endpoint, type NamedHeader } from './endpoints.ts';
import { examples, type Example } from './examples.ts';
import { notificationHeaders, notifications, type Notification } from './notifications.ts';
import { pathsOf, type EndpointName } from './paths.ts';
import { problems, type ProblemCode } from './problems.ts';
import * as shapes from './shapes.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | TSchema };

/** The shapes that the document names. Other schemas are inline. */
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
  InboundMessage: notifications.inbound.shape,
  ReceiptNotification: notifications.receipt.shape,
  AlertNotification: notifications.alert.shape,
} as const satisfies Record<string, TObject>;

export function openApiDocument(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Morsel',
      version,
      description:
        'Send SMS messages, and read their delivery reports and the balance. Each operation lists its errors. In addition, an unknown path is answered with `not_found` (404), and a wrong method with `method_not_allowed` (405, with `Allow`).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      names.flatMap((name) => pathsOf(endpoints[name]).map((path) => [path, pathItem(name, path)])),
    ),
    webhooks: Object.fromEntries(Object.entries(notifications).map(([name, each]) => [name, webhookItem(name, each)])),
    components: {
      schemas: named,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The client token in the `Authorization` header.' },
        auth: {
          type: 'apiKey',
          in: 'query',
          name: 'auth',
          description: 'The client token in the field `auth`, in the query of a GET or the body of a POST.',
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
          ? { security: [{ bearer: [] }, { auth: [] }], ...input(endpoint, method, examples[name]) }
          : {}),
        responses: responses(endpoint, method, examples[name]),
      },
    ]),
  );
}

function capitalized(method: string): string {
  return method.charAt(0) + method.slice(1).toLowerCase();
}

type Method = Endpoint['methods'][number];

function input(endpoint: Endpoint, method: Method, cases: readonly Example[]): { readonly [name: string]: Json } {
  const { request } = endpoint;
  if (!request) return {};
  const inHeaders = (endpoint.requestHeaders ?? []).map(({ name, description }) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  const lists = Object.keys(request.properties).filter((name) => isList(request.properties[name]));
  if (method === 'POST') {
    const flat = reference(request);
    return {
      ...(inHeaders.length > 0 ? { parameters: inHeaders } : {}),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { anyOf: [flat, { type: 'object', required: ['data'], properties: { data: flat } }] },
            examples: examplesOf(cases, ({ body, request: fields }) => body ?? fields ?? {}),
          },
          'application/x-www-form-urlencoded': {
            schema: flat,
            examples: examplesOf(
              cases.filter(({ body }) => body === undefined),
              ({ request: fields }) => fields ?? {},
            ),
            ...(lists.length === 0 ? {} : { encoding: Object.fromEntries(lists.map((name) => [name, withCommas])) }),
          },
        },
      },
    };
  }
  // The token of a GET is described in the security schemes.
  const fields = Object.entries<TSchema>(request.properties).filter(([name]) => name !== 'auth');
  const values = cases[0]?.request ?? {};
  return {
    parameters: [
      ...fields.map(([name, schema]) => {
        const example = values[name];
        return {
          name,
          in: 'query',
          required: !Type.IsOptional(schema),
          schema,
          ...(lists.includes(name) ? withCommas : {}),
          ...(example === undefined ? {} : { example }),
        };
      }),
      ...inHeaders,
    ],
  };
}

/** In a query or a form, a list has commas between its items. */
const withCommas = { style: 'form', explode: false };

function isList(schema: unknown): boolean {
  const { type, anyOf = [] }: { type?: unknown; anyOf?: readonly unknown[] } = Object(schema);
  return type === 'array' || anyOf.some(isList);
}

/** Problems that only requests with a body can have. */
const ofBodies: readonly number[] = [413, 415];

function responses(endpoint: Endpoint, method: Method, cases: readonly Example[]): Json {
  const bad = new Map<number, ProblemCode[]>();
  for (const code of endpoint.problems) {
    for (const status of problems[code].statuses) {
      if (method === 'POST' || !ofBodies.includes(status)) bad.set(status, [...(bad.get(status) ?? []), code]);
    }
  }
  // An answer to HEAD has no body.
  const content = (described: Json): { readonly content?: Json } => (method === 'HEAD' ? {} : { content: described });
  return {
    '200': {
      description: 'Success',
      headers: { ...headers, ...headersOf(endpoint.responseHeaders ?? []) },
      ...content({
        'application/json': {
          schema: endpoint.response ? reference(endpoint.response) : { type: 'object' },
          examples: examplesOf(cases, ({ response }) => response),
        },
      }),
    },
    ...Object.fromEntries(
      [...bad].map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
          headers: codes.includes('rate_limited') ? { ...headers, ...rateLimitHeaders } : headers,
          ...content({ 'application/problem+json': { schema: problemOf(codes) } }),
        },
      ]),
    ),
  };
}

function examplesOf(cases: readonly Example[], value: (example: Example) => object): Json {
  return Object.fromEntries(
    cases.map((example) => [example.name, { summary: example.summary, value: { ...value(example) } }]),
  );
}

function problemOf(codes: readonly ProblemCode[]): Json {
  return { allOf: [reference(shapes.Problem), { properties: { code: { enum: codes } } }] };
}

/** The requests that a webhook gets, and the meanings of its answers. */
function webhookItem(name: string, { summary, shape, example }: Notification): Json {
  return {
    post: {
      operationId: `${name}Notification`,
      summary,
      description:
        'A request to the URL that the operator registered for the client. It is a POST with JSON, a POST with a form, or a GET with a query; all have the same names. A notification may come more than once, with the same `webhook-id`.',
      parameters: notificationHeaders.map(({ name: header, description }) => ({
        name: header,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: reference(shape), examples: { [name]: { summary, value: { ...example } } } },
        },
      },
      responses: {
        '2XX': { description: 'The notification is acknowledged. The body is ignored. Answer within 15 seconds.' },
        '410': { description: 'The webhook is switched off until the operator resumes it.' },
        default: {
          description:
            'The notification is tried again for 72 hours: after about 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, and then every 8 h.',
          headers: {
            'Retry-After': {
              description:
                'The earliest time of the next delivery attempt. A wait of more than 4 hours is shortened to 4 hours.',
              schema: { type: 'string' },
            },
          },
        },
      },
    },
  };
}

function headersOf(list: readonly NamedHeader[]): { readonly [name: string]: Json } {
  return Object.fromEntries(list.map(({ name, description }) => [name, { description, schema: { type: 'string' } }]));
}

const headers = {
  'X-Request-Id': { description: 'The id of this request in the logs of the service.', schema: { type: 'string' } },
};

const rateLimitHeaders = {
  'Retry-After': { description: 'The seconds until the client may try again.', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description: 'The name of the rule and its limit: `q` units in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'The remaining units of the limit (`r`), and the seconds until more units are available (`t`).',
    schema: { type: 'string' },
  },
};

function reference(shape: TObject): Json {
  const found = Object.entries(named).find(([, schema]) => schema === shape);
  if (!found) throw new Error('an endpoint uses a shape that has no name in the document');
  return { $ref: `#/components/schemas/${found[0]}` };
}
