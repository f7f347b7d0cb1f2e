import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** Whether the machine's clock is too far `ahead` of the newest instant in the store, or `behind` it. */
export type ClockState = 'right' | 'behind' | 'ahead';

/** Usual corrections of a clock are smaller than this: no wrong clock. */
const correctionMs = 5 * secondMs;

/** `seenAt` is the newest instant that was written while the clock was trusted; 0 for none. */
export function judgeClock(now: Instant, { seenAt, aheadMaxMs }: { seenAt: Instant; aheadMaxMs: number }): ClockState {
  if (seenAt === 0) return 'right';
  if (now < seenAt - correctionMs) return 'behind';
  return now - seenAt > aheadMaxMs ? 'ahead' : 'right';
}

/** A duration such as `8 d 3 h`: to the hour, or to the minute or second if it is shorter. */
export function durationText(ms: number): string {
  const units = [
    [Math.floor(ms / (24 * hourMs)), 'd'],
    [Math.floor(ms / hourMs) % 24, 'h'],
    [Math.floor(ms / minuteMs) % 60, 'min'],
    [Math.floor(ms / secondMs) % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  const shown = units.slice(Math.max(0, first), Math.max(0, first) + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s';
}
