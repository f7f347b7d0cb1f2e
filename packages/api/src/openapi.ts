/* The OpenAPI document of the client API. */

import type { Json } from './fields/exact-json.ts';
import type { FieldTable, JsonSchema } from './fields/field.ts';
import { text } from './fields/fields.ts';
import { formEncoding, openApi, reference, type Call, type Response } from './document.ts';
import { endpoints, pathsOf, type Endpoint, type EndpointName } from './endpoints.ts';
import { examples, type Example } from './examples.ts';
import { notificationHeaders, notifications, type Notification } from './notifications.ts';
import { problems, type ProblemCode } from './problems.ts';
import { descriptions, integer, shapes, type ShapeName } from './shapes.ts';

export function openApiDocument(version: string): Json {
  return openApi({
    title: 'Morsel',
    version,
    description:
      'Send SMS messages, and read their delivery reports and the balance. Each operation lists its errors. In addition, an unknown path is answered with `not_found` (404), and a wrong method with `method_not_allowed` (405, with `Allow`).',
    calls: names.flatMap((name) =>
      pathsOf(endpoints[name]).flatMap((path) => endpoints[name].methods.map((method) => callOf(name, path, method))),
    ),
    webhooks: Object.fromEntries(Object.entries(notifications).map(([name, each]) => [name, webhookOf(name, each)])),
    schemas: shapes,
    descriptions,
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The client token in the `Authorization` header.' },
      auth: {
        type: 'apiKey',
        in: 'query',
        name: 'auth',
        description: 'The client token in the field `auth`, in the query of a GET or the body of a POST.',
      },
    },
  });
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are all its members
const names = Object.keys(endpoints) as readonly EndpointName[];

type Method = Endpoint['methods'][number];

function callOf(name: EndpointName, path: string, method: Method): Call {
  const endpoint: Endpoint = endpoints[name];
  const { methods, summary, description, request, requestHeaders } = endpoint;
  const cases = examples[name];
  // The token of a GET is described in the security schemes.
  const { auth: _token, ...inQuery }: FieldTable = request ? shapes[request] : {};
  const suffix = path === endpoint.path ? '' : 'V1';
  return {
    path,
    method,
    about: {
      operationId: `${name}${methods.length > 1 ? capitalized(method) : ''}${suffix}`,
      summary,
      description,
      security: request && [{ bearer: [] }, { auth: [] }],
    },
    ...(method === 'GET' && { inQuery }),
    headers: requestHeaders,
    examples: cases[0].request,
    requestBody: request && method === 'POST' ? bodyOf(request, cases) : undefined,
    responses: responsesOf(endpoint, method, cases),
  };
}

function capitalized(method: string): string {
  return method.charAt(0) + method.slice(1).toLowerCase();
}

function bodyOf(request: ShapeName, cases: readonly Example[]): Json {
  const flat = reference(request);
  const ofForm = cases.filter(({ body }) => body === undefined);
  return {
    required: true,
    content: {
      'application/json': {
        schema: { anyOf: [flat, { type: 'object', required: ['data'], properties: { data: flat } }] },
        examples: examplesOf(cases, ({ body, request: fields }) => body ?? fields),
      },
      'application/x-www-form-urlencoded': {
        schema: flat,
        examples: examplesOf(ofForm, ({ request: fields }) => fields),
        encoding: formEncoding(shapes[request]),
      },
    },
  };
}

/** Problems that only requests with a body can have. */
const ofBodies: readonly number[] = [413, 415];

function responsesOf(endpoint: Endpoint, method: Method, cases: readonly Example[]): Call['responses'] {
  const bad = new Map<number, ProblemCode[]>();
  for (const code of endpoint.problems) {
    for (const status of problems[code].statuses) {
      if (method === 'POST' || !ofBodies.includes(status)) bad.set(status, [...(bad.get(status) ?? []), code]);
    }
  }
  // An answer to HEAD has no body.
  const hasBody = method !== 'HEAD';
  const success = {
    schema: endpoint.response ? reference(endpoint.response) : { type: 'object' },
    examples: examplesOf(cases, ({ response }) => response),
  };
  return {
    '200': {
      description: 'Success',
      headers: { ...headers, ...endpoint.responseHeaders },
      content: hasBody ? { 'application/json': success } : undefined,
    },
    ...Object.fromEntries(
      [...bad].map(([status, codes]): [number, Response] => [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
          headers: codes.includes('rate_limited') ? { ...headers, ...rateLimitHeaders } : headers,
          content: hasBody ? { 'application/problem+json': { schema: problemOf(codes) } } : undefined,
        },
      ]),
    ),
  };
}

function examplesOf(cases: readonly Example[], valueOf: (example: Example) => JsonSchema | undefined): Json {
  return Object.fromEntries(
    cases.map((example) => [example.name, { summary: example.summary, value: valueOf(example) }]),
  );
}

function problemOf(codes: readonly ProblemCode[]): Json {
  return { allOf: [reference('Problem'), { properties: { code: { enum: codes } } }] };
}

/** The requests that a webhook gets, and the meanings of its answers. */
function webhookOf(name: string, { summary, shape, example }: Notification): Omit<Call, 'path'> {
  return {
    method: 'POST',
    about: {
      operationId: `${name}Notification`,
      summary,
      description:
        'A request to the URL that the operator registered for the client. It is a POST with JSON, a POST with a form, or a GET with a query; all have the same names. A notification may come more than once, with the same `webhook-id`.',
    },
    headers: notificationHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: reference(shape), examples: { [name]: { summary, value: example } } } },
    },
    responses: {
      '2XX': { description: 'The notification is acknowledged. The body is ignored. Answer within 15 seconds.' },
      '410': { description: 'The webhook is switched off until the operator resumes it.' },
      default: {
        description:
          'The notification is tried again for 72 hours: after about 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, and then every 8 h.',
        headers: {
          'Retry-After': text({
            summary:
              'The earliest time of the next delivery attempt. A wait of more than 4 hours is shortened to 4 hours',
          }),
        },
      },
    },
  };
}

const headers = { 'X-Request-Id': text({ summary: 'The id of this request in the logs of the service' }) };

const rateLimitHeaders = {
  'Retry-After': integer('The seconds until the client may try again'),
  'RateLimit-Policy': text({
    summary: 'The name of the rule and its limit: `q` units in `w` seconds (draft-ietf-httpapi-ratelimit-headers)',
  }),
  RateLimit: text({
    summary: 'The remaining units of the limit (`r`), and the seconds until more units are available (`t`)',
  }),
};
