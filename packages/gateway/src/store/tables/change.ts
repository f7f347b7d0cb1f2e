/**
 * What a group of commands did to a row. A row of `none` is not written, `changed` writes its moving members, `rewritten`
 * all of them, and `gone` deletes it.
 */
export type Change = 'new' | 'changed' | 'rewritten' | 'gone' | 'none';
