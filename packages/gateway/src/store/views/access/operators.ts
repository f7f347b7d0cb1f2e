/* Views of operators and of their keys. The secret part of a key is never read. */

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
import { integer, nullable } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf, type ListInput, type Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { hashingKeyOf, openerOf } from '../sealed.ts';
import { Where } from '../where.ts';

const operatorShape = shape({ ...operatorTable.members, keys: integer, lastUsedAt: nullable(integer) });
type OperatorView = ShapeOf<typeof operatorShape>;

const columns = `operator.name, operator.role, operator.created_at,
  (select count(*) from operator_key as each where each.operator = operator.name and revoked_at is null) as keys,
  (select max(last_used_at) from operator_key as each where each.operator = operator.name) as last_used_at`;

/** Reads the operators by name, from the one behind `after` on. */
export async function readOperators(queries: Queries, { after = '', limit }: ListInput): Promise<Page<OperatorView>> {
  const sql = `select ${columns} from operator where name > ? order by name limit ?`;
  const rows = await queries.rows(operatorShape, sql, after, limit + 1);
  return pageOf(rows, limit, ({ name }) => name);
}

export async function readOperator(queries: Queries, name: string): Promise<OperatorView | undefined> {
  return queries.row(operatorShape, `select ${columns} from operator where name = ?`, name);
}

interface WantedRequest extends IdempotencyKey {
  readonly operator: string;
  /** Only requests after this instant; older keys have expired. */
  readonly after: Instant;
}

/** Whether a request with this key was done before, when, and whether it was the same request. */
export async function readOperatorRequest(queries: Queries, { operator, key, hash, after }: WantedRequest) {
  const where = 'where operator = ? and key = ? and created_at > ?';
  const known = await queries.first(operatorRequestTable, where, operator, key, after);
  if (!known) return undefined;
  const hashing = await hashingKeyOf(queries);
  return { at: known.createdAt, isSame: isSameRequest(known.hash, hashing.mac(hash)) };
}

const { hash: _hash, ...keyMembers } = operatorKeyTable.members;
const keyShape = shape(keyMembers);
type OperatorKeyView = ShapeOf<typeof keyShape>;

/** Reads the keys of an operator, or of all operators, the newest first. */
export async function readOperatorKeys(
  queries: Queries,
  {
    operator,
    kind,
    after = '',
    limit,
  }: ListInput & { readonly operator?: string | undefined; readonly kind?: 'session' },
): Promise<Page<OperatorKeyView>> {
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
  return pageOf(rows, limit, ({ id }) => id);
}

/** Reads how an operator signs in, with the secret of the one-time codes. Undefined without a password. */
export async function readOperatorSignIn(queries: Queries, operator: string) {
  const row = await queries.first(operatorSignInTable, 'where operator = ?', operator);
  if (!row) return undefined;
  const { id, password, codeSecret, codeStep } = row;
  const open = codeSecret && (await openerOf(queries, null));
  const secret = codeSecret && open?.({ column: 'operator_sign_in.code_secret', id }, codeSecret);
  return { password, codeSecret: secret ?? null, codeStep };
}

/** Whether an owner has a password, and can therefore sign in to the console. */
export async function readOwnerSignIn(queries: Queries): Promise<boolean> {
  const sql = `select count(*) from operator where role = 'owner'
    and exists (select 1 from operator_sign_in where operator_sign_in.operator = operator.name)`;
  return ((await queries.value(integer, sql)) ?? 0) > 0;
}

/** Reads the settings before the newest apply of an operator's file. */
export function readConfigState(queries: Queries) {
  return queries.first(configStateTable, newestConfigState.tail, 0);
}
