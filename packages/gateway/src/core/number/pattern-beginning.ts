/*
 * How the numbers of a pattern begin. libphonenumber's patterns say a whole number, digit by digit, but networks connect a
 * number by how it begins: digits that are dialled beyond its end are dropped, and one that is too short may be looked at all the same.
 */

/** One or several in a row of what a pattern is made of, with how often it may come. */
interface Piece {
  readonly text: string;
  /** The alternatives inside of a group that may be taken apart; undefined for what is one digit. */
  readonly group: readonly string[] | undefined;
  readonly quantifier: string;
}

/**
 * A pattern of how numbers of `pattern` begin: it ends with the last digit that tells them from others, so that any digits
 * may follow, and any number of them. Empty where every number is one of them.
 */
export function beginningOf(pattern: string): string {
  const beginnings = alternativesOf(pattern).map((each) => beginningOfOne(each));
  return beginnings.includes('') ? '' : [...new Set(beginnings)].join('|');
}

function beginningOfOne(alternative: string): string {
  const pieces = piecesOf(alternative);
  for (let last = pieces.pop(); last; last = pieces.pop()) {
    if (last.text === anyDigit || canBeMissing(last.quantifier)) continue;
    const before = pieces.map(({ text, quantifier }) => text + quantifier).join('');
    if (!last.group) return before + last.text + last.quantifier;
    const inner = last.group.map((each) => beginningOfOne(each));
    // In each alternative the digits after it tell nothing: nor does the group.
    if (inner.every((each) => each === '')) continue;
    return last.quantifier === ''
      ? `${before}(?:${[...new Set(inner)].join('|')})`
      : before + last.text + last.quantifier;
  }
  return '';
}

const anyDigit = '\\d';

function canBeMissing(quantifier: string): boolean {
  return quantifier === '?' || quantifier === '*' || quantifier.startsWith('{0');
}

/** At the top of the pattern; those of groups stay in their groups. */
function alternativesOf(pattern: string): string[] {
  const alternatives: string[] = [];
  let text = '';
  for (const piece of piecesOf(pattern)) {
    if (piece.text === '|') {
      alternatives.push(text);
      text = '';
    } else {
      text += piece.text + piece.quantifier;
    }
  }
  return [...alternatives, text];
}

/** A class, an escape, a digit or a bar; groups are looked at before. */
const simplePiece = /\[[^\]]*\]|\\.|[^([]/y;
const quantifierPattern = /(?:\{\d+(?:,\d*)?\}|[?*+])?/y;

function piecesOf(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < pattern.length) {
    const end = pattern[at] === '(' ? endOfGroup(pattern, at) : at + take(simplePiece, pattern, at).length;
    const text = pattern.slice(at, end);
    // An empty piece would be looked at for ever: what is no pattern of the metadata ends here.
    if (text === '') throw new Error('a pattern of the metadata cannot be read');
    const quantifier = take(quantifierPattern, pattern, end);
    const group = text.startsWith('(?:') ? alternativesOf(text.slice('(?:'.length, -1)) : undefined;
    pieces.push({ text, group, quantifier });
    at = end + quantifier.length;
  }
  return pieces;
}

function take(what: RegExp, pattern: string, at: number): string {
  what.lastIndex = at;
  return what.exec(pattern)?.[0] ?? '';
}

function endOfGroup(pattern: string, start: number): number {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === '(') depth += 1;
    if (pattern[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('a group of a pattern of the metadata has no end');
}
