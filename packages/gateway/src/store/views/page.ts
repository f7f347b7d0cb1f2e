import type { Page } from '@morsel/api/admin/resource.ts';

export interface ListInput {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Greater than every id and instant: the place before the first page of a list that begins with the newest row. */
export const beforeNewest = Number.MAX_SAFE_INTEGER;

/** Makes a page. The rows must be read with a limit of one more row, which shows that there is a next page. */
export function pageOf<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): Page<R> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : placeOf(last) };
}

/** Reads something for each item. The queries may be under way at the same time. */
export function eachOf<Item, Read>(items: readonly Item[], read: (item: Item) => Promise<Read>): Promise<Read[]> {
  return Promise.all(items.map(read));
}
