import { formatMicros, parseMicros, type Micros } from './money.ts';
import { ok, refused, type Result } from './result.ts';

/** What the gateway does with a message if the carrier's cost leaves less than the least margin. */
export const marginModes = ['allow', 'alert', 'refuse'] as const;
export type MarginMode = (typeof marginModes)[number];

/** The least margin of one part (price less cost): an amount, or a percentage of the price. */
export interface MarginMin {
  readonly isPercent: boolean;
  /** Margin in millionths of a currency unit, or of one per cent. */
  readonly leastLeft: Micros;
}

const percentSign = '%';

/** `0.002` or `15%`. A refusal's reason is an error message for the operator. */
export function parseMarginMin(text: string): Result<MarginMin, string> {
  const isPercent = text.trimEnd().endsWith(percentSign);
  const read = parseMicros(isPercent ? text.trimEnd().slice(0, -percentSign.length) : text);
  return read.ok
    ? ok({ isPercent, leastLeft: read.value })
    : refused(`must be an amount such as 0.002, a percentage such as 15%, or none: ${read.error}`);
}

export function formatMarginMin({ isPercent, leastLeft }: MarginMin): string {
  return isPercent ? `${formatMicros(leastLeft)}${percentSign}` : formatMicros(leastLeft);
}
