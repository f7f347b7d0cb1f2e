import { createHmac } from 'node:crypto';

/* The codes that stand for phone numbers that were erased. */

const begin = 'erased-';
/** 16 letters of 4 bits: two numbers of one store get the same code once in billions of numbers. */
const letters = 16;
const alphabet = 'abcdefghijklmnop';

/**
 * The code of a number. Messages of one number have one code, so that lists and statements still group them. Phone numbers
 * are few, so without the key anybody could try them all.
 */
export function erasedNumber(key: Uint8Array, number: string): string {
  return begin + lettersOf(createHmac('sha256', key).update(number).digest());
}

/** A code made of chance, with which nobody can find the number again. */
export function erasedAtRandom(random: Uint8Array): string {
  return begin + lettersOf(random);
}

export function isErased(number: string): boolean {
  return number.startsWith(begin);
}

/** Letters only: support sees numbers with their digits hidden, and a code is to stay whole. */
function lettersOf(octets: Uint8Array): string {
  const hex = Buffer.from(octets).toString('hex').slice(0, letters);
  return hex.replaceAll(/./g, (digit) => alphabet[Number.parseInt(digit, 16)] ?? '');
}

/** Whether a sender is the number of a person, and not a name or a short code. */
export function isPhoneNumber(sender: string): boolean {
  return sender.startsWith('+');
}
