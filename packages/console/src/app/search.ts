/* The search of the URL: filters, places in lists and open tabs, as texts. */

import type { FieldTable } from '@morsel/api/fields/field.ts';
import { rootRouteId, useMatches, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isOfRange } from './range.ts';

type Texts = Readonly<Record<string, string>>;

/** The texts in the search of the URL. */
export function useTexts(): Texts {
  return useSearch({ from: rootRouteId });
}

/**
 * The inputs of an operation that the URL has, without those of the time range, and the names of wrong ones. They are
 * left out, because the gateway would refuse the whole list.
 */
export function inputsIn(
  input: FieldTable,
  search: Texts,
): { readonly given: Texts; readonly wrong: readonly string[] } {
  const named = Object.entries(search).filter(([name]) => input[name] && !isOfRange(input, name));
  const [right, wrong] = [true, false].map((isRight) =>
    named.filter(([name, text]) => input[name]?.read(text).ok === isRight),
  );
  return { given: Object.fromEntries(right ?? []), wrong: (wrong ?? []).map(([name]) => name) };
}

/** The name or the id in the path of the URL. */
export function useName(): string {
  const params = useMatches({ select: (matches): Texts => matches.at(-1)?.params ?? {} });
  return Object.values(params)[0] ?? '';
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
