/* The search of the address: filters, places of lists and open tabs, as texts. */

import { useState } from 'react';

type Texts = Readonly<Record<string, string>>;

/** The search of a link. Every page takes texts by name, which the types of the router cannot tell for a link to any page. */
export function searchOf(values: object): never {
  return values as never;
}

/** Typed texts over those of the address. A new address, as by Back or a link, discards them. */
export function useTyped(given: Texts): readonly [texts: Texts, setTexts: (texts: Texts) => void] {
  const of = JSON.stringify(given);
  const [typed, setTyped] = useState({ of, texts: given });
  // A new address discards what was typed over the one before, also for when that one comes again.
  if (typed.of !== of) setTyped({ of, texts: given });
  return [typed.of === of ? typed.texts : given, (texts) => setTyped({ of, texts })];
}
