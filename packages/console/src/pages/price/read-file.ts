/* Reads prices as people write them: a prefix and a price on each line. Price files by network are read by the command line. */

import { readPrefix, readPrice } from '@morsel/api/admin/money/price-cells.ts';
import type { Micros } from '@morsel/api/values/money.ts';

interface Read {
  readonly prices: ReadonlyMap<string, Micros>;
  readonly faults: readonly { readonly line: number; readonly detail: string }[];
}

export function readPrices(text: string): Read {
  const prices = new Map<string, Micros>();
  const faults: { line: number; detail: string }[] = [];
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const row = whole.replace(/^\ufeff/, '').trim();
    if (row === '' || row.startsWith('#') || /^"?prefix/i.test(row)) continue;
    const fault = (detail: string) => faults.push({ line: index + 1, detail });
    const [prefixCell = '', priceCell = '', ...others] = row
      .split(/[;\t]/.exec(row)?.[0] ?? ',')
      .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const prefix = readPrefix(prefixCell);
    const price = readPrice(priceCell);
    if (!prefix.ok) fault(prefix.error);
    else if (!price.ok) fault(price.error);
    else if (others.some((cell) => cell !== '')) fault('there are more than two cells');
    else if (prices.has(prefix.value)) fault(`the prefix ${prefixCell} is there twice`);
    else prices.set(prefix.value, price.value.unitPrice);
  }
  return { prices, faults };
}
