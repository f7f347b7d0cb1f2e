import { formatInstant, type Instant } from '@morsel/api/values/time.ts';
import type { Gathered } from './gathered.ts';
import type { NetworkRow } from './network-rows.ts';
import type { NetworkMap } from './network.ts';

/* Turns prices of networks into prices of prefixes, by a map of the prefixes of each network. */

/** The newest rows of one network, all for the same time. There are several if the file repeats the network. */
interface NewestRows {
  readonly from: Instant;
  readonly rows: NetworkRow[];
  readonly prefixes: readonly string[];
}

/** The network's newest price at the time `at`. Rows in another currency are left out. */
export function pricesOfNetworks(
  gathered: Gathered,
  rows: readonly NetworkRow[],
  wanted: { readonly map: NetworkMap; readonly currency: string; readonly at: Instant },
): void {
  const { map, currency, at } = wanted;
  const newest = new Map<string, NewestRows>();
  for (const row of rows) {
    const { line, effectiveAt } = row;
    const found = map.find(row.network);
    if (row.currency !== null && row.currency !== currency) {
      gathered.leaveOut(`the currency is ${row.currency || 'missing'}, not ${currency}`, line);
    } else if (!found.ok) gathered.problems.push({ line, detail: found.error });
    else if (!found.value) gathered.leaveOut('the mapping does not have the network', line);
    else if (effectiveAt !== null && effectiveAt > at) {
      gathered.leaveOut(
        `the price takes effect later, at ${formatInstant(effectiveAt)}: import the file again for that time`,
        line,
      );
    } else keepNewest(gathered, newest, { row, key: `${row.network.mcc}-${found.value.mnc}`, ...found.value });
  }
  for (const { rows: same, prefixes } of newest.values()) {
    for (const { price, line } of same) {
      const unitPrice = gathered.price(price, line);
      if (unitPrice === undefined) continue;
      for (const prefix of prefixes) gathered.add(prefix, unitPrice, line);
    }
  }
}

function keepNewest(
  gathered: Gathered,
  newest: Map<string, NewestRows>,
  { row, key, prefixes }: { readonly row: NetworkRow; readonly key: string; readonly prefixes: readonly string[] },
): void {
  const from = row.effectiveAt ?? 0;
  const former = newest.get(key);
  if (former && former.from === from) {
    former.rows.push(row);
    return;
  }
  const older = former === undefined ? [] : former.from > from ? [row] : former.rows;
  for (const { line } of older) gathered.leaveOut('the network has a later price in the file', line);
  if (!former || former.from < from) newest.set(key, { from, rows: [row], prefixes });
}
