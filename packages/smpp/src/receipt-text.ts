/**
 * The text of a delivery receipt, `id:… sub:… dlvrd:… submit date:… done date:… stat:… err:… text:…` (3.4 appendix B),
 * as carriers really write it: any key missing, in any order and case, with other keys between.
 */

/** The first word after each key; undefined when the key is not there, empty when nothing follows it. */
export type ReceiptText = {
  readonly id: string | undefined;
  readonly sub: string | undefined;
  readonly dlvrd: string | undefined;
  readonly submitDate: string | undefined;
  readonly doneDate: string | undefined;
  readonly stat: string | undefined;
  readonly err: string | undefined;
};

/** All keys of the standard fit in some 130 octets; what is further on is the message's own text. */
const READ_MAX = 1024;

const KEY = /(?:^|[\s\0,;|])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text) ?:/gi;
const FIRST_WORD = /^[ \0]*([^\s\0,;|]*)/;

/**
 * Reads octets, not characters: the keys are ASCII, and what follows `text:` may be in any alphabet. Of a key that
 * stands twice the first counts, and nothing after `text:` once `stat` was read, since that is what a person wrote.
 */
export function parseReceiptText(octets: Uint8Array): ReceiptText {
  const text = toText(octets.subarray(0, READ_MAX));
  const words = new Map<string, string>();
  let open: { readonly key: string; readonly at: number } | undefined;
  for (const match of text.matchAll(KEY)) {
    if (open !== undefined) keep(words, open.key, text.slice(open.at, match.index));
    const key = (match[1] ?? '').toLowerCase().replace(/[ _]/, '');
    open = { key, at: match.index + match[0].length };
    if (key === 'text' && words.has('stat')) break;
  }
  if (open !== undefined) keep(words, open.key, text.slice(open.at));
  return {
    id: words.get('id'),
    sub: words.get('sub'),
    dlvrd: words.get('dlvrd'),
    submitDate: words.get('submitdate'),
    doneDate: words.get('donedate'),
    stat: words.get('stat'),
    err: words.get('err'),
  };
}

function keep(words: Map<string, string>, key: string, after: string): void {
  if (!words.has(key)) words.set(key, FIRST_WORD.exec(after)?.[1] ?? '');
}

/** One character an octet; of UCS-2, which some send their receipts in, every second octet. */
function toText(octets: Uint8Array): string {
  const isBigEndian = octets[0] === 0 && octets[2] === 0;
  const isLittleEndian = octets[1] === 0 && octets[3] === 0;
  const kept = isBigEndian || isLittleEndian ? octets.filter((_, at) => at % 2 === (isBigEndian ? 1 : 0)) : octets;
  return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('latin1');
}
