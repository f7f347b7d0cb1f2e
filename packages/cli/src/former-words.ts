/* Words that the program does not know, but for which it can suggest the right word. */

/** Words that other programs use, each with the words that Morsel uses. */
export const synonyms: { readonly [word: string]: readonly string[] } = {
  delete: ['remove', 'revoke'],
  rm: ['remove', 'revoke'],
  ls: ['list'],
  edit: ['set'],
  update: ['set'],
  create: ['add'],
  new: ['add'],
  search: ['find'],
  start: ['serve', 'resume'],
  stop: ['suspend', 'pause'],
};

/** Former words of commands, each with the new word to suggest. */
export const renamed: { readonly [words: string]: string } = {
  notice: 'notification',
  'receipt parked': 'unmatched',
};

/** Former names of options, each with the new name to suggest. */
export const renamedOptions: { readonly [flag: string]: string } = { '--before': '--after' };
