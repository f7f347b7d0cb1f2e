import { formatMicros, parseMicros, toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** What becomes of a message by whose carrier we would keep less than the margin that is set. */
export const marginModes = ['allow', 'alert', 'refuse'] as const;
export type MarginMode = (typeof marginModes)[number];

/** The least that has to be left of a part's price when its carrier is paid: an amount, or per cent of the price. */
export interface MarginMin {
  readonly isPercent: boolean;
  /** In millionths, of a currency unit or of a per cent. */
  readonly leastLeft: Micros;
}

const percentSign = '%';
const whole = 100n * 1_000_000n;

/** Reads `0.002` or `15%`. The reason of a refusal is a sentence for the person who typed it. */
export function parseMarginMin(text: string): Result<MarginMin, string> {
  const isPercent = text.trimEnd().endsWith(percentSign);
  const read = parseMicros(isPercent ? text.trimEnd().slice(0, -percentSign.length) : text);
  return read.ok ? ok({ isPercent, leastLeft: read.value }) : refused(`it has to be 0.002, 15% or none: ${read.error}`);
}

export function formatMarginMin({ isPercent, leastLeft }: MarginMin): string {
  return isPercent ? `${formatMicros(leastLeft)}${percentSign}` : formatMicros(leastLeft);
}

/** What is left of a price, of one money with the cost. */
export function marginOf(price: Micros, cost: Micros): Micros {
  return toMicros(price - cost);
}

/** Whether less is left than has to be; exact, whatever the per cent. */
export function isBelowMargin({ isPercent, leastLeft }: MarginMin, price: Micros, cost: Micros): boolean {
  const margin = marginOf(price, cost);
  return isPercent ? margin * whole < leastLeft * price : margin < leastLeft;
}
