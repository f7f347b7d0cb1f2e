import { latin1 } from '../codec/fields.ts';

/*
 * Parses the text of a delivery receipt: `id:… sub:… dlvrd:… submit date:… done date:… stat:… err:… text:…` (3.4
 * appendix B). Carriers omit keys of the receipt, change the order and the case of the keys, and add their own keys.
 */

type Key = 'id' | 'sub' | 'dlvrd' | 'submitDate' | 'doneDate' | 'stat' | 'err';

/** The first word after each key of the receipt: undefined if the key is missing, empty if no word follows the key. */
export type ReceiptText = { readonly [K in Key]: string | undefined };

/**
 * The most octets of a receipt's text that are parsed. All keys of the standard fit in about 130 octets; then the text
 * of the message follows.
 */
const readMax = 1024;

const keyPattern = /(?:^|[\s\0,;|])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text) ?:/gi;

const word = String.raw`([^\0-\x20\xa0,;|]*)`;

/** Exactly the form of the standard, which most carriers use. One match takes a fifth of the time of a search for keys. */
const standardForm = new RegExp(
  `^id:${word} sub:${word} dlvrd:${word} submit date:${word} done date:${word} stat:${word} err:${word}(?: text:|$)`,
  'i',
);

const space = 0x20;
const comma = 0x2c;
const semicolon = 0x3b;
const bar = 0x7c;

/** The spellings of each receipt key, in lower case and without underscores. */
const keys: ReadonlyMap<string, Key | 'text'> = new Map([
  ['id', 'id'],
  ['sub', 'sub'],
  ['dlvrd', 'dlvrd'],
  ['submitdate', 'submitDate'],
  ['submit date', 'submitDate'],
  ['donedate', 'doneDate'],
  ['done date', 'doneDate'],
  ['stat', 'stat'],
  ['err', 'err'],
  ['text', 'text'],
]);

/**
 * Parses octets instead of characters, because the message after `text:` may be in any alphabet. If a key occurs twice,
 * the first occurrence counts. If `stat` comes before `text:`, parsing stops at `text:`, because a person wrote the
 * text after it.
 */
export function parseReceiptText(octets: Uint8Array): ReceiptText {
  const text = toText(octets);
  const standard = standardForm.exec(text);
  if (standard === null) return searchKeys(text);
  const [, id, sub, dlvrd, submitDate, doneDate, stat, err] = standard;
  return { id, sub, dlvrd, submitDate, doneDate, stat, err };
}

function searchKeys(text: string): ReceiptText {
  const words: { [K in Key]: string | undefined } = {
    id: undefined,
    sub: undefined,
    dlvrd: undefined,
    submitDate: undefined,
    doneDate: undefined,
    stat: undefined,
    err: undefined,
  };
  keyPattern.lastIndex = 0;
  let match = keyPattern.exec(text);
  while (match !== null) {
    const key = keyOf(match[1] ?? '');
    if (key === 'text' && words.stat !== undefined) break;
    const at = match.index + match[0].length;
    match = keyPattern.exec(text);
    if (key !== 'text') words[key] ??= firstWord(text, at, match?.index ?? text.length);
  }
  return words;
}

function keyOf(spelling: string): Key | 'text' {
  return keys.get(spelling) ?? keys.get(spelling.toLowerCase().replace('_', '')) ?? 'text';
}

function firstWord(text: string, from: number, to: number): string {
  let start = from;
  while (start < to && text.charCodeAt(start) <= space) start++;
  let end = start;
  while (end < to && !endsWord(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

/** Compares character codes, which is fast. This function runs for every character of every receipt. */
function endsWord(code: number): boolean {
  return code <= space || code === comma || code === semicolon || code === bar;
}

/**
 * Returns a string with one character for each octet. If the carrier sent the receipt in UCS-2, every second octet is
 * skipped.
 */
function toText(octets: Uint8Array): string {
  const isBigEndian = octets[0] === 0 && octets[2] === 0;
  const isLittleEndian = octets[1] === 0 && octets[3] === 0;
  if (!isBigEndian && !isLittleEndian) return latin1(octets, 0, readMax);
  return latin1(octets.subarray(0, readMax).filter((_, at) => at % 2 === (isBigEndian ? 1 : 0)));
}
