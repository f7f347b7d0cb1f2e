import { readTotals } from '../../../src/store/views/money/totals.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import type { TestDatabase, TestRow } from '../store/test-database.ts';

/* Counts the totals of a store from all its rows. The totals that the store keeps must be the same. */

/** The totals as the rows give them (`stored`), and as the store keeps them (`counted`). */
export async function totalsOf({ queries, rows }: { readonly queries: Queries; readonly rows: TestDatabase['rows'] }) {
  const counts = async (sql: string) => {
    const found = await rows(`${sql} order by word`, []);
    return Object.fromEntries(found.map(({ word, n }) => [String(word), Number(n)]));
  };
  const one = async (sql: string) => Number(Object.values((await rows(sql, []))[0] ?? ({} satisfies TestRow))[0] ?? 0);
  const stored = {
    messages: await counts(
      'select report_event as word, count(*) as n from part where number = 1 group by report_event',
    ),
    parts: await counts('select state as word, count(*) as n from part group by state'),
    charged: await one('select coalesce(sum(total_cost), 0) as n from message'),
    refunded: await one("select coalesce(sum(amount), 0) as n from entry where kind = 'refund'"),
    waiting: await one('select count(*) as n from queue'),
    inDoubt: await one("select count(*) as n from part where state = 'in_doubt'"),
    unmatchedReceipts: await one('select count(*) as n from unmatched_receipt'),
    notes: await counts('select kind as word, count(*) as n from note group by kind'),
  };
  const { unbalanced: _unbalanced, ...counted } = await readTotals(queries);
  return { stored, counted: { ...counted, charged: Number(counted.charged), refunded: Number(counted.refunded) } };
}
