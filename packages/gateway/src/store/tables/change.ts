/** What a group of commands did to a row. A row of `none` is not written. */
export type Change = 'new' | 'changed' | 'none';
