/* Labels of fields and columns, from their names in the operator's API. */

import { spaced } from '@morsel/api/fields/shown.ts';

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A title as a sentence: `LAST USED` becomes "Last used". */
export function sentenceOf(title: string): string {
  return upperFirst(title.toLowerCase());
}

const upper: Readonly<Record<string, string>> = { smpp: 'SMPP', url: 'URL', tls: 'TLS', id: 'id', utc: 'UTC' };

/** The label of a field: `smppWindow` becomes "SMPP window", and `dataCoding0` "Data coding 0". */
export function labelOf(name: string): string {
  const [first = '', ...rest] = spaced(name)
    .replace(/(?<=[a-z]{2})\d/, ' $&')
    .split(' ');
  return [upper[first] ?? sentenceOf(first), ...rest].join(' ');
}
