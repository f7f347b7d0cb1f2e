import { alphabetOf, hasLockingTable, type Alphabet, type Language, type National } from './alphabet.ts';
import { shiftsOf, type InformationElement } from './header.ts';
import { countSeptets, cutSeptets } from './septets.ts';
import { cutUcs2 } from './ucs2.ts';
import { findBroken, findOutside, type Encoding, type Unencodable } from './unencodable.ts';

/*
 * Decides the encoding of a text and where its parts end. `compose` and `countParts` use the same plan, so `countParts`
 * always returns the actual number of parts.
 */

/** The requested encoding of a text. `SMS` means GSM if all characters are in the GSM alphabet, and otherwise UCS. */
export type Dcs = 'GSM' | 'UCS' | 'SMS';

/**
 * The plan for a text that can be sent: its encoding, the information elements of each part's header, and where each
 * part ends.
 */
export type Plan = {
  readonly ok: true;
  readonly header: readonly InformationElement[];
  /** The position in the text after the last UTF-16 unit of each part. */
  readonly ends: readonly number[];
} & ({ readonly encoding: 'gsm7'; readonly alphabet: Alphabet } | { readonly encoding: 'ucs2' });

/** The number of octets of user data in one part (3GPP TS 23.040, section 9.2.3.24). */
const userDataOctets = 140;

/** The length of a concatenation element with an 8-bit reference: id, length, reference, total, number. */
const concatenationElementOctets = 5;

/** The length of an element that selects a national table: id, length, identifier. */
const shiftElementOctets = 3;

const empty: Unencodable = { ok: false, reason: 'empty', character: '', position: 0 };
const noElements: readonly InformationElement[] = [];

/**
 * Returns how much text fits into a part whose header has information elements of `elementOctets`: septets for `gsm7`,
 * UTF-16 units for `ucs2`.
 */
export function capacity(encoding: Encoding, elementOctets = 0): number {
  const octets = elementOctets === 0 ? userDataOctets : userDataOctets - 1 - elementOctets;
  return encoding === 'gsm7' ? Math.floor((octets * 8) / 7) : octets >> 1;
}

/**
 * Plans how to encode and split a text. Uses national tables of `languages` only if the default alphabet cannot encode
 * the text or needs more parts. If several plans need the same number of parts, the preferred order is: no national
 * table, single shift tables, locking shift tables, both tables of a language.
 */
export function planText(text: string, dcs: Dcs, languages: readonly Language[] = []): Plan | Unencodable {
  if (text === '') return empty;
  if (dcs !== 'UCS') {
    const plan = planGsm(text, {});
    const best = languages.length > 0 ? betterPlan(text, plan, languages) : plan;
    if (best) return best;
    if (dcs === 'GSM') return findRefusal(text, languages);
  }
  return findBroken(text) ?? planUcs2(text);
}

function planUcs2(text: string): Plan {
  const single = text.length <= capacity('ucs2');
  const ends = single ? [text.length] : cutUcs2(text, capacity('ucs2', concatenationElementOctets));
  return { ok: true, encoding: 'ucs2', header: noElements, ends };
}

function planGsm(text: string, national: National): Plan | undefined {
  const alphabet = alphabetOf(national);
  const septets = countSeptets(text, alphabet);
  if (septets === undefined) return undefined;
  const header = shiftsOf(national);
  const shiftOctets = header.length * shiftElementOctets;
  const single = septets <= capacity('gsm7', shiftOctets);
  const ends = single
    ? [text.length]
    : cutSeptets(text, alphabet, capacity('gsm7', shiftOctets + concatenationElementOctets));
  return { ok: true, encoding: 'gsm7', alphabet, header, ends };
}

function betterPlan(text: string, plan: Plan | undefined, languages: readonly Language[]): Plan | undefined {
  let best = plan;
  for (const national of choicesOf(languages)) {
    if (best && best.ends.length <= fewestNational(text)) break;
    const other = planGsm(text, national);
    if (other && (!best || other.ends.length < best.ends.length)) best = other;
  }
  return best;
}

/** The smallest number of parts that is possible with national tables: every UTF-16 unit needs at least one septet. */
function fewestNational(text: string): number {
  if (text.length <= capacity('gsm7', shiftElementOctets)) return 1;
  return Math.ceil(text.length / capacity('gsm7', shiftElementOctets + concatenationElementOctets));
}

/**
 * Returns the choices of national tables in order of preference. Single shift tables come first, because a phone
 * without the table shows only the shifted characters wrong.
 */
function choicesOf(languages: readonly Language[]): National[] {
  const locking = languages.filter((language) => hasLockingTable(language));
  return [
    ...languages.map((language) => ({ single: language })),
    ...locking.map((language) => ({ locking: language })),
    ...locking.map((language) => ({ locking: language, single: language })),
  ];
}

/**
 * Returns the refusal with the highest position among all choices of tables. No choice of tables can encode the text
 * past that position.
 */
function findRefusal(text: string, languages: readonly Language[]): Unencodable {
  let furthest = empty;
  for (const national of [{}, ...choicesOf(languages)]) {
    const refusal = findOutside(text, alphabetOf(national));
    if (refusal && (furthest === empty || refusal.position > furthest.position)) furthest = refusal;
  }
  return furthest;
}
