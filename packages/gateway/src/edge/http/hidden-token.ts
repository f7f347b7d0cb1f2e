import type { Fields } from './body.ts';

const name = '"auth"';
/** A member `auth` with a text. Inside of a text its quotes would be escaped, the first of them too. */
const member = /(?<!\\)"auth"[ \t\r\n]*:[ \t\r\n]*"([^"\\]*(?:\\.[^"\\]*)*)"/g;

/**
 * Whether a token stands in `source` that differs from another one there and is lost in `content`, which was read from
 * it: of members with one name JSON.parse keeps the last, where whoever stands before us may have gone by the first.
 * Names written with escapes are not looked for.
 */
export function hidesToken(source: string, content: Fields): boolean {
  // Nearly every body has the name once, and costs two searches for it.
  if (source.indexOf(name) === source.lastIndexOf(name)) return false;
  const tokens = tokensIn(source);
  return new Set(tokens).size > 1 && tokens.length > countRead(content);
}

/** How many came through, at every depth: unknown fields may hold an `auth` of their own. */
function countRead(content: Fields): number {
  try {
    return tokensIn(JSON.stringify(content)).length;
  } catch {
    // JSON.parse reads deeper than JSON.stringify writes: then two tokens are refused without asking where they stand.
    return 0;
  }
}

function tokensIn(json: string): readonly (string | undefined)[] {
  return Array.from(json.matchAll(member), (match) => match[1]);
}
