import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { endpoints, pathsOf, type Endpoint } from './endpoints.ts';
import { examples } from './examples.ts';
import { notifications } from './notifications.ts';
import { openApiDocument } from './openapi.ts';
import { problems, type ProblemKind } from './problems.ts';

// The document as a client gets it: written as JSON and read again.
const document: Document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));

interface Document {
  openapi: string;
  info: { version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, TSchema> };
}

interface Operation {
  operationId: string;
  parameters?: { name: string; required: boolean; style?: string; explode?: boolean }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

interface Content {
  schema: { allOf?: [unknown, { properties: { code: { enum: string[] } } }] };
  examples?: Record<string, { value: unknown }>;
  encoding?: unknown;
}

describe('openApiDocument', () => {
  it('is OpenAPI 3.1 of the given version', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '1.2.3');
  });

  it('has every path with its methods, and no other path', () => {
    const served = Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item).toSorted()]);
    const declared = Object.values(endpoints).flatMap((endpoint) =>
      pathsOf(endpoint).map((path) => [path, endpoint.methods.map((method) => method.toLowerCase())]),
    );
    assert.deepEqual(served, declared);
  });

  it('gives every operation a unique name', () => {
    const ids = operations().map((operation) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('refers only to schemas that it has', () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
    assert.ok(references.length > 20);
    for (const reference of new Set(references)) {
      const name = /"#\/components\/schemas\/(\w+)"/.exec(reference)?.[1];
      assert.ok(name !== undefined && name in document.components.schemas, reference);
    }
  });

  it('describes lists in a query and in a form as texts with commas', () => {
    const { get, post } = document.paths['/sms/send'] ?? {};
    const lists = get?.parameters?.filter(({ explode }) => explode === false);
    assert.deepEqual(
      lists?.map(({ name, style }) => [name, style]),
      [
        ['tags', 'form'],
        ['callbackEvents', 'form'],
      ],
    );
    const form = post?.requestBody?.content['application/x-www-form-urlencoded'];
    const commas = { style: 'form', explode: false };
    assert.deepEqual(form?.encoding, { tags: commas, callbackEvents: commas });
  });

  it('answers every error as a problem, under the statuses of its code', () => {
    for (const item of Object.values(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        for (const [status, response] of Object.entries(operation.responses)) {
          const expected = status === '200' ? 'application/json' : 'application/problem+json';
          assert.deepEqual(Object.keys(response.content ?? {}), method === 'head' ? [] : [expected]);
        }
      }
    }
    assert.equal(statusesOf('post'), '200 400 401 402 403 408 409 413 414 415 422 429 431 500 503');
    assert.equal(statusesOf('get'), '200 400 401 402 403 408 409 414 422 429 431 500 503');
  });

  it('lists every problem code of every operation, under its status and with its meaning', () => {
    const listed = new Set<string>();
    for (const endpoint of Object.values(endpoints)) {
      const ofOperation = new Set<string>();
      const item = document.paths[endpoint.path];
      // A POST has the refusals of a GET, and those of its body.
      const responses = [item?.['get'], item?.['post']].flatMap((each) => Object.entries(each?.responses ?? {}));
      for (const [status, { description, content }] of responses) {
        for (const code of content?.['application/problem+json']?.schema.allOf?.[1].properties.code.enum ?? []) {
          const kind: ProblemKind | undefined = new Map<string, ProblemKind>(Object.entries(problems)).get(code);
          assert.ok(kind && kind.statuses.includes(Number(status)), `${code} is not ${status}`);
          assert.ok(description.includes(`\`${code}\`: ${kind.meaning}`), code);
          ofOperation.add(code);
          listed.add(code);
        }
      }
      assert.deepEqual([...ofOperation].toSorted(), [...endpoint.problems].toSorted(), endpoint.path);
    }
    const elsewhere = Object.keys(problems).filter((code) => !listed.has(code));
    assert.deepEqual(elsewhere, ['not_found', 'method_not_allowed']);
    for (const code of elsewhere) assert.ok(document.info.description.includes(`\`${code}\``));
  });

  it('has examples of every operation, which fit its schemas', () => {
    for (const [name, cases] of Object.entries(examples)) {
      const endpoint: Endpoint = new Map<string, Endpoint>(Object.entries(endpoints)).get(name) ?? assert.fail(name);
      for (const { request, response } of cases) {
        assert.equal(request === undefined, endpoint.request === undefined, name);
        if (endpoint.request) assert.ok(fits(endpoint.request, request), `${name}: its request`);
        if (endpoint.response) assert.ok(fits(endpoint.response, response), `${name}: its answer`);
      }
    }
  });

  it('describes the notifications of webhooks, with an example of each kind', () => {
    assert.deepEqual(Object.keys(document.webhooks), ['inbound', 'receipt', 'alert']);
    for (const [name, { shape, example }] of Object.entries(notifications)) {
      assert.ok(fits(shape, example), name);
      const operation = document.webhooks[name]?.post;
      assert.deepEqual(
        operation?.parameters?.map((parameter) => parameter.name),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      );
      assert.deepEqual(operation?.requestBody?.content['application/json']?.examples?.[name]?.value, example);
      assert.deepEqual(Object.keys(operation?.responses ?? {}), ['410', '2XX', 'default']);
    }
  });
});

describe('problems', () => {
  it('have error statuses, and a title without a full stop', () => {
    for (const [code, { statuses, title, meaning }] of Object.entries(problems)) {
      for (const status of statuses) assert.ok(status >= 400 && status < 600, code);
      assert.match(title, /[^.]$/, code);
      assert.match(meaning, /\.$/, code);
    }
  });
});

describe('shapes', () => {
  const send = { auth: 't', sender: '+41791112233', receiver: '+41791112234', text: 'Hi', dcs: 'GSM' };
  const rows = [
    ['the request of the interface', 'SendRequest', send, true],
    ['numbers as integers', 'SendRequest', { ...send, sender: 12345, receiver: 41791112234 }, true],
    ['a planned flash message', 'SendRequest', { ...send, sendAt: '2026-01-02T03:04:05.678+01:00', flash: true }, true],
    ['a plan without its place on earth', 'SendRequest', { ...send, sendAt: '2026-01-02T03:04:05' }, false],
    ['a request without text', 'SendRequest', { ...send, text: '' }, false],
    ['another dcs', 'SendRequest', { ...send, dcs: 'BIN' }, false],
    ['a balance', 'Balance', { clientBalance: -1.5, clientCurrency: 'EUR' }, true],
  ] as const;
  for (const [name, shape, value, valid] of rows) {
    it(`${valid ? 'take' : 'refuse'} ${name}`, () => assert.equal(fits(shape, value), valid));
  }
});

/** Whether a value fits a schema of the document. */
function fits(schema: string, value: unknown): boolean {
  return Value.Check(document.components.schemas[schema] ?? assert.fail(schema), value);
}

function operations(): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

function statusesOf(method: string): string {
  return Object.keys(document.paths['/sms/send']?.[method]?.responses ?? {}).join(' ');
}
