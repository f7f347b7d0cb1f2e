import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { isOver, changeInPercent } from '@morsel/gateway/core/money/price-diff.ts';
import type { PriceComparison, PriceDifference } from '@morsel/gateway/core/money/price-diff.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { prefixOf } from '../routing/route.ts';
import { table } from '../table.ts';
import type { Row } from '../table.ts';

/* How differences between prices look: in a table for people, in full for programs. */

/** Differences that a person is shown; `--json` has more. */
const shownMax = 20;
/** Differences that the JSON of a preview has: price diff has them all. */
export const previewMax = 1_000;

/** The numbers of it, in a line. */
export function countsLine({ added, up, down, removed, unchanged }: PriceComparison): string {
  return `new ${added}, up ${up}, down ${down}, removed ${removed}, unchanged ${unchanged}`;
}

export function countsJson({ added, up, down, removed, unchanged }: PriceComparison): {
  readonly [name: string]: Json;
} {
  return { new: added, up, down, removed, unchanged };
}

export function differencesJson(differences: readonly PriceDifference[], max = Number.MAX_SAFE_INTEGER): Json {
  return differences
    .slice(0, max)
    .map(({ prefix, formerPrice, newPrice }) => ({ prefix, before: formerPrice ?? null, after: newPrice ?? null }));
}

/** The first of the differences, and how many more there are. */
export function differencesTable(differences: readonly PriceDifference[], hasColour: boolean): string {
  const rows = differences.slice(0, shownMax).map((each): Row => ({
    prefix: each.prefix,
    before: shownAmount(each.formerPrice),
    after: shownAmount(each.newPrice),
    change: shownChange(each),
  }));
  const lines = table({ columns, rows, whenEmpty: 'nothing differs' }, hasColour);
  const more = differences.length - rows.length;
  return more > 0 ? `${lines}\n... and ${more} more: --json has them` : lines;
}

const columns = [
  { title: 'PREFIX', of: prefixOf },
  ...['before', 'after', 'change'].map((member) => ({
    title: member.toUpperCase(),
    of: (row: Row) => String(row[member]),
    isNumber: true,
  })),
];

function shownAmount(amount: Micros | undefined): string {
  return amount === undefined ? '-' : formatMicros(amount);
}

/** By how much, in tenths of a per cent. */
export function shownChange(each: PriceDifference): string {
  if (each.formerPrice === undefined) return 'new';
  if (each.newPrice === undefined) return 'removed';
  const percent = changeInPercent(each);
  if (percent === undefined) return 'was free';
  const half = percent < 0n ? -tenth / 2n : tenth / 2n;
  return `${percent > 0n ? '+' : ''}${formatMicros(toMicros(((percent + half) / tenth) * tenth))} %`;
}

/** Of a per cent, in millionths: what is shown. */
const tenth = 100_000n;

/** Whether so many of all are more than so many per cent, in millionths. */
export function isShareOver(some: number, all: number, percent: Micros): boolean {
  return BigInt(some) * 100n * 1_000_000n > percent * BigInt(all);
}

/** Those that change by more than so many per cent. */
export function overThreshold(differences: readonly PriceDifference[], percent: Micros): readonly PriceDifference[] {
  return differences.filter((each) => isOver(each, percent));
}
