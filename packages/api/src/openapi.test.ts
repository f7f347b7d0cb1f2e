import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { endpoints, pathsOf } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { problems } from './problems.ts';
import { Balance, DeliveryReport, Problem, SendRequest, SendResult } from './shapes.ts';

// What a client gets is JSON, so that is what is looked at.
const document: Document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

interface Operation {
  operationId: string;
  parameters?: { name: string; required: boolean }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { description: string; content: Record<string, unknown> }>;
}

describe('openApiDocument', () => {
  it('is OpenAPI 3.1 of the given version', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '1.2.3');
  });

  it('has every path with its methods, and nothing else', () => {
    const served = Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item).toSorted()]);
    const declared = Object.values(endpoints).flatMap((endpoint) =>
      pathsOf(endpoint).map((path) => [path, endpoint.methods.map((method) => method.toLowerCase())]),
    );
    assert.deepEqual(served, declared);
    assert.deepEqual(Object.keys(document.paths), [
      '/sms/send',
      '/v1/sms/send',
      '/sms/quote',
      '/v1/sms/quote',
      '/sms/dlr',
      '/v1/sms/dlr',
      '/sms/cancel',
      '/v1/sms/cancel',
      '/sms/balance',
      '/v1/sms/balance',
      '/health',
      '/ready',
      '/openapi.json',
    ]);
  });

  it('gives every operation a name of its own', () => {
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

  it('describes the two inputs of send', () => {
    const send = document.paths['/sms/send'];
    assert.deepEqual(
      send?.['get']?.parameters?.map(({ name, required }) => `${name}${required ? '' : '?'}`),
      [
        'sender',
        'receiver',
        'text',
        'dcs',
        'clientRef?',
        'validity?',
        'sendAt?',
        'flash?',
        'priority?',
        'idempotencyKey?',
        'Idempotency-Key?',
      ],
    );
    assert.deepEqual(Object.keys(send?.['post']?.requestBody?.content ?? {}), [
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
  });

  it('answers every error as a problem, under the statuses of its code', () => {
    for (const operation of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const expected = status === '200' ? 'application/json' : 'application/problem+json';
        assert.deepEqual(Object.keys(response.content), [expected]);
      }
    }
    const statuses = Object.keys(document.paths['/sms/send']?.['get']?.responses ?? {});
    assert.equal(statuses.join(' '), '200 400 401 402 403 408 409 413 414 415 422 429 431 500 503');
  });
});

describe('problems', () => {
  it('have statuses of errors, and a title that does not end like a sentence', () => {
    for (const [code, { statuses, title, meaning }] of Object.entries(problems)) {
      for (const status of statuses) assert.ok(status >= 400 && status < 600, code);
      assert.match(title, /[^.]$/, code);
      assert.match(meaning, /\.$/, code);
    }
  });
});

describe('shapes', () => {
  const send = { auth: 't', sender: '+41791112233', receiver: '+41791112234', text: 'Hi', dcs: 'GSM' };
  const result = {
    msgId: '1023456789012345',
    numParts: 1,
    totalCost: 0.0075,
    clientBalance: 9.9925,
    clientCurrency: 'EUR',
  };
  const report = {
    msgId: '1023456789012345',
    event: 'delivered',
    numParts: 1,
    sendTime: '2026-01-02T03:04:05Z',
    dlrTime: '2026-01-02T03:04:06Z',
  };
  const rows = [
    ['the request of the interface', SendRequest, send, true],
    ['numbers as integers', SendRequest, { ...send, sender: 12345, receiver: 41791112234 }, true],
    ['a planned flash message', SendRequest, { ...send, sendAt: '2026-01-02T03:04:05.678+01:00', flash: true }, true],
    ['a plan without its place on earth', SendRequest, { ...send, sendAt: '2026-01-02T03:04:05' }, false],
    ['a request without text', SendRequest, { ...send, text: '' }, false],
    ['another dcs', SendRequest, { ...send, dcs: 'BIN' }, false],
    ['the five fields of a result', SendResult, result, true],
    ['an id that is a number', SendResult, { ...result, msgId: 1023456789012345 }, false],
    ['the five fields of a report', DeliveryReport, report, true],
    [
      'a report with details',
      DeliveryReport,
      { ...report, parts: [{ part: 1, event: 'sent', dlrTime: report.dlrTime }] },
      true,
    ],
    ['a time with fractions', DeliveryReport, { ...report, dlrTime: '2026-01-02T03:04:06.1Z' }, false],
    ['an unknown event', DeliveryReport, { ...report, event: 'lost' }, false],
    ['a balance', Balance, { clientBalance: -1.5, clientCurrency: 'EUR' }, true],
    ['a problem', Problem, { type: 'urn:x:y', title: 't', status: 400, detail: 'd', code: 'c', requestId: 'r' }, true],
  ] as const;
  for (const [name, shape, value, valid] of rows) {
    it(`${valid ? 'take' : 'refuse'} ${name}`, () => assert.equal(Value.Check(shape, value), valid));
  }
});

function operations(): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}
