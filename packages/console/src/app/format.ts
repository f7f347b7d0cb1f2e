/* How values are shown to a person. */

import type { Micros } from '@morsel/api/values/money.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A time in the zone of the viewer. */
export function localTime(at: Instant, language: string): string {
  return new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' });
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
