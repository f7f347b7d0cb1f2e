import type { IdRule } from '../routing/carrier.ts';

/*
 * Message ids of carriers. An id of an answer or a receipt is stored in one text form that depends on no rule. A rule
 * says which form in an answer belongs to which form in a receipt. So a rule may be learned, set or changed at any time
 * without rewriting stored ids.
 */

/** A known rule. */
export type KnownRule = Exclude<IdRule, 'auto'>;

/** `same` first: it is what most carriers do. */
const knownRules: readonly KnownRule[] = ['same', 'hex-answer', 'hex-receipt'];

const digits = /^\d+$/;
const hexDigits = /^[\da-f]+$/;

/**
 * Characters of an id that are stored: message_id has 65 octets with its NUL (SMPP 3.4, 5.2.23), and some carriers
 * leave the NUL out.
 */
const carrierIdMax = 65;

/** The stored part of an id. A longer id is cut in answers and receipts alike, so the two still match. */
export function keptCarrierId(id: string): string {
  return id.slice(0, carrierIdMax);
}

/**
 * The form in which an id is stored and searched: without regard to case and, if it can be a number, to leading zeros.
 * Other ids, such as a UUID, stay as they are.
 */
export function carrierIdKey(id: string): string {
  const key = keptCarrierId(id).toLowerCase();
  return key.startsWith('0') && hexDigits.test(key) ? key.replace(/^0+(?=.)/, '') : key;
}

/**
 * The key of the answer that a receipt's key belongs to under a rule; null if the rule has none. An id that cannot be a
 * number compares as text under every rule: a hexadecimal reading would destroy it.
 */
export function answerKeyOf(receiptKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? receiptKey : reread(receiptKey, rule === 'hex-answer' ? 'decimal' : 'hex');
}

/** The key of the receipt that belongs to an answer's key under a rule: the reverse of `answerKeyOf`. */
export function receiptKeyOf(answerKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? answerKey : reread(answerKey, rule === 'hex-answer' ? 'hex' : 'decimal');
}

/** Converts the number from one base to the other. Ids can be wider than 64 bits, so it uses BigInt. */
function reread(key: string, from: 'decimal' | 'hex'): string | null {
  if (!hexDigits.test(key)) return key;
  if (from === 'hex') return BigInt(`0x${key}`).toString();
  return digits.test(key) ? BigInt(key).toString(16) : null;
}

/** All keys of answers that a receipt's key may belong to while no rule is known. It is one key if all rules agree. */
export function answerKeysOf(receiptKey: string): readonly string[] {
  return distinct(knownRules.map((rule) => answerKeyOf(receiptKey, rule)));
}

/** All keys of receipts that may belong to an answer's key while no rule is known. */
export function receiptKeysOf(answerKey: string): readonly string[] {
  return distinct(knownRules.map((rule) => receiptKeyOf(answerKey, rule)));
}

function distinct(keys: readonly (string | null)[]): readonly string[] {
  return [...new Set(keys.filter((key) => key !== null))];
}

/**
 * The rule that a matching pair of keys teaches: the only one under which they match. Null if several match (`7` is 7
 * in either base) or none does.
 */
export function ruleTaughtBy(answerKey: string, receiptKey: string): KnownRule | null {
  const fitting = knownRules.filter((rule) => answerKeyOf(receiptKey, rule) === answerKey);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
