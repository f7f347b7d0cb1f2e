import type { IdRule } from '../routing/carrier.ts';

/*
 * The ids that carriers give. What is kept of an id, in an answer or in a receipt, is one text form that depends on no
 * rule; a rule says which form of the one side belongs to which form of the other. So a rule may be learned, set or
 * changed at any time, and nothing that was kept before has to be written anew.
 */

/** A rule that says something of an id. */
export type KnownRule = Exclude<IdRule, 'auto'>;

/** `same` first: it is what most carriers do. */
const knownRules: readonly KnownRule[] = ['same', 'hex-answer', 'hex-receipt'];

const digits = /^\d+$/;
const hexDigits = /^[\da-f]+$/;

/** Characters of an id that are kept: message_id has 65 octets with its NUL (SMPP 3.4, 5.2.23), and some carriers leave the NUL out. */
const carrierIdMax = 65;

/** What is kept of an id. A longer one is cut, in answers and in receipts alike, so that the two still match. */
export function keptCarrierId(id: string): string {
  return id.slice(0, carrierIdMax);
}

/**
 * The form in which an id is kept and looked for: without regard to case and, if it can be a number, to zeros in front
 * (smpp-in-the-wild, 21). What is no number (a UUID) is itself.
 */
export function carrierIdKey(id: string): string {
  const key = keptCarrierId(id).toLowerCase();
  return key.startsWith('0') && hexDigits.test(key) ? key.replace(/^0+(?=.)/, '') : key;
}

/**
 * The key of the answer to which a receipt's key belongs under a rule; null where the rule knows no such receipt. What can
 * be no number is compared as text under every rule: a hexadecimal reading would destroy it.
 */
export function answerKeyOf(receiptKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? receiptKey : reread(receiptKey, rule === 'hex-answer' ? 'decimal' : 'hex');
}

/** The key of the receipt that belongs to an answer's key under a rule: the reverse of `answerKeyOf`. */
export function receiptKeyOf(answerKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? answerKey : reread(answerKey, rule === 'hex-answer' ? 'hex' : 'decimal');
}

/** The number that stands there in one base, in the other. Ids are wider than 64 bits: only BigInt keeps them. */
function reread(key: string, from: 'decimal' | 'hex'): string | null {
  if (!hexDigits.test(key)) return key;
  if (from === 'hex') return BigInt(`0x${key}`).toString();
  return digits.test(key) ? BigInt(key).toString(16) : null;
}

/** All answers that a receipt of this key may belong to while no rule is known: one, if all rules agree about it. */
export function answerKeysOf(receiptKey: string): readonly string[] {
  return distinct(knownRules.map((rule) => answerKeyOf(receiptKey, rule)));
}

/** All receipts that may belong to an answer of this key while no rule is known. */
export function receiptKeysOf(answerKey: string): readonly string[] {
  return distinct(knownRules.map((rule) => receiptKeyOf(answerKey, rule)));
}

function distinct(keys: readonly (string | null)[]): readonly string[] {
  return [...new Set(keys.filter((key) => key !== null))];
}

/**
 * The rule that a pair of keys, known to be of one message, teaches: the only one under which they are. Null where several
 * agree (`7` is 7 in either base) or none does.
 */
export function ruleTaughtBy(answerKey: string, receiptKey: string): KnownRule | null {
  const fitting = knownRules.filter((rule) => answerKeyOf(receiptKey, rule) === answerKey);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
