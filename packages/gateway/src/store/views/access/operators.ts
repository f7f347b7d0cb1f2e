/* Views of operators and of their keys. The secret part of a key is never read. */

import { ok, refused } from '@morsel/api/values/result.ts';
import { sqlOf } from '../../lookups/texts.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { isSameRequest, type IdempotencyKey } from '../../../core/message/idempotency.ts';
import {
  configStateTable,
  newestConfigState,
  operatorKeyTable,
  operatorRequestTable,
  operatorSignInTable,
  operatorTable,
} from '../../../state/tables/access.ts';
import { integer, nullable, oneOf } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf, type ListInput } from '../page.ts';
import type { Queries } from '../queries.ts';
import { hashingKeyOf, openerOf } from '../sealed.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

const { name, role, createdAt } = operatorTable.members;
const operatorShape = shape({
  operator: name,
  role,
  createdAt,
  keys: integer,
  codes: oneOf(['on', 'off']),
  lastUsedAt: nullable(integer),
});

const columns = `operator.name as operator, operator.role, operator.created_at,
  (select count(*) from operator_key as each where each.operator = operator.name and revoked_at is null) as keys,
  case when exists (select 1 from operator_sign_in as own where own.operator = operator.name and code_secret is not null)
    then 'on' else 'off' end as codes,
  (select max(last_used_at) from operator_key as each where each.operator = operator.name) as last_used_at`;

const list: View<'operator.list'> = async (queries, { after = '', limit }) => {
  const sql = `select ${columns} from operator where name > ? order by name limit ?`;
  const rows = await queries.rows(operatorShape, sql, after, limit + 1);
  return ok(pageOf(rows, limit, ({ operator }) => operator));
};

const show: View<'operator.show'> = async (queries, { operator: wanted }) => {
  const row = await queries.row(operatorShape, `select ${columns} from operator where name = ?`, wanted);
  return row ? ok(row) : refused({ code: 'does_not_exist', detail: `there is no operator named ${wanted}` });
};

interface WantedRequest extends IdempotencyKey {
  readonly operator: string;
  /** Only requests after this instant count; older keys have expired. */
  readonly after: Instant;
}

/** Reads whether a request with this idempotency key was done, when, and whether it was the same request. */
export async function readOperatorRequest(queries: Queries, { operator, key, hash, after }: WantedRequest) {
  const where = 'where operator = ? and key = ? and created_at > ?';
  const known = await queries.first(operatorRequestTable, where, operator, key, after);
  if (!known) return undefined;
  const hashing = await hashingKeyOf(queries);
  return { at: known.createdAt, isSame: isSameRequest(known.hash, hashing.mac(hash)) };
}

const { hash: _hash, ...keyMembers } = operatorKeyTable.members;
const keyShape = shape(keyMembers);

interface WantedKeys extends ListInput {
  readonly operator?: string | undefined;
  readonly kind?: 'session';
}

/** The keys of operators, the newest first. */
async function keysIn(queries: Queries, { operator, kind, after = '', limit }: WantedKeys) {
  const sql = 'select created_at from operator_key where id = ?';
  const madeAt = after === '' ? beforeNewest : ((await queries.value(integer, sql, after)) ?? 0);
  const where = new Where('(created_at, id) < (?, ?)', madeAt, after)
    .given('operator = ?', operator)
    .given('kind = ?', kind);
  const rows = await queries.rows(
    keyShape,
    `select * from operator_key ${where.sql} order by created_at desc, id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return ok(pageOf(rows, limit, ({ id }) => id));
}

const keys: View<'operatorKey.list'> = async (queries, input) => {
  const known = input.operator === undefined ? ok(null) : await show(queries, { ...input, operator: input.operator });
  return known.ok ? keysIn(queries, input) : known;
};

const sessions: View<'operatorKey.sessions'> = (queries, { caller, ...page }) =>
  keysIn(queries, { ...page, operator: caller, kind: 'session' });

export const operatorViews = {
  'operator.list': list,
  'operator.show': show,
  'operatorKey.list': keys,
  'operatorKey.sessions': sessions,
};

/** How an operator signs in, with the secret of one-time codes. Undefined without a password. */
export async function readOperatorSignIn(queries: Queries, operator: string) {
  const row = await queries.first(operatorSignInTable, 'where operator = ?', operator);
  if (!row) return undefined;
  const { id, password, codeSecret, codeStep } = row;
  const open = codeSecret && (await openerOf(queries, null));
  const secret = codeSecret && open?.({ column: 'operator_sign_in.code_secret', id }, codeSecret);
  return { password, codeSecret: secret ?? null, codeStep };
}

/** Whether an owner has a password, and so can sign in to the console. */
export async function readOwnerSignIn(queries: Queries): Promise<boolean> {
  const sql = `select count(*) from operator where role = 'owner'
    and exists (select 1 from operator_sign_in where operator_sign_in.operator = operator.name)`;
  return ((await queries.value(integer, sql)) ?? 0) > 0;
}

export function readConfigState(queries: Queries) {
  return queries.first(configStateTable, sqlOf(newestConfigState), 0);
}
