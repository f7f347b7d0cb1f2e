import { idMaxes } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { IdRule } from '../routing/carrier.ts';

/*
 * Message ids of carriers. Some carriers write an id in hexadecimal in the answer and in decimal in the receipt, or the
 * reverse. A rule says which form a carrier uses where. Stored ids do not depend on the rule, so a rule can be set
 * or changed at any time without rewriting stored ids.
 */

export type KnownRule = Exclude<IdRule, 'auto'>;

/** `same` comes first, because most carriers write an id the same way in answers and receipts. */
export const knownRules: readonly KnownRule[] = ['same', 'hex-answer', 'hex-receipt'];

const digits = /^\d+$/;
const hexDigits = /^[\da-f]+$/;

/** The key under which an id is stored and searched: lower case and, for a number, without leading zeros. */
export function carrierIdKey(id: string): string {
  const key = id.toLowerCase();
  return key.startsWith('0') && hexDigits.test(key) ? key.replace(/^0+(?=.)/, '') : key;
}

/** The keys that an id may be stored under if the kind of its carrier is not known, because each kind cuts long ids. */
export function carrierIdKeys(id: string): readonly string[] {
  return [...new Set(idMaxes.map((max) => carrierIdKey(id.slice(0, max))))];
}

/**
 * Converts the key of an id in a receipt to the key of the same id in the answer. Null if the rule does not allow this
 * id. An id that cannot be a number has the same key in receipt and answer, under every rule.
 */
export function answerKeyOf(receiptKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? receiptKey : reread(receiptKey, rule === 'hex-answer' ? 'decimal' : 'hex');
}

/** The reverse of `answerKeyOf`. */
export function receiptKeyOf(answerKey: string, rule: KnownRule): string | null {
  return rule === 'same' ? answerKey : reread(answerKey, rule === 'hex-answer' ? 'hex' : 'decimal');
}

/** Converts an id between decimal and hexadecimal. An id can have more than 64 bits, so this uses BigInt. */
function reread(key: string, from: 'decimal' | 'hex'): string | null {
  if (!hexDigits.test(key)) return key;
  if (from === 'hex') return BigInt(`0x${key}`).toString();
  return digits.test(key) ? BigInt(key).toString(16) : null;
}

/** The keys that a receipt's id may have in the answer, by any rule; one if all rules agree. */
export function answerKeysOf(receiptKey: string): readonly string[] {
  return [...new Set(knownRules.map((rule) => answerKeyOf(receiptKey, rule)).filter((key) => key !== null))];
}

/** The length from which an id identifies a message without its phone numbers. Shorter ids repeat too often. */
const longKeyMin = 6;

export function isLongKey(receiptKey: string): boolean {
  return receiptKey.length >= longKeyMin;
}
