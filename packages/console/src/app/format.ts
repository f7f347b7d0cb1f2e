/* How values are shown to a person. */

import type { Micros } from '@morsel/api/values/money.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A time in the zone of the viewer, with 24 hours. The present year is left out. */
export function localTime(at: Instant, language: string): string {
  const date = new Date(at);
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const);
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return date.toLocaleString(language, { ...year, month: 'short', day: 'numeric', ...time });
}

export function utcTime(at: Instant): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** An amount with all its digits, and at least two decimals. */
export function moneyText(amount: Micros, currency: string): string {
  const [whole = '', decimals = ''] = formatMicros(amount).split('.');
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f')}.${decimals.padEnd(2, '0')} ${currency}`.trim();
}
