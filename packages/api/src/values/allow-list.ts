/** What is allowed: everything, or what is in the list. An empty list allows nothing. */
export type AllowList<T> = readonly T[] | 'any';

/** As the operator may give it, so that what is shown can be set: an empty text allows nothing. */
export function allowListText(list: AllowList<string>): string {
  return list === 'any' ? list : list.join(',');
}
