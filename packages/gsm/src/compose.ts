/** From a text to the parts that are sent. */
import type { Language } from './alphabet.ts';
import { buildHeader, concatenation, type InformationElement } from './header.ts';
import { planText, type Dcs } from './plan.ts';
import { writeSeptets } from './septets.ts';
import { encodeUcs2 } from './ucs2.ts';
import type { Encoding, Unencodable } from './unencodable.ts';

export interface ComposeOptions {
  /** Languages whose national tables may be used; none when left out. A phone without them shows other characters. */
  readonly languages?: readonly Language[];
  /** More parts than this are refused; 255 when left out, and never more, as a part's number is one octet. */
  readonly maxParts?: number;
}

/** A text ready to be sent. */
export interface Composed {
  readonly ok: true;
  readonly encoding: Encoding;
  readonly numParts: number;
  /** The text of each part without its header: one septet an octet for `gsm7`, UTF-16BE for `ucs2`. */
  readonly parts: readonly Uint8Array[];
  /** The elements that the header of every part carries besides the concatenation: the national tables, if any. */
  readonly header: readonly InformationElement[];
}

/** How a text would be sent. */
export type Counted = Omit<Composed, 'parts' | 'header'>;

/** A text that takes more parts than are allowed; `numParts` is exact. */
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
 * Encodes a text and cuts it into parts: 160 septets or 70 UTF-16 units, or 153 and 67 where there are several; fewer
 * with national tables. Refuses what cannot be sent as it is: never throws, replaces or shortens. Takes time in
 * proportion to the text.
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

/** The encoding and the number of parts that `compose` gives for this text, whatever their number, unbuilt. */
export function countParts(
  text: string,
  dcs: Dcs,
  { languages }: Pick<ComposeOptions, 'languages'> = {},
): Counted | Unencodable {
  const plan = planText(text, dcs, languages);
  return plan.ok ? { ok: true, encoding: plan.encoding, numParts: plan.ends.length } : plan;
}

/**
 * The user data header of part `number` (from 1) with an 8-bit reference; empty when the part needs none. It stands
 * before the part's octets, which the sender marks (`esm_class` UDHI in SMPP).
 */
export function partHeader(
  { numParts, header }: Pick<Composed, 'numParts' | 'header'>,
  reference: number,
  number: number,
): Uint8Array {
  if (numParts > 1) return buildHeader([concatenation({ bits: 8, reference, total: numParts, number }), ...header]);
  return header.length > 0 ? buildHeader(header) : new Uint8Array(0);
}
