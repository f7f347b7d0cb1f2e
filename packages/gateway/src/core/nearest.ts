/** The candidate that `word` was most likely meant to be: the one with the fewest slips of the keyboard between them. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return candidates
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .toSorted((a, b) => a.slips - b.slips)[0]?.candidate;
}

/** The nearest candidate if `word` may well be a slip of it: at most a third of its letters is another. */
export function near(word: string, candidates: readonly string[]): string | undefined {
  const found = nearest(word, candidates);
  return found !== undefined && slips(word, found) <= Math.ceil(word.length / 3) ? found : undefined;
}

/** Insertions, deletions and replacements that lead from one word to the other (Levenshtein), row by row. */
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
