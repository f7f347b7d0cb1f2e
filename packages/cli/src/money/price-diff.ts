import { differenceFields } from '@morsel/api/admin/money/price-fields.ts';
import type { Column } from '@morsel/api/fields/field.ts';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { changeInPercent, type PriceComparison, type PriceDifference } from '@morsel/api/admin/money/price-diff.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Shell } from '../command.ts';
import { tableOf } from '../show.ts';

/* Formats the differences between two sets of prices. */

export function countsLine(counts: PriceComparison['counts']): string {
  return (['new', 'up', 'down', 'removed', 'unchanged'] as const).map((what) => `${what} ${counts[what]}`).join(', ');
}

/** The most differences in a table for people. The answer in JSON has more. */
const shownMax = 20;

/** A table of differences. Below it stands how many more there are. */
export function differencesTable(
  differences: readonly PriceDifference[],
  all: number,
  { hasColour }: Pick<Shell, 'hasColour'>,
): string {
  const shown = differences.slice(0, shownMax);
  const lines = tableOf({ answer: differenceFields, columns }, shown, { hasColour, whenEmpty: 'no price differs' });
  const more = all - shown.length;
  return more > 0 ? `${lines}\n... and ${more} more: --json has them` : lines;
}

const columns: readonly Column<typeof differenceFields>[] = [
  'prefix',
  { title: 'BEFORE', of: ({ before }) => (before === null ? '-' : formatMicros(before)), isNumber: true },
  { title: 'AFTER', of: ({ after }) => (after === null ? '-' : formatMicros(after)), isNumber: true },
  { title: 'CHANGE', of: shownChange, isNumber: true },
];

/** The change of a price, rounded to tenths of a per cent. */
export function shownChange(each: PriceDifference): string {
  if (each.before === null) return 'new';
  if (each.after === null) return 'removed';
  const change = changeInPercent(each);
  if (change === undefined) return 'was free';
  const half = change < 0n ? -tenth / 2n : tenth / 2n;
  return `${change > 0n ? '+' : ''}${formatMicros(toMicros(((change + half) / tenth) * tenth))} %`;
}

/** A tenth of a per cent, in millionths of a per cent. */
const tenth = 100_000n;

/** A time with milliseconds, so that scripts can give exactly the same time to another command. */
export function timeText(at: Instant): string {
  return new Date(at).toISOString();
}
