/** A word is what stands before a space, a line's end or a mark. */
const firstWordPattern = /^[\s\p{P}\p{S}]*([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)/u;

/** Longer than any word that somebody would print on a poster. */
const keywordMax = 32;

/**
 * The first word of a message from a phone, as keywords are compared: without marks around it, the same in capitals and
 * small letters, and in whatever way its accents are composed. Null when there is none.
 */
export function keywordOf(text: string | null): string | null {
  const word = text === null ? undefined : firstWordPattern.exec(text.normalize('NFKC'))?.[1];
  return word === undefined || word.length > keywordMax ? null : foldKeyword(word);
}

/** A keyword as it is compared. */
function foldKeyword(word: string): string {
  return word.toUpperCase().toLowerCase();
}
