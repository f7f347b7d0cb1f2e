import type { Language } from './alphabet.ts';
import { buildHeader, concatenation, type InformationElement } from './header.ts';
import { planText, type Dcs } from './plan.ts';
import { writeSeptets } from './septets.ts';
import { encodeUcs2 } from './ucs2.ts';
import type { Encoding, Unencodable } from './unencodable.ts';

/*
 * Encodes a text and splits it into the parts of a message.
 */

export interface ComposeOptions {
  /**
   * Languages whose national tables may be used. Default: none, because a phone without the national tables shows wrong
   * characters.
   */
  readonly languages?: readonly Language[];
  /**
   * The most parts that the message may have. Default and maximum: 255, because the standard stores the number of parts
   * in one octet.
   */
  readonly maxParts?: number;
}

/** A text that is encoded and split into parts. */
export interface Composed {
  readonly ok: true;
  readonly encoding: Encoding;
  readonly numParts: number;
  /**
   * The encoded text of each part, without the user data header. For `gsm7`, each octet contains one septet; `ucs2` is
   * UTF-16BE.
   */
  readonly parts: readonly Uint8Array[];
  /**
   * The information elements of each part's header that select national tables; the concatenation element is not
   * included.
   */
  readonly header: readonly InformationElement[];
}

/** The encoding and the number of parts of a text. */
export type Counted = Omit<Composed, 'parts' | 'header'>;

/** The text needs more parts (`numParts`) than `maxParts` allows. */
export interface TooManyParts {
  readonly ok: false;
  readonly reason: 'parts';
  readonly encoding: Encoding;
  readonly numParts: number;
  readonly maxParts: number;
}

/** The standard stores the number of parts in one octet. */
const partsLimit = 255;
const noHeader = new Uint8Array(0);

/**
 * Encodes a text and splits it into parts. A single part holds 160 septets or 70 UTF-16 units. Each of several parts
 * holds 153 septets or 67 UTF-16 units; national tables reduce the septets. Refuses a text that cannot be sent
 * unchanged: this function never replaces characters, never shortens the text and never throws. The run time is
 * proportional to the length of the text.
 */
export function compose(
  text: string,
  dcs: Dcs,
  { languages, maxParts = partsLimit }: ComposeOptions = {},
): Composed | Unencodable | TooManyParts {
  const plan = planText(text, dcs, languages);
  if (!plan.ok) return plan;
  const { encoding, header, ends } = plan;
  const numParts = ends.length;
  const most = Math.min(maxParts, partsLimit);
  if (numParts > most) return { ok: false, reason: 'parts', encoding, numParts, maxParts: most };
  let start = 0;
  const parts = ends.map((end) => {
    const part =
      plan.encoding === 'gsm7' ? writeSeptets({ text, start, end }, plan.alphabet) : encodeUcs2(text, start, end);
    start = end;
    return part;
  });
  return { ok: true, encoding, numParts, parts, header };
}

/**
 * Returns the encoding and the number of parts that `compose` returns for this text, but does not build the parts. The
 * number of parts has no limit here.
 */
export function countParts(
  text: string,
  dcs: Dcs,
  { languages }: Pick<ComposeOptions, 'languages'> = {},
): Counted | Unencodable {
  const plan = planText(text, dcs, languages);
  return plan.ok ? { ok: true, encoding: plan.encoding, numParts: plan.ends.length } : plan;
}

/**
 * Returns the user data header of part `number` (from 1) with an 8-bit reference; empty if the part needs no header.
 * The sender puts the header before the octets of the part and sets the UDHI bit in the `esm_class`.
 */
export function partHeader(
  { numParts, header }: Pick<Composed, 'numParts' | 'header'>,
  reference: number,
  number: number,
): Uint8Array {
  if (numParts > 1) return buildHeader([concatenation({ bits: 8, reference, total: numParts, number }), ...header]);
  return header.length > 0 ? buildHeader(header) : noHeader;
}
