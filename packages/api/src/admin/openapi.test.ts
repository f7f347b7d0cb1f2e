import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../fields/exact-json.ts';
import { readValues } from '../fields/field.ts';
import type { Operation } from './resource.ts';
import { adminOpenApi, exampleOf } from './openapi.ts';
import { resources } from './resources.ts';

const operations = Object.entries(resources).flatMap(([name, { operations: all }]) =>
  Object.entries<Operation>(all).map(([verb, operation]) => [`${name}.${verb}`, operation] as const),
);

describe('every declared operation', () => {
  for (const [name, { method, path, input, command }] of operations) {
    it(`${name} takes the fields that its path and its command name, and its own example`, () => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);
      for (const field of [...named, ...(command?.arguments ?? [])]) assert.ok(Object.hasOwn(input, field), field);
      const example = exampleOf(input);
      const read = example === undefined ? undefined : readValues(input, example);
      assert.ok(read === undefined || read.ok, read?.ok === false ? read.error.detail : '');
      assert.ok(path.startsWith('/') && !path.startsWith('/admin'), `${method} ${path}`);
    });
  }

  it('has a path and method that no other operation has', () => {
    const places = operations.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    assert.equal(new Set(places).size, places.length);
  });
});

it('the document names each operation once', () => {
  const document: { readonly [member: string]: unknown } = { ...Object(adminOpenApi('1.0.0')) };
  assert.equal(document['openapi'], '3.1.0');
  const ids = [...writeJson(adminOpenApi('1.0.0')).matchAll(/"operationId":"([^"]+)"/g)].map(([, id = '']) => id);
  assert.deepEqual(ids.toSorted(), operations.map(([name]) => name).toSorted());
});

it('the example of number.set has an account or is shared, but not both', () => {
  assert.deepEqual(Object.keys(exampleOf(resources.number.operations.set.input) ?? {}), ['number', 'kind', 'account']);
});

it('the document declares that a top-up is more than 0', () => {
  const { amount } = resources.posting.operations.topUp.input;
  assert.equal(amount.schema.exclusiveMinimum, 0);
  assert.ok(readValues({ amount }, { amount: '-1' }).ok, 'the operation itself refuses it, with advice');
});
