import type { Instant } from '@morsel/api/values/time.ts';

/** The input of every list: the place where the last page ended, and the most rows of a page. */
export interface ListInput {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** One page of a list. `next` is the `after` of the next page; null if there is no next page. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next: string | null;
  /** How far a search has looked that ended before the page was full. */
  readonly searchedTo?: Instant;
}

/** Greater than every id and instant: the place before the first page of a list that begins with the newest row. */
export const beforeNewest = Number.MAX_SAFE_INTEGER;

/**
 * Makes a page of rows. They must be read with a limit of one more row: the extra row shows that there is a next page.
 */
export function pageOf<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): Page<R> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : placeOf(last) };
}

/** Reads something for each item. The queries may be under way together. */
export function eachOf<Item, Read>(items: readonly Item[], read: (item: Item) => Promise<Read>): Promise<Read[]> {
  return Promise.all(items.map(read));
}
