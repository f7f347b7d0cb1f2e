import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { totalTable } from '../tables/node.ts';
import type { Rows } from './rows.ts';

export type CountedRows = 'messages' | 'parts' | 'charged' | 'refunded' | 'unmatched' | 'notes';

/** Adds to a count of this group, and to its money. */
export function count(rows: Rows, what: CountedRows, word: string, n: number, amount: Micros = zeroMicros): void {
  let words = rows.totals.get(what);
  if (!words) rows.totals.set(what, (words = new Map()));
  const known = words.get(word);
  if (!known) {
    words.set(word, { n, amount });
    return;
  }
  known.n += n;
  if (amount !== zeroMicros) known.amount = toMicros(known.amount + amount);
}

/** At the end of a group: writes its counts. */
export function recordTotals(rows: Rows): void {
  for (const [what, words] of rows.totals) {
    for (const [word, { n, amount }] of words) {
      if (n !== 0 || amount !== zeroMicros) rows.put(totalTable, { node: rows.node.id, what, word, n, amount });
    }
  }
}
