/* Which answers a change makes stale, by the declarations of the operator's API. */

import type { Operation, Operations } from '@morsel/api/admin/resource.ts';
import { resources } from '@morsel/api/admin/resources.ts';

/** The resource of each path, by which the keys of queries begin. */
const resourceOf = new Map(
  Object.values(resources).flatMap(({ name, operations }) =>
    Object.values<Operations[string]>(operations).map(({ path }) => [path, name] as const),
  ),
);

/** Whether a query shows what an operation changes. Every change has an entry in the audit log. */
export function isStaleAfter({ changes }: Operation) {
  return ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean => {
    if (changes === 'all') return true;
    const shown = queryKey.map((each) => (typeof each === 'string' ? resourceOf.get(each) : undefined)).filter(Boolean);
    return shown.length === 0 || shown.some((each) => each === 'audit' || changes.includes(each ?? ''));
  };
}
