type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value, which are the settings to change. */
export function present<T extends object>(values: T): Present<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // All members that are kept come from the same object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as Present<T>;
}
