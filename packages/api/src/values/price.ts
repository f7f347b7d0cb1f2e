import { formatMicros, parseMicros } from './money.ts';
import type { Micros } from './money.ts';
import { ok, refused } from './result.ts';
import type { Result } from './result.ts';
import { isPrefix } from './syntax.ts';

/* Prices a part, and lines of prices: the text in which many of them come and go. */

/** Whole units a part: with 255 parts a message still costs a fraction of what a ledger holds. */
export const priceMax = 1_000_000_000;
/** Prices that one request may set: they are one commit, and other commits wait for it. */
export const pricesMax = 10_000;
/** Lines of one request: some tens of KiB, which the event loop reads within a millisecond or two. */
export const priceLinesMax = 2_000;
/** The empty prefix, as people write it: an empty cell may be a slip. */
export const everyNumber = '*';

/** A price of a prefix; null where the list has no price of its own. */
export interface PriceChange {
  readonly prefix: string;
  readonly unitPrice: Micros | null;
}

export type Prices = ReadonlyMap<string, Micros>;

function isPrice(price: Micros): boolean {
  return price >= 0n && price <= BigInt(priceMax) * 1_000_000n;
}

/** `prefix,price` and a line feed each: text, because rows would keep the event loop too long. */
export function writePriceLines(changes: readonly PriceChange[]): string {
  return changes
    .map(({ prefix, unitPrice }) => `${prefix},${unitPrice === null ? '' : formatMicros(unitPrice)}\n`)
    .join('');
}

/** What `writePriceLines` wrote. */
export function readPriceLines(text: string): Result<PriceChange[], string> {
  const lines = text.split('\n');
  if (lines.pop() !== '') return refused('must end each price with a line feed');
  const changes: PriceChange[] = [];
  for (const [index, line] of lines.entries()) {
    const [prefix = '', price, more] = line.split(',');
    const unitPrice = price === '' ? ok(null) : parseMicros(price ?? '');
    const isGood = more === undefined && isPrefix(prefix) && unitPrice.ok;
    if (!isGood || (unitPrice.value !== null && !isPrice(unitPrice.value))) {
      return refused(`must have a prefix and a price in line ${index + 1}`);
    }
    changes.push({ prefix, unitPrice: unitPrice.value });
  }
  return ok(changes);
}
