import type { Instant } from '@morsel/api/values/time.ts';

export function time(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function timeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : time(instant);
}
