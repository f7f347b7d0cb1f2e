/** The most typing errors in a misspelled word. With more errors, it is another word. */
const slipsMax = 2;

/** The candidate that was probably meant: with the same first letter and at most two typing errors. */
export function near(word: string, candidates: readonly string[]): string | undefined {
  return candidates
    .filter((candidate) => firstLetter(candidate) === firstLetter(word))
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .filter((found) => found.slips <= slipsMax)
    .toSorted((a, b) => a.slips - b.slips)[0]?.candidate;
}

/** A sentence such as `; did you mean X?`, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const found = near(word, candidates);
  return found === undefined ? '' : `; did you mean ${found}?`;
}

/** Hyphens before the letter are skipped: `j` for `--json`. */
function firstLetter(word: string): string | undefined {
  return /[^-]/.exec(word)?.[0];
}

/** The number of typing errors between two words (Levenshtein distance). */
function slips(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(from).entries()) {
    const here = [row + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      here.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (here[column] ?? 0) + 1));
    }
    above = here;
  }
  return above.at(-1) ?? 0;
}
