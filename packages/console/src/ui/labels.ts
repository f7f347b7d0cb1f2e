/* Labels of fields and columns, from their names in the operator's API. */

import type { Resource } from '@morsel/api/admin/resource.ts';
import { spaced } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A title as a sentence: `LAST USED` becomes "Last used". */
export function sentenceOf(title: string): string {
  return upperFirst(title.toLowerCase());
}

/** What one row of a resource is called, such as "operator key". */
export function nounOf({ name }: Resource): string {
  return spaced(name).replaceAll('-', ' ');
}

/** The title of a list, or the label of a part of a page. */
export function partTitle(of: Resource, verb: string): string {
  const usual: Readonly<Record<string, string>> = { list: `${labelOf(nounOf(of))}s`, show: words.settingsOf };
  return of.operations[verb]?.label ?? usual[verb] ?? labelOf(verb);
}

/** A sentence of a declaration, which the command line prints, without its hint about another command. */
export function saidOf(text: string): string {
  return `${upperFirst(text.replace(/(?:; |: see ).*/, ''))}.`;
}

const upper: Readonly<Record<string, string>> = { smpp: 'SMPP', url: 'URL', tls: 'TLS', id: 'id', utc: 'UTC' };

/** The label of a field: `smppWindow` becomes "SMPP window", and `dataCoding0` "Data coding 0". */
export function labelOf(name: string): string {
  const [first = '', ...rest] = spaced(name)
    .replace(/(?<=[a-z]{2})\d/, ' $&')
    .split(' ');
  return [upper[first] ?? sentenceOf(first), ...rest].join(' ');
}
