import type { CountedRows } from '../../state/rows/totals.ts';

/** Subtracts the rows that a deletion is about to remove from the totals. The first value is the node's number. */
export function countRemoved(
  what: CountedRows,
  { from, word = "''", amount = '0' }: { readonly from: string; readonly word?: string; readonly amount?: string },
): string {
  return `insert into total (node, what, word, n, amount)
    select cast(?1 as bigint), '${what}', counted.word, -counted.n, -counted.amount
      from (select ${word} as word, count(*) as n, ${amount} as amount from ${from} group by 1) as counted where true
    on conflict (node, what, word) do update set n = total.n + excluded.n, amount = total.amount + excluded.amount`;
}
