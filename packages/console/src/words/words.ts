/* The words of the console in each language. Names and summaries of fields come from the declarations of the operator's API. */

import { createContext, use } from 'react';
import { de } from './de.ts';
import { en, type Words } from './en.ts';

/** A new language is a file like `de.ts` and a line here. */
export const languages = { en: { name: 'English', words: en }, de: { name: 'Deutsch', words: de } } as const;

export type Language = keyof typeof languages;

export const LanguageContext = createContext<Language>('en');

export function useWords(): Words {
  return languages[use(LanguageContext)].words;
}

/** The word for a field of the operator's API. English has them in the declarations. */
export function useFieldWord(): (english: string) => string {
  const fields: Readonly<Record<string, string>> = useWords().fields;
  return (english) => fields[english] ?? english;
}

const stored = 'morsel-language';

/** The language that the viewer chose, or else the first one of the browser that the console has. */
export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(stored) ?? '', ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(stored, language);
}

export function isLanguage(word: string): word is Language {
  return Object.hasOwn(languages, word);
}
