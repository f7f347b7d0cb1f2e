import { alphabetOf, hasLockingTable, type Alphabet, type Language, type National } from './alphabet.ts';
import { shiftsOf, type InformationElement } from './header.ts';
import { countSeptets, cutSeptets } from './septets.ts';
import { cutUcs2 } from './ucs2.ts';
import { findBroken, findOutside, type Encoding, type Unencodable } from './unencodable.ts';

/*
 * Decides which encoding a text gets and where its parts end. Counting and composing use the same plan.
 */

/** The data coding scheme of a request. `SMS` means GSM if all characters are in its alphabet, else UCS. */
export type Dcs = 'GSM' | 'UCS' | 'SMS';

/** A text that can be sent: its encoding, the elements in the header of each part, and where each part ends. */
export type Plan = {
  readonly ok: true;
  readonly header: readonly InformationElement[];
  /** The end of each part in UTF-16 units of the text. */
  readonly ends: readonly number[];
} & ({ readonly encoding: 'gsm7'; readonly alphabet: Alphabet } | { readonly encoding: 'ucs2' });

/** The octets of user data in one message (3GPP TS 23.040, section 9.2.3.24). */
const userDataOctets = 140;

/** Concatenation with an 8-bit reference: id, length, reference, total, number. */
const concatenationElementOctets = 5;

/** A shift table: id, length, identifier. */
const shiftElementOctets = 3;

const empty: Unencodable = { ok: false, reason: 'empty', character: '', position: 0 };
const noElements: readonly InformationElement[] = [];

/** How much text fits in a part besides information elements: septets for `gsm7`, UTF-16 units for `ucs2`. */
export function capacity(encoding: Encoding, elementOctets = 0): number {
  const octets = elementOctets === 0 ? userDataOctets : userDataOctets - 1 - elementOctets;
  return encoding === 'gsm7' ? Math.floor((octets * 8) / 7) : octets >> 1;
}

/**
 * Plans a text. National tables of `languages` are used if they make the text fit or save a part. Of equal choices the
 * first wins, in the order no table, single shift tables, locking shift tables, both tables of a language.
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

/** The fewest parts that national tables could need: one septet for each UTF-16 unit. */
function fewestNational(text: string): number {
  if (text.length <= capacity('gsm7', shiftElementOctets)) return 1;
  return Math.ceil(text.length / capacity('gsm7', shiftElementOctets + concatenationElementOctets));
}

/** Single shift tables come first, because a phone without them misreads only the shifted characters. */
function choicesOf(languages: readonly Language[]): National[] {
  const locking = languages.filter((language) => hasLockingTable(language));
  return [
    ...languages.map((language) => ({ single: language })),
    ...locking.map((language) => ({ locking: language })),
    ...locking.map((language) => ({ locking: language, single: language })),
  ];
}

/** The refusal with the highest position of all choices: no choice of tables can encode that character. */
function findRefusal(text: string, languages: readonly Language[]): Unencodable {
  let furthest = empty;
  for (const national of [{}, ...choicesOf(languages)]) {
    const refusal = findOutside(text, alphabetOf(national));
    if (refusal && (furthest === empty || refusal.position > furthest.position)) furthest = refusal;
  }
  return furthest;
}
