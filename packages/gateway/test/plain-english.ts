/*
 * Phrases that make a reader stop, each with what to write instead. The architecture test looks for them in comments,
 * strings and documents. Add a phrase here when a reader had to read it twice.
 */

interface Riddle {
  readonly phrase: RegExp;
  readonly write: string;
}

const riddles: readonly Riddle[] = [
  { phrase: /\b(?:has|have) to be\b/i, write: 'must be' },
  { phrase: /the nearest is\b/i, write: 'unknown X; did you mean Y?' },
  { phrase: /\bwhat (?:a |the )?phones? (?:sends?|sent|writes?|wrote|says?|said)\b/i, write: 'inbound message' },
  { phrase: /\bmessages? (?:of|from) (?:a |the |his |its |their )?phones?\b/i, write: 'inbound message' },
  {
    phrase: /\bphones? (?:that |who |which )?(?:sends?|sent|writes?|wrote)\b/i,
    write: 'the sender of the inbound message',
  },
  { phrase: /\bnobody's\b/i, write: 'unmatched, or: of no account' },
  { phrase: /\bwhat nobody knows\b|\bnobody knows\b/i, write: 'unknown' },
  { phrase: /\b(?:is|are|was|were|be|been|being) told\b(?! (?:apart|from)\b)/i, write: 'is notified, gets, receives' },
  { phrase: /\btold (?:of|to)\b/i, write: 'notified of, delivered to' },
  { phrase: /\bheeded\b/i, write: 'counts, applies' },
  { phrase: /\bwhoever\b/i, write: 'name who: the client, the operator, the caller' },
  { phrase: /\bwhereby\b/i, write: 'by which, or a new sentence' },
  { phrase: /\bof now\b/i, write: 'current' },
  { phrase: /\bbegins? anew\b/i, write: 'starts again' },
  { phrase: /\bparked\b/i, write: 'unmatched' },
  // In small letters: `Outlet` is a component of the console's router.
  { phrase: /\boutlets?\b/, write: 'destination' },
  { phrase: /\b(?:a|the|each|every|of|its|one) notices?\b/i, write: 'notification' },
  { phrase: /\bas one would\b/i, write: 'say what it is, without "one"' },
  { phrase: /\bfor ever\b/i, write: 'forever, or: without limit' },
];

/** Lines with a phrase of the list, each as a sentence that says what to write. */
export function findRiddles(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) =>
    riddles.flatMap(({ phrase, write }) => {
      const found = phrase.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${at + 1} says "${found}": write "${write}"`];
    }),
  );
}

/**
 * Whether a file says what it is for: with a comment in its first line, or with one after the imports that stands alone or
 * belongs to what the file exports.
 */
export function hasHead(text: string): boolean {
  const code = text.replace(/^#!.*\n/, '');
  if (/^\s*\/[*/]/.test(code)) return true;
  const declarations = code.replace(/^(?:import\b[^;]*;\s*)+/, '');
  const [comment] = /^(?:\/\*(?:(?!\*\/)[\s\S])*\*\/|(?:\/\/.*\n)+)/.exec(declarations) ?? [];
  if (comment === undefined) return false;
  const next = declarations.slice(comment.length);
  return /^\n?\n\n/.test(next) || /^\s*export (?:async |default )?(?:function|class|const)\b/.test(next);
}
