import { totalTable } from '../../../state/tables/node.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { text } from '../../../state/tables/column.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { View } from '../view.ts';
import type { Queries } from '../queries.ts';

const counted = shape(pick(totalTable, 'what', 'word', 'n', 'amount'));

/** Sums over the whole store, for tests and checks. They are counted with each commit, so that no row is read for them. */
export async function readTotals(queries: Queries) {
  const rows = await queries.rows(
    counted,
    'select what, word, sum(n) as n, sum(amount) as amount from total group by what, word having sum(n) <> 0 order by what, word',
  );
  const of = (what: string) => rows.filter((row) => row.what === what);
  const counts = (what: string) => Object.fromEntries(of(what).map(({ word, n }) => [word, n]));
  const sum = (what: string) => of(what).reduce((total, { amount }) => toMicros(total + amount), zeroMicros);
  const parts = counts('parts');
  return {
    messages: counts('messages'),
    parts,
    charged: sum('charged'),
    refunded: sum('refunded'),
    waiting: parts['queued'] ?? 0,
    inDoubt: parts['in_doubt'] ?? 0,
    unmatchedReceipts: counts('unmatched')[''] ?? 0,
    notes: counts('notes'),
    // Accounts whose balance is not that after their newest entry; none may exist (M1). `ledger check` adds up all.
    unbalanced: await queries.values(
      text,
      `select name from account where balance <> coalesce((select balance_after from entry
        where entry.account = account.id order by entry.id desc limit 1), 0) order by name`,
    ),
  };
}

export const totals: View<'gateway.totals'> = async (queries) => ok(await readTotals(queries));
