import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { integer } from '../../../state/tables/column.ts';
import type { Queries } from '../queries.ts';

/**
 * The id of the account by which a list is filtered, which may be removed; null without a name: the list is of all accounts. An
 * unknown name is refused, because an empty list would hide the mistake.
 */
export async function accountIdOf(
  queries: Queries,
  name: string | undefined,
): Promise<Result<number | null, Rejection>> {
  if (name === undefined) return ok(null);
  const id = await queries.value(integer, 'select id from account where name = ?', name);
  return id === undefined ? noAccount(name) : ok(id);
}

export function noAccount(name: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no account named ${name}` });
}
