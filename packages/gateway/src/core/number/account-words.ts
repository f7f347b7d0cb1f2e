import { readWish, type OptOutHandling, type Wish } from './opt-out.ts';
import { usualWords } from './opt-out-words.ts';

/* Shows what opt-out words mean for an account, and warns the operator of words with an unexpected meaning. */

/** The opt-out settings and words of an account, as an operator sees them. */
export function shownHandling(account: string, { isOn, scope, words: unordered }: OptOutHandling) {
  const words = new Map([...unordered].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return {
    account,
    words: isOn ? ('on' as const) : ('off' as const),
    scope,
    stopWord: wordFor('stop', words) ?? null,
    startWord: wordFor('start', words) ?? null,
    warnings: isOn ? warningsOfWords(words) : [],
    accountWords: [...words].map(([word, means]) => ({ word, means })),
    usual: usualWords,
  };
}

const none: OptOutHandling['words'] = new Map();

/** The usual word to opt out or in, unless the account changed its meaning. Undefined if no word is left. */
export function wordFor(wish: Wish, accountWords: OptOutHandling['words']): string | undefined {
  const words = [wish, ...accountWords.keys(), ...usualWords.flatMap((each) => each[wish])];
  return words.find((word) => readWish(word, accountWords)?.wish === wish)?.toUpperCase();
}

/** A warning for each word that this account uses against its usual meaning. */
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
