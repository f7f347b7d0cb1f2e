/* The search of the URL: filters, places in lists and open tabs, as texts. */

import { useState } from 'react';

type Texts = Readonly<Record<string, string>>;

/** The search of a link. Every page takes texts by name, but the router has no type for a link to any page. */
export function searchOf(values: object): never {
  return values as never;
}

/**
 * The texts of the URL, replaced by those that the viewer typed. A new URL, as by Back or a link, discards typed texts.
 */
export function useTyped(given: Texts): readonly [texts: Texts, setTexts: (texts: Texts) => void] {
  const of = JSON.stringify(given);
  const [typed, setTyped] = useState({ of, texts: given });
  // A new URL discards the texts typed at the URL before, so they do not come back when the viewer returns to it.
  if (typed.of !== of) setTyped({ of, texts: given });
  return [typed.of === of ? typed.texts : given, (texts) => setTyped({ of, texts })];
}
