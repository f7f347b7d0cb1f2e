/* Titles of lists and texts of buttons, from the declarations of the operator's API. */

import type { Resource } from '@morsel/api/admin/resource.ts';
import { labelFrom, spaced, upperFirst } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';

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
  const usual: Readonly<Record<string, string>> = { list: `${labelFrom(nounOf(of))}s`, show: words.settingsOf };
  return of.operations[verb]?.label ?? usual[verb] ?? labelFrom(verb);
}

/** A sentence of a declaration, which the command line prints, without its hint about another command. */
export function saidOf(text: string): string {
  return `${upperFirst(text.replace(/(?:; |: see ).*/, ''))}.`;
}
