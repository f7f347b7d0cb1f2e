import assert from 'node:assert/strict';
import { inside } from '@morsel/api/admin/inside.ts';
import { jsonGiven } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/fields/exact-json.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import { resources, type OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf, GivenOf, Operation } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../../src/core/notification/webhook.ts';
import type { CommandOf } from '../../../src/state/commands.ts';
import type { DecidedName, MadeFor } from '../../../src/state/decide/operate.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import { readView, type ViewedName, type ViewInput } from '../../../src/store/views/views.ts';

/** For tests: the command of an operation, with the defaults of its declaration. `made` has what a handler makes. */
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
  const [, { operations }] = Object.entries(resources).find(([name]) => name === resource) ?? assert.fail(operation);
  const declared = new Map<string, Operation>(Object.entries(operations)).get(verb) ?? assert.fail(operation);
  // The fields go through JSON, as in a request over HTTP.
  const read = readValues(declared.input, { ...Object(readJson(writeJson(jsonGiven(declared, { ...given })))) });
  if (!read.ok) assert.fail(JSON.stringify(read.error));
  return { kind: 'operate', operation, at, by, input: inside(operation, read.value), made };
}

const noHash = new Uint8Array(32);

/** For tests: the values that a handler makes for a login. Its password is unknown. */
export const loginWithoutPassword: MadeFor<'login.add'> = {
  secret: '',
  hash: { hash: noHash, salt: noHash, cost: 2, block: 1, lanes: 1 },
  suffix: 'abcd',
};
/** For tests: the command that adds a webhook to acme; `number` is the account's number that the webhook serves. */
export function addWebhook(
  at: Instant,
  given: Partial<GivenOf<OperationNamed<'webhook.add'>>> = {},
  number: Webhook['number'] = null,
): CommandOf<'operate'> {
  const usual = { account: 'acme', url: 'https://example.com/sms', ...given };
  return operate('webhook.add', usual, { at, made: { secret: testSecret, number: ok(number) } });
}

export const testSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;

/** For tests: the answer of an operation's view. */
export async function viewOf<N extends ViewedName>(
  queries: Queries,
  operation: N,
  input: Omit<ViewInput<N>, 'now' | 'caller'>,
): Promise<AnswerOf<OperationNamed<N>>> {
  const read = await readView(queries, operation, { ...input, now: 0, caller: 'test' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name chose the view and its answer
  const found = read as Result<AnswerOf<OperationNamed<N>>, unknown>;
  if (!found.ok) assert.fail(JSON.stringify(found.error));
  return found.value;
}
