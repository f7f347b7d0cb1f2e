import { optional, orNone } from '@morsel/api/admin/compose.ts';
import { amount, prefix } from '@morsel/api/admin/fields.ts';
import { unitPrice } from '@morsel/api/admin/money/price.ts';
import type { Column } from '@morsel/api/admin/field.ts';
import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import { changeInPercent, type PriceComparison, type PriceDifference } from '@morsel/api/admin/money/price-diff.ts';
import type { Shell } from '../command.ts';
import { tableOf } from '../show.ts';

/* Formats the differences between two sets of prices. */

/** `before` or `after` is null if that set has no price for the prefix. */
const differenceFields = {
  prefix: prefix({ summary: 'how numbers begin' }),
  before: orNone(unitPrice),
  after: orNone(unitPrice),
};

const whole = 1_000_000n;
const halfInPercent = toMicros(50n * whole);

/** A percentage in millionths of a per cent. The default is 50 per cent. */
export function percent(summary: string) {
  return optional(amount({ min: 0, summary, placeholder: '<percent>', unit: 'per cent' }), halfInPercent);
}

/** `share` is in millionths of a per cent. New and removed prices do not count. */
export function isOver({ before, after }: PriceDifference, share: Micros): boolean {
  if (before === null || after === null) return false;
  const change = after > before ? after - before : before - after;
  return change * 100n * whole > share * before;
}

export function countsLine({ counts }: PriceComparison): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}

/** The most differences in a table for people. The answer in JSON has more. */
const shownMax = 20;

/** Says how many more there are. */
export function differencesTable(
  differences: readonly PriceDifference[],
  { hasColour }: Pick<Shell, 'hasColour'>,
): string {
  const shown = differences.slice(0, shownMax);
  const lines = tableOf({ answer: differenceFields, columns }, shown, { hasColour, whenEmpty: 'no price differs' });
  const more = differences.length - shown.length;
  return more > 0 ? `${lines}\n... and ${more} more: --json has them` : lines;
}

const columns: readonly Column<typeof differenceFields>[] = [
  'prefix',
  { title: 'BEFORE', of: ({ before }) => (before === null ? '-' : formatMicros(before)), isNumber: true },
  { title: 'AFTER', of: ({ after }) => (after === null ? '-' : formatMicros(after)), isNumber: true },
  { title: 'CHANGE', of: shownChange, isNumber: true },
];

/** Rounded to tenths of a per cent. */
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
