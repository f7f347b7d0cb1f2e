import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Stored } from '../tables/column.ts';
import { totalTable } from '../tables/node.ts';
import type { Rows } from './rows.ts';

type What = 'messages' | 'parts' | 'charged' | 'refunded' | 'unmatched' | 'notes';

/** Counts something in this group, and its money. */
export function count(rows: Rows, what: What, word: string, n: number, amount: Micros = zeroMicros): void {
  const key = `${what} ${word}`;
  const known = rows.totals.get(key);
  rows.totals.set(key, known ? { n: known.n + n, amount: toMicros(known.amount + amount) } : { n, amount });
}

/** At the end of a group: adds what it counted. */
export function recordTotals(rows: Rows): void {
  for (const [key, { n, amount }] of rows.totals) {
    const [what = '', word = ''] = key.split(' ');
    if (n !== 0 || amount !== zeroMicros) rows.put(totalTable, { node: rows.node.id, what, word, n, amount });
  }
}

/** Takes off the counts what a deletion by SQL is about to remove. `word` and `amount` are SQL. */
export function countRemoved(
  rows: Rows,
  what: What,
  { from, word = "''", amount = '0' }: { readonly from: string; readonly word?: string; readonly amount?: string },
  ...values: readonly Stored[]
): void {
  rows.run(
    `insert into total (node, what, word, n, amount)
      select cast(? as bigint), '${what}', counted.word, -counted.n, -counted.amount
        from (select ${word} as word, count(*) as n, ${amount} as amount from ${from} group by 1) as counted where true
      on conflict (node, what, word) do update set n = total.n + excluded.n, amount = total.amount + excluded.amount`,
    rows.node.id,
    ...values,
  );
}
