/* Finds the ids of names in the inputs of views. An unknown name is refused: an empty list would hide the mistake. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { noAccount, noCarrier } from '../../../core/named.ts';
import { integer } from '../../../state/tables/column.ts';
import type { Queries } from '../queries.ts';

type Found<Id> = Promise<Result<Id, Rejection>>;

/** The id of the account with a name; undefined without a name. A removed account has another name. */
export function accountIdOf(queries: Queries, name: string): Found<number>;
export function accountIdOf(queries: Queries, name: string | undefined): Found<number | undefined>;
export async function accountIdOf(queries: Queries, name: string | undefined): Found<number | undefined> {
  if (name === undefined) return ok(name);
  const id = await queries.value(integer, 'select id from account where name = ?', name);
  return id === undefined ? noAccount(name) : ok(id);
}

/** Finds the id of the carrier with a name, unless the carrier is removed. Without a name, it is undefined. */
export async function carrierIdOf(queries: Queries, name: string | undefined): Found<number | undefined> {
  if (name === undefined) return ok(name);
  const id = await queries.value(integer, "select id from carrier where name = ? and status <> 'removed'", name);
  return id === undefined ? noCarrier(name) : ok(id);
}
