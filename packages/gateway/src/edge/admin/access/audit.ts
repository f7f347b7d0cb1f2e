import { hash } from 'node:crypto';
import { jsonOf, type FieldTable } from '@morsel/api/fields/field.ts';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { IdempotencyKey } from '../../../core/message/idempotency.ts';
import type { AuditContext } from '../../../state/decide/access/audit.ts';
import type { Journal } from '../../../store/journal.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { hidePersonal } from './personal.ts';

/*
 * Brings each change of an operator into the audit log. Every command that the handler gives to the journal names the
 * caller, the operation and the reason. So the entry is in the same commit. A handler without a command gets its entry
 * before the answer. So does a handler that discloses personal data.
 */

/** The audit log has only the length and the hash of longer texts, and of lists with more items. */
const textMax = 200;
const itemsMax = 20;

interface Request {
  /** The resource and the operation, such as `account.set`. */
  readonly name: string;
  readonly input: FieldTable;
  readonly values: { readonly [field: string]: unknown };
  readonly given: readonly string[];
  readonly once?: IdempotencyKey;
}

type Run = (needs: OperatorNeeds) => Promise<Result<unknown, Rejection>>;

export async function runAudited(
  needs: OperatorNeeds,
  request: Request,
  run: Run,
): Promise<Result<unknown, Rejection>> {
  const context = contextOf(needs, request);
  const once = request.once && { once: request.once };
  const entry = { isUnderWay: false, isWritten: false };
  const { journal } = needs;
  const append = async (command: Parameters<Journal['append']>[0]) => {
    // A trial changes nothing, so it has no entry.
    if ('isTrial' in command && command.isTrial) return journal.append(command);
    const isFirst = !entry.isUnderWay && !entry.isWritten;
    if (isFirst) entry.isUnderWay = true;
    const done = await journal.append({ ...command, audit: { ...context, isFirst, ...(isFirst && once) } });
    if (isFirst) {
      entry.isUnderWay = false;
      entry.isWritten = done.ok;
    }
    return done;
  };
  const done = await run({ ...needs, journal: { ...withoutAppend(journal), append } });
  if (!done.ok || entry.isWritten || request.values['dryRun'] === true) return done;
  const noted = await journal.append<'note-action'>({
    kind: 'note-action',
    audit: { ...context, isFirst: true, ...once },
  });
  return noted.ok ? done : refused({ code: 'unavailable', detail: `${notNoted}: ${detailOf(noted.error)}` });
}

const notNoted = 'the operation is done, but the audit log could not be written';

function detailOf(rejection: Rejection): string {
  return 'detail' in rejection && rejection.detail !== undefined ? rejection.detail : rejection.code;
}

type Context = Omit<AuditContext, 'isFirst'>;

/** The methods of the journal without `append`; the caller adds an `append` of its own. */
export function withoutAppend(journal: OperatorNeeds['journal']): Omit<OperatorNeeds['journal'], 'append'> {
  return {
    durability: journal.durability,
    clean: (how) => journal.clean(how),
    get statistics() {
      return journal.statistics;
    },
  };
}

function contextOf({ caller, clock }: OperatorNeeds, { name, input, values, given }: Request): Context {
  const { name: operator, role, key: operatorKey, address, requestId, reason } = caller;
  const named = (field: string) => (typeof values[field] === 'string' ? values[field] : null);
  return {
    at: clock.now(),
    operator,
    role,
    operatorKey,
    address,
    requestId,
    operation: name,
    account: named('account'),
    carrier: named('carrier'),
    // Some changes, such as an adjustment, have their reason in a field of the request.
    reason: reason ?? named('reason'),
    given: givenText(input, values, given),
  };
}

/** The request as JSON, without its secrets and personal values. */
export function givenText(input: FieldTable, values: Request['values'], given: readonly string[]): string {
  const fields = Object.entries(input).filter(([name]) => given.includes(name));
  const shown = fields.map(([name, field]): [string, Json] => {
    if (field.about.isSecret === true) return [name, '(secret)'];
    return [name, short(jsonOf({ [name]: field }, values, hidePersonal)[name])];
  });
  return writeJson(Object.fromEntries(shown));
}

function short(json: Json): Json {
  if (typeof json === 'string' && json.length > textMax) return `(${json.length} characters, ${digestOf(json)})`;
  if (Array.isArray(json)) {
    return json.length > itemsMax ? `(${json.length} items, ${digestOf(writeJson(json))})` : json.map(short);
  }
  // A reader of the audit log may read numbers as floats, so amounts are written as texts.
  if (typeof json === 'bigint') return writeJson(json);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([member, value]) => [member, short(value)]));
}

function digestOf(text: string): string {
  return `SHA-256 ${hash('sha256', text)}`;
}
