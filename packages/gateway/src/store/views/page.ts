/** The input of every list: where the last page ended, and how many rows at most. */
export interface ListInput {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Rows, and the `after` for the next page; null at the end. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next: string | null;
}

/** Makes a page of rows that were read with a limit of one more: the extra row shows that there is a next page. */
export function pageOf<R>(rows: readonly R[], limit: number, placeOf: (row: R) => string): Page<R> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : placeOf(last) };
}
