/** What every list is asked: where the page before ended, if there was one, and how many rows at most. */
export interface ListInput {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Rows, and what to give as `after` for the next ones; null when there are none. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next: string | null;
}

/** The page of rows that were read with a limit of one more: the one too many says that there is a next page. */
export function pageOf<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): Page<R> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : placeOf(last) };
}
