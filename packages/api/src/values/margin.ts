import { formatMicros, parseMicros } from './money.ts';
import type { Micros } from './money.ts';
import { ok, refused } from './result.ts';
import type { Result } from './result.ts';

/** What happens to a message whose carrier leaves less than the set margin. */
export const marginModes = ['allow', 'alert', 'refuse'] as const;
export type MarginMode = (typeof marginModes)[number];

/** The least margin of a part's price after its cost: an amount, or per cent of the price. */
export interface MarginMin {
  readonly isPercent: boolean;
  /** In millionths, of a currency unit or of a per cent. */
  readonly leastLeft: Micros;
}

const percentSign = '%';

/** Reads `0.002` or `15%`. The reason of a refusal is a sentence for the operator. */
export function parseMarginMin(text: string): Result<MarginMin, string> {
  const isPercent = text.trimEnd().endsWith(percentSign);
  const read = parseMicros(isPercent ? text.trimEnd().slice(0, -percentSign.length) : text);
  return read.ok ? ok({ isPercent, leastLeft: read.value }) : refused(`must be 0.002, 15% or none: ${read.error}`);
}

export function formatMarginMin({ isPercent, leastLeft }: MarginMin): string {
  return isPercent ? `${formatMicros(leastLeft)}${percentSign}` : formatMicros(leastLeft);
}
