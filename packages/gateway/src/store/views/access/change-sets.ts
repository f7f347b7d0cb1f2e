/* Views of change sets. */

import { ok } from '@morsel/api/values/result.ts';
import { changeSetTable } from '../../../state/tables/access.ts';
import { changeSetShown } from '../../../state/decide/config/change-set.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

const list: View<'changeSet.list'> = async (queries, { after, limit }) => {
  const before = Number(after ?? beforeNewest);
  const rows = await queries.find(changeSetTable, 'where id < ? order by id desc limit ?', before, limit + 1);
  const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
  return ok({ items: items.map(changeSetShown), next });
};

export const changeSetViews = { 'changeSet.list': list };

export function readChangeSet(queries: Queries, name: string) {
  return queries.first(changeSetTable, 'where name = ?', name);
}
