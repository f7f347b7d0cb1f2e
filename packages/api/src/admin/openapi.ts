import { adminBase } from './client.ts';
import type { Json } from './exact-json.ts';
import { describedSchema, objectSchema, type FieldTable, type JsonSchema } from './field.ts';
import { resources } from './resources.ts';
import { fieldsInPath, searchedTo, type Operation, type Operations } from './resource.ts';

/* The OpenAPI 3.1 document of the operator's HTTP API. It is generated from the declared resources. */

/** The document that the gateway serves at `/admin/v1/openapi.json`. */
export function adminOpenApi(version: string): Json {
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const [name, { operations }] of Object.entries(resources)) {
    const all: Operations = operations;
    for (const [verb, operation] of Object.entries(all)) {
      const at = `${adminBase}${operation.path}`;
      paths[at] = { ...paths[at], [operation.method.toLowerCase()]: operationItem(name, verb, operation) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Morsel, for operators',
      version,
      description: 'The HTTP API with which operators manage the gateway. The command line calls the same paths.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ operatorKey: [] }],
    tags: Object.entries(resources).map(([name, { summary }]) => ({ name, description: `${summary}.` })),
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: {
        operatorKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An operator key (`morselop_…`, made by `operator-key add`), or the key in the file `operator-key` of the data directory. `x-morsel-role` is the least role that may call an operation, or set a field. Keys cannot call an operation with `x-morsel-sessions-only`. Fields with `x-morsel-personal` are masked or left out for the roles support, finance and viewer.',
        },
      },
    },
  };
}

const problem: JsonSchema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A description of the error for people. The wording may change.' },
    code: { type: 'string', description: 'The kind of problem. Later versions may add other codes.' },
    field: { type: 'string', description: 'The name of the wrong field, if one field is wrong.' },
    requestId: { type: 'string' },
  },
};

function operationItem(resource: string, verb: string, operation: Operation): Json {
  const { path, method, input, summary, role, isChange, isForSessions } = operation;
  const inPath = fieldsInPath(path);
  const others = Object.keys(input).filter((name) => !inPath.includes(name));
  const hasBody = method === 'POST' || method === 'PATCH';
  const parameters = [
    ...inPath.map((name) => parameter(input, name, 'path')),
    ...(hasBody ? [] : others.map((name) => parameter(input, name, 'query'))),
    ...(isChange ? [reason, idempotencyKey] : []),
  ];
  return {
    operationId: `${resource}.${verb}`,
    tags: [resource],
    summary,
    'x-morsel-role': role,
    ...(isForSessions && { 'x-morsel-sessions-only': true }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(hasBody && others.length > 0 ? { requestBody: requestBody(operation, others) } : {}),
    responses: {
      '200': { description: 'Done', content: { 'application/json': answerContent(operation) } },
      default: {
        description: 'The gateway refused the request and changed nothing',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

const reason: Json = {
  name: 'Morsel-Reason',
  in: 'header',
  description: 'The reason for the change, in percent-encoded UTF-8. The audit log stores it.',
  schema: { type: 'string' },
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The idempotency key: a repeated request with the same key changes nothing, and gets the first answer again. An operator’s key is known for 7 days, and a different request of this operator with the same key is refused. The key of a top-up, an adjustment or a message belongs to the account instead.',
  schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
};

function parameter(input: FieldTable, name: string, where: 'path' | 'query'): Json {
  const field = input[name];
  if (field === undefined)
    throw new Error(`the path of an operation names ${name}, but the operation has no such field`);
  const { example } = field.about;
  return {
    name,
    in: where,
    required: where === 'path' || field.need === 'must',
    // A list in a query is separated by commas, as on the command line.
    ...(field.schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: describedSchema(field),
    ...(example === undefined || field.need === 'may' ? {} : { example }),
  };
}

function requestBody({ input }: Operation, names: readonly string[]): Json {
  const table = tableOf(input, names);
  const example = exampleOf(table);
  const required = Object.values(table).some(({ need }) => need === 'must');
  const schema = { ...objectSchema(table), additionalProperties: false };
  return { required, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
}

function answerContent({ answer, isPage }: Operation): Json {
  const row = objectSchema(answer);
  const example = exampleOf(answer);
  if (!isPage) return { schema: row, ...(example === undefined ? {} : { example }) };
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
  return { schema, ...(example === undefined ? {} : { example: { items: [example], next: null } }) };
}

function tableOf(input: FieldTable, names: readonly string[]): FieldTable {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

/** The example of a request; undefined if a required field has no example. */
export function exampleOf(table: FieldTable): { readonly [field: string]: Json } | undefined {
  const shown = Object.entries(table).filter(([, { about, need }]) => about.example !== undefined || need === 'must');
  if (shown.some(([, { about }]) => about.example === undefined)) return undefined;
  return Object.fromEntries(shown.map(([name, { about }]) => [name, about.example]));
}
