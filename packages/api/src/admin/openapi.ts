import { openApi, reference, type Call } from '../document.ts';
import { adminBase } from './client.ts';
import { optional, pick } from '../fields/compose.ts';
import type { Json } from '../fields/exact-json.ts';
import { describedSchema, objectSchema, type FieldTable } from '../fields/field.ts';
import { text } from '../fields/fields.ts';
import { resources } from './resources.ts';
import { fieldsInPath, searchedTo, type Operation } from './resource.ts';
import { descriptions, shapes } from '../shapes.ts';

/* The OpenAPI document of the operators' HTTP API. */

/** The document that the gateway serves at `/admin/v1/openapi.json`. */
export function adminOpenApi(version: string): Json {
  return openApi({
    title: 'Morsel, for operators',
    version,
    description: 'The HTTP API with which operators manage the gateway. The command line calls the same paths.',
    others: {
      security: [{ operatorKey: [] }],
      tags: Object.entries(resources).map(([name, { summary }]) => ({ name, description: `${summary}.` })),
    },
    calls: Object.entries(resources).flatMap(([name, { operations }]) =>
      Object.entries<Operation>(operations).map(([verb, operation]) => callOf(name, verb, operation)),
    ),
    schemas: { Problem: problem },
    descriptions,
    securitySchemes: {
      operatorKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'An operator key (`morselop_…`, made by `operator-key add`), or the key in the file `operator-key` of the data directory. `x-morsel-role` is the least role that may call an operation, or set a field. `x-morsel-repeat` is `key` if a repeated request does the work again unless it has the same `Idempotency-Key`. Keys cannot call an operation with `x-morsel-sessions-only`. Fields with `x-morsel-personal` are masked or left out for the roles support, finance and viewer.',
      },
    },
  });
}

const problem = {
  ...pick(shapes.Problem, 'type', 'title', 'status', 'detail', 'field', 'requestId'),
  code: text({ summary: 'The kind of problem. Later versions may add other codes' }),
};

/** Headers of every request that changes something. */
const ofChanges = {
  'Morsel-Reason': optional(
    text({ summary: 'The reason for the change, in percent-encoded UTF-8. The audit log stores it' }),
  ),
  'Idempotency-Key': optional({
    ...text({
      summary:
        'The idempotency key: a repeated request with the same key changes nothing, and gets the first answer again. An operator’s key is known for 7 days, and a different request of this operator with the same key is refused. The key of a top-up, an adjustment or a message belongs to the account instead',
    }),
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  }),
};

function callOf(resource: string, verb: string, operation: Operation): Call {
  const { path, method, input, summary, role, isChange, isForSessions } = operation;
  const inPath = fieldsInPath(path);
  const others = tableOf(input, (name) => !inPath.includes(name));
  const hasBody = method === 'POST' || method === 'PATCH';
  return {
    path: `${adminBase}${path}`,
    method,
    about: {
      operationId: `${resource}.${verb}`,
      tags: [resource],
      summary,
      'x-morsel-role': role,
      ...(isForSessions && { 'x-morsel-sessions-only': true }),
      ...(operation.repeat && { 'x-morsel-repeat': operation.repeat }),
    },
    inPath: pick(input, ...inPath),
    ...(!hasBody && { inQuery: others }),
    ...(isChange && { headers: ofChanges }),
    requestBody: hasBody && Object.keys(others).length > 0 ? requestBody(others) : undefined,
    responses: {
      '200': { description: 'Done', content: { 'application/json': answerContent(operation) } },
      default: {
        description: 'The gateway refused the request and changed nothing',
        content: { 'application/problem+json': { schema: reference('Problem') } },
      },
    },
  };
}

function requestBody(table: FieldTable): Json {
  const required = Object.values(table).some(({ need }) => need === 'must');
  const schema = { ...objectSchema(table), additionalProperties: false };
  return { required, content: { 'application/json': { schema, example: exampleOf(table) } } };
}

function answerContent({ answer, isPage }: Operation): Json {
  const row = objectSchema(answer);
  const example = exampleOf(answer);
  if (!isPage) return { schema: row, example };
  const schema = {
    type: 'object',
    required: ['items', 'next'],
    properties: {
      items: { type: 'array', items: row },
      next: {
        type: ['string', 'null'],
        description: 'The value of `after` in the request for the next page. It is null on the last page.',
      },
      searchedTo: describedSchema(searchedTo),
    },
  };
  return { schema, example: example && { items: [example], next: null } };
}

function tableOf(input: FieldTable, has: (name: string) => boolean): FieldTable {
  return Object.fromEntries(Object.entries(input).filter(([name]) => has(name)));
}

/** The example of a request; undefined if a required field has no example. */
export function exampleOf(table: FieldTable): { readonly [field: string]: Json } | undefined {
  const shown = Object.entries(table).filter(([, { about, need }]) => about.example !== undefined || need === 'must');
  if (shown.some(([, { about }]) => about.example === undefined)) return undefined;
  return Object.fromEntries(shown.map(([name, { about }]) => [name, about.example]));
}
