/** What a group of commands did to a row: a row of `none` is not written. */
export type Change = 'new' | 'changed' | 'none';
