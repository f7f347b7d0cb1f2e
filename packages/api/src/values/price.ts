import { formatMicros, parseMicros, type Micros } from './money.ts';
import { ok, refused, type Result } from './result.ts';
import { isPrefix } from './syntax.ts';

/* Limits of prices, and the text format in which many prices are exported, and stored bit by bit. */

/** The highest price of one part, in whole currency units. Even 255 such parts fit into a 64-bit balance. */
export const priceMax = 1_000_000_000;
/** The most prices that one request may set. A request is one commit, and other commits wait for it. */
export const pricesMax = 10_000;
/** How price files write the empty prefix. An empty cell would be ambiguous, because it may be a mistake. */
export const everyNumber = '*';

/** A price of null removes the price from the list. */
export interface PriceChange {
  readonly prefix: string;
  readonly unitPrice: Micros | null;
}

export type Prices = ReadonlyMap<string, Micros>;

function isPrice(price: Micros): boolean {
  return price >= 0n && price <= BigInt(priceMax) * 1_000_000n;
}

/** Writes prices as lines `prefix,price`, because parsing them as JSON would block the event loop too long. */
export function writePriceLines(changes: readonly PriceChange[]): string {
  return changes
    .map(({ prefix, unitPrice }) => `${prefix},${unitPrice === null ? '' : formatMicros(unitPrice)}\n`)
    .join('');
}

export function readPriceLines(text: string): Result<PriceChange[], string> {
  const lines = text.split('\n');
  if (lines.pop() !== '') return refused('must end each price with a line feed');
  const changes: PriceChange[] = [];
  for (const [index, line] of lines.entries()) {
    const [prefix = '', price, more] = line.split(',');
    const unitPrice = price === '' ? ok(null) : parseMicros(price ?? '');
    const isGood = more === undefined && isPrefix(prefix) && unitPrice.ok;
    if (!isGood || (unitPrice.value !== null && !isPrice(unitPrice.value))) {
      return refused(`must have a valid prefix and price in line ${index + 1}`);
    }
    changes.push({ prefix, unitPrice: unitPrice.value });
  }
  return ok(changes);
}
