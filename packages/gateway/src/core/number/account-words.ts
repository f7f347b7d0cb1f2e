import { readWish } from './opt-out.ts';
import type { OptOutHandling, Wish } from './opt-out.ts';
import { usualWords } from './opt-out-words.ts';

/* What an account's opt-out words make of the usual ones, in sentences for its operator. */

const none: OptOutHandling['words'] = new Map();

/** The word for an account: the usual one, unless the account's words replace it. Undefined if no word is left. */
export function wordFor(wish: Wish, accountWords: OptOutHandling['words']): string | undefined {
  const words = [wish, ...accountWords.keys(), ...usualWords.flatMap((each) => each[wish])];
  return words.find((word) => readWish(word, accountWords)?.wish === wish)?.toUpperCase();
}

/** Account's words that mean the opposite of their usual meaning, a sentence each. */
export function warningsOfWords(accountWords: OptOutHandling['words']): readonly string[] {
  return [...accountWords].flatMap(([word, means]) => {
    const usual = readWish(word, none)?.wish;
    const shown = word.toUpperCase();
    if (usual === 'start' && means === 'stop') {
      return [`${shown} opts phones out here: people write it to get messages again`];
    }
    if (usual === 'stop' && means === 'start') {
      return [`${shown} opts phones in again here: people write it to get no more messages`];
    }
    return word === 'stop' && means === 'nothing'
      ? [`${shown} means nothing here: people write it to get no more messages, and go on getting them`]
      : [];
  });
}
