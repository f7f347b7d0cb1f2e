/* Views of refused requests: one by one, and their numbers by account and code. */

import type { refusal } from '@morsel/api/admin/account/refusal.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { refusalHourTable, refusalTable } from '../../tables/account.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

type Listed = typeof refusal.operations.list;
type Summed = typeof refusal.operations.summary;

/** Reads refused requests, the newest first. The table is small, so filters need no index of their own. */
export async function findRefusals(queries: Queries, input: InputOf<Listed>): Promise<AnswerOf<Listed>> {
  const where = new Where('id < ?', Number(input.after ?? beforeNewest))
    .given('account = ?', input.account)
    .given('code = ?', input.code)
    .given('request_id = ?', input.requestId)
    .given('at >= ?', input.since);
  const tail = `${where.sql} order by id desc limit ?`;
  const rows = await queries.find(refusalTable, tail, ...where.values, input.limit + 1);
  const { items, next } = pageOf(rows, input.limit, ({ id }) => String(id));
  return { items: items.map((row) => ({ ...row, account: row.account || null })), next };
}

type Sum = AnswerOf<Summed>['items'][number];

/** Adds up the refused requests of a period by account and code, the most frequent first. */
export async function sumRefusals(queries: Queries, input: InputOf<Summed>): Promise<Sum[]> {
  const where = new Where('hour >= ?', Math.floor(input.since / hourMs)).given('account = ?', input.account);
  const sums = new Map<string, Sum>();
  const sql = `select ${refusalHourTable.shape.names.join(', ')} from refusal_hour ${where.sql} order by hour`;
  for await (const rows of queries.chunks(refusalHourTable.shape, sql, ...where.values)) {
    for (const { hour, refusals, account, ...row } of rows) {
      const key = `${account} ${row.code}`;
      const earlier = sums.get(key);
      const firstAt = earlier?.firstAt ?? hour * hourMs;
      const all = refusals + (earlier?.refusals ?? 0);
      sums.set(key, {
        code: row.code,
        lastAt: row.lastAt,
        requestId: row.requestId,
        account: account || null,
        firstAt,
        refusals: all,
      });
    }
  }
  return [...sums.values()].toSorted((one, other) => other.refusals - one.refusals).slice(0, input.limit);
}
