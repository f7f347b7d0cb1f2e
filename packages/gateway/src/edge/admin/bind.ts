import type { Json } from '@morsel/api/fields/exact-json.ts';
import { forbiddenField, jsonOf, readValues, type Slip } from '@morsel/api/fields/field.ts';
import { seesPersonal, type Role } from '@morsel/api/admin/access/role.ts';
import type { Resources } from '@morsel/api/admin/resources.ts';
import {
  searchedTo,
  settingsOf,
  type AnswerOf,
  type InputOf,
  type Operation,
  type Page,
} from '@morsel/api/admin/resource.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../core/base/rejection.ts';
import type { Caller } from '../../core/account/caller.ts';
import { runAudited } from './access/audit.ts';
import { hashOperation } from './access/repeats.ts';
import { hidePersonal } from './access/personal.ts';
import type { DecidedName, MadeFor } from '../../state/decide/operate.ts';
import type { ViewedName } from '../../store/views/views.ts';
import { malformed } from '../http/request/malformed.ts';
import type { OperatorNeeds } from './operator-needs.ts';

/* Connects a declared operation to its handler: reads the request, calls the handler with typed values, and writes the answer. */

type Handler<O> = (needs: OperatorNeeds, input: InputOf<O>) => Promise<Result<AnswerOf<O>, Rejection>>;

/** The operations that only need their decision: nothing outside of the store, such as random octets, is made. */
type DecidedAlone = { [N in DecidedName]: MadeFor<N> extends undefined ? N : never }[DecidedName];

/** The operations that need no handler: their decision or their view makes the answer from the input alone. */
type Direct<R extends keyof Resources> = {
  [O in keyof Resources[R]['operations'] & string]: `${R}.${O}` extends DecidedAlone | ViewedName ? O : never;
}[keyof Resources[R]['operations'] & string];

/**
 * The handlers of a resource: one for each of its operations that needs work outside of the store, such as random octets or
 * a dialled address. Handlers get typed values and return typed rows.
 */
export type Handlers<R extends keyof Resources> = {
  readonly [O in Exclude<keyof Resources[R]['operations'], Direct<R>>]: Handler<Resources[R]['operations'][O]>;
} & { readonly [O in Direct<R>]?: Handler<Resources[R]['operations'][O & keyof Resources[R]['operations']]> };

export interface Bound {
  /** The resource and the operation, such as `account.set`. */
  readonly name: string;
  readonly operation: Operation;
  readonly handle: (needs: OperatorNeeds, input: unknown) => Promise<Result<unknown, Rejection>>;
}

/** Reads the input of an operation, and runs the operation. Every operation of the operator's API runs through this function. */
export async function perform(
  { name, operation, handle }: Bound,
  needs: OperatorNeeds,
  given: { readonly [field: string]: unknown },
): Promise<Result<unknown, Rejection>> {
  const all = withKey(operation, needs, given);
  if (!all) return twoKeys;
  const forbidden = forbiddenField(operation.input, all, needs.caller.role);
  if (forbidden) return refused(notBy(needs.caller, forbidden));
  const read = readValues(operation.input, all);
  if (!read.ok) return refused(named(rejectionOf(read.error)));
  const settings = Object.keys(settingsOf(operation));
  if (settings.length > 0 && settings.every((each) => given[each] === undefined)) {
    const [field = ''] = Object.keys(operation.input);
    return invalid(field, `name a setting to change: ${settings.join(', ')}`);
  }
  const run = (inner: OperatorNeeds) => handle(inner, read.value);
  const request = { name, input: operation.input, values: read.value, given: Object.keys(given) };
  const isDisclosure = operation.discloses && seesPersonal(needs.caller.role) && !needs.disclosures.has(needs, request);
  const done = operation.isChange
    ? await runOnce({ operation, needs }, request, run)
    : isDisclosure
      ? await runAudited(needs, request, run)
      : await run(needs);
  if (isDisclosure && done.ok) needs.disclosures.add(needs, request);
  return done.ok ? done : refused(named(done.error));
}

/** Runs a change once for each idempotency key. An operation with a field for the key checks repeats itself. */
async function runOnce(
  { operation, needs }: { readonly operation: Operation; readonly needs: OperatorNeeds },
  request: Parameters<typeof runAudited>[1],
  run: Parameters<typeof runAudited>[2],
): Promise<Result<unknown, Rejection>> {
  const { idempotencyKey: key, ...caller } = needs.caller;
  // The key of the header belongs to the whole request. Operations that an apply runs inside must not use it.
  const inner = { ...needs, caller: { ...caller, idempotencyKey: null } };
  if (key === null || keyFieldOf(operation) !== undefined) return runAudited(inner, request, run);
  const json = jsonOf(request.input, request.values as never);
  const once = { key, hash: hashOperation(request.name, Object(json)) };
  return needs.repeats.once(needs, once, () => runAudited(inner, { ...request, once }, run));
}

function keyFieldOf({ input }: Operation): string | undefined {
  return Object.keys(input).find((name) => input[name]?.about.isIdempotencyKey === true);
}

const twoKeys = malformed('the request has two different idempotency keys: send only one');

/** The fields of a request, with the idempotency key of its header. Undefined if header and field differ. */
function withKey<G extends { readonly [field: string]: unknown }>(
  operation: Operation,
  { caller: { idempotencyKey } }: OperatorNeeds,
  given: G,
): G | undefined {
  const field = keyFieldOf(operation);
  if (idempotencyKey === null || field === undefined) return given;
  const own = given[field];
  if (own === undefined) return { ...given, [field]: idempotencyKey };
  return own === idempotencyKey ? given : undefined;
}

function notBy({ name, role }: Caller, field: { readonly name: string; readonly needs: Role }): Rejection {
  const detail = `only the role ${field.needs} may set ${field.name}, and operator ${name} has the role ${role}`;
  return { code: 'forbidden', detail };
}

function rejectionOf({ code, field, detail }: Slip): Rejection {
  return code === 'missing_parameter' ? { code, field } : { code, field, detail };
}

/** If the detail of a rejection begins with `must`, puts the name of the field before it. */
function named(rejection: Rejection): Rejection {
  if (rejection.code !== 'invalid_parameter' || !rejection.detail.startsWith('must ')) return rejection;
  return { ...rejection, detail: `${rejection.field} ${rejection.detail}` };
}

/**
 * Converts an answer to JSON. Hides what the role may not see. The type of the handler guarantees that the answer has
 * the declared fields.
 */
export function answerJson({ answer, isPage }: Operation, value: unknown, role: Role): Json {
  const hide = seesPersonal(role) ? undefined : hidePersonal;
  if (!isPage) return jsonOf(answer, value as never, hide);
  const { items, next, searchedTo: place } = value as Page<never>;
  const shown = { items: items.map((row) => jsonOf(answer, row, hide)), next };
  return place === undefined ? shown : { ...shown, searchedTo: searchedTo.json(place) };
}
