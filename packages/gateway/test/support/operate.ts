import assert from 'node:assert/strict';
import { jsonGiven } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/admin/exact-json.ts';
import { readValues } from '@morsel/api/admin/field.ts';
import { resources, type OperationNamed } from '@morsel/api/admin/resources.ts';
import type { GivenOf, Operation } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../src/state/commands.ts';
import type { DecidedName, MadeFor } from '../../src/state/decide/operate.ts';

/** For tests: the command of an operation, with the defaults of its declaration. `made` is what a handler makes for it. */
export function operate<N extends DecidedName>(
  operation: N,
  given: GivenOf<OperationNamed<N>>,
  {
    at,
    made,
    by = 'test',
  }: { at: Instant; by?: string } & (MadeFor<N> extends undefined ? { made?: undefined } : { made: MadeFor<N> }),
): CommandOf<'operate'> {
  const [resource = '', verb = ''] = operation.split('.');
  const { operations } = Object.values(resources).find(({ name }) => name === resource) ?? assert.fail(operation);
  const declared = new Map<string, Operation>(Object.entries(operations)).get(verb) ?? assert.fail(operation);
  // As a request over HTTP.
  const read = readValues(declared.input, { ...Object(readJson(writeJson(jsonGiven(declared, { ...given })))) });
  if (!read.ok) assert.fail(JSON.stringify(read.error));
  return { kind: 'operate', operation, at, by, input: read.value, made };
}

const noHash = new Uint8Array(32);

/** For tests: what a handler makes for a login, without a password that anybody could know. */
export const loginWithoutPassword: MadeFor<'login.add'> = {
  secret: '',
  hash: { hash: noHash, salt: noHash, cost: 2, block: 1, lanes: 1 },
  suffix: 'abcd',
};
