/* The words of the console. A word that is also a term of the field keeps it, such as carrier and receipt. */

import { managing } from './en/managing.ts';
import { watching } from './en/watching.ts';

export const en = { ...watching, ...managing };

/** A text, or a function that makes a text, because each language orders its words in its own way. */
type Wordy<T> = {
  readonly [K in keyof T]: T[K] extends (...given: infer G) => string
    ? (...given: G) => string
    : T[K] extends string
      ? string
      : Wordy<T[K]>;
};

export type Words = Omit<Wordy<typeof en>, 'fields'> & { readonly fields: Readonly<Record<string, string>> };
