/** What is allowed: everything, or what is in the list. An empty list allows nothing. */
export type AllowList<T> = readonly T[] | 'any';
