import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { adminBase } from '@morsel/api/admin/client.ts';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { call, gateway, post } from '../../../test/support/gateway/admin-api.ts';
import type { HttpAnswer } from '../../../test/support/clients/http-client.ts';
import { done } from '../../../test/support/done.ts';
import { propertyRuns } from '../../../test/support/store/store.ts';
import { operatorCalls } from './handlers.ts';

/* Odd texts and objects in every field of every declared operation. */

const operations = Object.entries(resources).flatMap(([name, { operations: all }]) =>
  Object.entries<Operation>(all).map(([verb, operation]) => [`${name}.${verb}`, operation] as const),
);

type Fields = { readonly [field: string]: Json };

/** The cookie of a session, for operations that an operator key may not call. */
let cookie = '';
let origin = '';

/** The index of the odd object that the next field gets over HTTP. */
let turn = 0;

function examplesOf({ input }: Pick<Operation, 'input'>): Fields {
  const needed = Object.entries(input).filter(([, { need }]) => need === 'must');
  return Object.fromEntries(needed.map(([name, { about }]) => [name, loopback[name] ?? about.example ?? 'words']));
}

/**
 * Sends a request as its caller would, in path, query and body. Fields without an odd value have the values of the
 * examples.
 */
async function send({ method, path, input, isForSessions }: Operation, odd: Fields, more = {}): Promise<HttpAnswer> {
  const headers = isForSessions ? { ...more, cookie, origin } : more;
  const left: { [field: string]: Json } = { ...examplesOf({ input }), ...odd };
  const target = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = left[field];
    delete left[field];
    return encoded(value);
  });
  if (method === 'POST' || method === 'PATCH')
    return call(method, adminBase + target, { body: writeJson(left), headers });
  const query = Object.entries(left)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return call(method, `${adminBase}${target}?${query.join('&')}`, { headers });
}

/** Replaces examples that would make the gateway connect to another machine. */
const loopback: Fields = { host: '127.0.0.1', port: 1, url: 'http://127.0.0.1:59999/', webhook: '1' };

/**
 * Percent-encodes a value as UTF-8. Unlike `encodeURIComponent`, writes half of a surrogate pair as three octets
 * (CESU-8).
 */
function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : writeJson(value);
  return text.replaceAll(/\p{Cs}|[^\p{Cs}]+/gu, (some) => {
    if (some.isWellFormed()) return encodeURIComponent(some);
    const unit = some.charCodeAt(0);
    return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]
      .map((octet) => `%${octet.toString(16)}`)
      .join('');
  });
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 64 }),
  fc.string({ unit: 'grapheme', maxLength: 64 }),
  fc.constantFrom(
    '\ufeffwords',
    'words\ufffe\uffff',
    'a\u0000b',
    'a\u202eb\u2066c',
    'e\u0301\u0301',
    '\u{1f600}\u{10ffff}',
    '\u0085\u2028',
    "'; drop table audit_entry; --",
    '%s%00\\u0000',
    'é'.repeat(200),
    'x'.repeat(3_000),
  ),
);
const halfText = fc
  .tuple(fc.string(), fc.integer({ min: 0xd800, max: 0xdfff }))
  .map(([text, half]) => `${text}${String.fromCharCode(half)}`);

/** Objects with the names of members that every object inherits. `JSON.parse` makes `__proto__` an ordinary member. */
const oddObjects = [
  ...['toString', 'valueOf', 'constructor', 'hasOwnProperty', '__proto__', 'toJSON', 'length'].map((member) =>
    objectIn(`{"${member}":"x"}`),
  ),
  objectIn('{"__proto__":{"toString":{"toString":1}},"constructor":null}'),
];

function objectIn(text: string): Fields {
  return { ...JSON.parse(text) };
}

describe('odd values', () => {
  before(async () => {
    const link = { host: '127.0.0.1', port: 1, systemId: 'us', password: 'pass' };
    for (const [path, fields] of [
      ['accounts', { name: 'acme', currency: 'EUR', balance: 50 }],
      ['carriers', { name: 'acme', ...link }],
      ['price-lists/acme/prices', { currency: 'EUR', prices: [{ prefix: '41', price: '0.1' }] }],
      ['webhooks', { account: 'acme', url: 'http://127.0.0.1:59999/', allow: ['127.0.0.1'], on: ['receipt'] }],
    ] as const) {
      const { status, text } = await post(`/admin/v1/${path}`, fields);
      assert.equal(status, 200, text);
    }
    const { operator } = operatorCalls(gateway.operator);
    done(await operator.add({ operator: 'odd', role: 'owner' }));
    const secret = done(await operator.signInLink({ operator: 'odd' })).link.replace(/^.*#/, '');
    origin = `http://127.0.0.1:${gateway.adminPort}`;
    const body = JSON.stringify({ link: secret, password: 'correct horse battery' });
    const signedIn = await call('POST', '/console/link', { body, headers: { origin } });
    cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  });

  it('half of a surrogate pair in a JSON text of a field is refused', async () => {
    const template = String.raw`{"constants":{"key":"\ud800"}}`;
    assert.equal((await send(resources.webhook.operations.set, { template })).status, 400);
    const config = String.raw`{"accounts":[{"name":"acme","currency":"EUR","senders":["\ud800"]}]}`;
    const { status, text } = await send(resources.config.operations.plan, { config });
    assert.deepEqual([status, JSON.parse(text).field], [400, 'accounts[0].senders']);
  });

  for (const [name, operation] of operations) {
    it(`${name} refuses half of a surrogate pair in each field, as ill-formed`, async () => {
      const fields = ['unknown', ...Object.keys(operation.input)];
      for (const field of fields) {
        for (const odd of ['a\ud800', '\udfff']) {
          const { status, text } = await send(operation, { [field]: odd });
          const code = field === 'text' && operation.method === 'POST' ? 'text_not_encodable' : 'malformed_request';
          assert.deepEqual([field, status, JSON.parse(text).code], [field, 400, code]);
        }
      }
    });
  }

  for (const [name, operation] of operations) {
    it(`${name} refuses an object in the place of a value, whatever names its members have`, async () => {
      const entries = await numEntries();
      const hasBody = operation.method === 'POST' || operation.method === 'PATCH';
      for (const [field, { need }] of Object.entries(operation.input)) {
        if (operation.path.includes(`{${field}}`)) continue;
        if (need === 'must') await assertRefused(operation, { [field]: undefined }, field, 'missing_parameter');
        const values = oddObjects.flatMap((odd) => [odd, [odd], { fields: odd }, { constants: odd }]);
        for (const [at, value] of hasBody ? values.entries() : []) {
          // Each field gets one of these values over HTTP, and the next field the next one. Each value that the
          // declaration accepts is sent, too.
          const isTaken = readValues(operation.input, { ...examplesOf(operation), [field]: value }).ok;
          if (isTaken || at === turn % values.length) await assertRefused(operation, { [field]: value }, field);
        }
        turn += 1;
      }
      for (const odd of hasBody ? oddObjects : []) assert.equal((await send(operation, odd)).status, 400);
      if (!('template' in operation.input)) assert.equal(await numEntries(), entries, 'what is refused is no change');
    });
  }

  it('every audited operation with odd texts leaves a readable entry in the audit log', async () => {
    // Objects that other operations need are removed last.
    const [removals, others] = [true, false].map((isLast) =>
      operations.filter(([, { isChange, method }]) => isChange && (method === 'DELETE') === isLast),
    );
    const changes = [...(others ?? []), ...(removals ?? [])];
    const written = new Set<string>();
    const texts = fc.array(fc.oneof({ arbitrary: oddText, weight: 3 }, halfText), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (drawn) => {
        let at = 0;
        const next = () => drawn[at++ % drawn.length] ?? '';
        for (const [name, operation] of changes) {
          const headers = { 'morsel-reason': encoded(next()), 'morsel-actor': encoded(next()) };
          const requests = Object.keys(operation.input).map((field) => ({ [field]: next() }));
          const answers = [await send(operation, {}, headers), await send(operation, {})];
          for (const each of requests) answers.push(await send(operation, each));
          for (const { status, text } of answers) assert.notEqual(status, 500, `${name}: ${text}`);
          if (answers.some(({ status }) => status === 200)) written.add(name);
        }
        assert.deepEqual(await faults(), []);
      }),
      { numRuns: propertyRuns(1) },
    );
    assert.ok(written.size > changes.length / 3, [...written].join(', '));
  });
});

/** The error for a wrong member inside an object of a list. */
const ofMembers = '^unknown field';

/** Checks that a request is refused, with the name of the field and a sentence that says what the field must be. */
async function assertRefused(operation: Operation, given: Fields, field: string, code = 'invalid_parameter') {
  const { status, text, body } = await send(operation, given);
  if ('template' in given) {
    // A constant of a webhook may have any name. Then the error may name another field.
    assert.ok(status === 200 || status === 400, text);
    return;
  }
  assert.deepEqual([status, body['code'], body['field']], [400, code, field], `${JSON.stringify(given)}: ${text}`);
  if (code === 'invalid_parameter')
    assert.match(String(body['detail']), new RegExp(`^${field}:? must |${ofMembers}`), text);
}

async function numEntries(): Promise<number> {
  return done(await operatorCalls(gateway.operator).audit.list({ limit: 1_000 })).items.length;
}

async function faults(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let after: string | undefined; ;) {
    const step = await operatorCalls(gateway.operator).audit.verify({ after });
    assert.ok(step.ok);
    found.push(...step.value.faults);
    if (step.value.next === null) return found;
    after = step.value.next;
  }
}
