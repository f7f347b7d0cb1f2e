/* Labels of fields and columns, from their names in the operator's API. */

import { spaced } from '@morsel/api/admin/shown.ts';

/** `LAST USED` as "Last used". */
export function sentenceOf(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1).toLowerCase();
}

const upper: Readonly<Record<string, string>> = { smpp: 'SMPP', url: 'URL', tls: 'TLS', id: 'id', utc: 'UTC' };

/** `smppWindow` as "SMPP window". */
export function labelOf(name: string): string {
  const [first = '', ...rest] = spaced(name).split(' ');
  return [upper[first] ?? sentenceOf(first), ...rest].join(' ');
}
