import type { Language } from './alphabet.ts';
import { buildHeader, concatenation, type InformationElement } from './header.ts';
import { planText, type Dcs } from './plan.ts';
import { writeSeptets } from './septets.ts';
import { encodeUcs2 } from './ucs2.ts';
import type { Encoding, Unencodable } from './unencodable.ts';

/*
 * Turns a text into the parts to send.
 */

export interface ComposeOptions {
  /**
   * Languages whose national tables may be used. Default: none. A phone without these tables shows wrong characters.
   */
  readonly languages?: readonly Language[];
  /** The most parts. Default and maximum: 255, because the number of a part is one octet. */
  readonly maxParts?: number;
}

/** A text ready to be sent. */
export interface Composed {
  readonly ok: true;
  readonly encoding: Encoding;
  readonly numParts: number;
  /** The text of each part without its header: one septet in each octet for `gsm7`, UTF-16BE for `ucs2`. */
  readonly parts: readonly Uint8Array[];
  /** The elements in the header of each part besides the concatenation: the national tables, if any. */
  readonly header: readonly InformationElement[];
}

/** How a text would be sent. */
export type Counted = Omit<Composed, 'parts' | 'header'>;

/** The text needs more parts than are allowed. `numParts` is exact. */
export interface TooManyParts {
  readonly ok: false;
  readonly reason: 'parts';
  readonly encoding: Encoding;
  readonly numParts: number;
  readonly maxParts: number;
}

/** The total of a concatenation is one octet. */
const partsLimit = 255;

/**
 * Encodes a text and cuts it into parts. One part holds 160 septets or 70 UTF-16 units; each of several parts holds
 * 153 or 67, and fewer with national tables. Refuses a text that cannot be sent unchanged: it never throws, replaces
 * characters or shortens the text. The time is proportional to the length of the text.
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
 * The encoding and the number of parts that `compose` gives for this text, without building them. There is no limit.
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
 * The user data header of part `number` (from 1) with an 8-bit reference. Empty if the part needs none. It comes
 * before the octets of the part, and the sender must mark it (UDHI in the `esm_class` of SMPP).
 */
export function partHeader(
  { numParts, header }: Pick<Composed, 'numParts' | 'header'>,
  reference: number,
  number: number,
): Uint8Array {
  if (numParts > 1) return buildHeader([concatenation({ bits: 8, reference, total: numParts, number }), ...header]);
  return header.length > 0 ? buildHeader(header) : new Uint8Array(0);
}
