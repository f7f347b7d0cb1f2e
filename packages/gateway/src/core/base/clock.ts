import { hourMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/** Whether the machine's clock is too far `ahead` of the newest time in the store, or `behind` that time. */
export type ClockState = 'right' | 'behind' | 'ahead';

/** A clock that is behind by less than this still counts as right, because usual corrections of a clock are smaller. */
const correctionMs = 5 * secondMs;

/** How often the gateway stores the time while it trusts the clock. */
export const recordEveryMs = minuteMs;

/** A time that is later than the newest stored time by more than this comes from an untrusted clock. */
export const afterRecordMaxMs = 2 * recordEveryMs;

/** `seenAt` is the newest time that was stored while the clock was trusted; 0 in a new store. */
export function judgeClock(now: Instant, { seenAt, aheadMaxMs }: { seenAt: Instant; aheadMaxMs: number }): ClockState {
  if (seenAt === 0) return 'right';
  if (now < seenAt - correctionMs) return 'behind';
  return now - seenAt > aheadMaxMs ? 'ahead' : 'right';
}

/** Writes a duration as text with at most two units, such as `8 d 3 h`. */
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
