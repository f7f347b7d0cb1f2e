import { createHmac } from 'node:crypto';

/* The codes that stand for phone numbers that were erased. */

const begin = '~';
/**
 * The number of letters in a code. With 26^11 codes, two of ten million numbers share a code with a chance of 1.4 %. A
 * code is as long as most numbers, so SQLite writes it in place of the number, and moves no other rows.
 */
const letters = 11;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/**
 * The code of a number. Messages of one number have the same code, so that lists and statements still group them. There
 * are few phone numbers: without the key, anybody could find the number by trying them all.
 */
export function erasedNumber(key: Uint8Array, number: string): string {
  return erasedAtRandom(createHmac('sha256', key).update(number).digest());
}

/** A random code, from which nobody can find the number again. */
export function erasedAtRandom(octets: Uint8Array): string {
  return begin + Array.from(octets.subarray(0, letters), (octet) => alphabet[octet % alphabet.length] ?? '').join('');
}

export function isErased(number: string): boolean {
  return number.startsWith(begin);
}

/** Whether a sender is the number of a person, and not a name or a short code. */
export function isPhoneNumber(sender: string): boolean {
  return sender.startsWith('+');
}

export function formsOf(number: string): readonly [string, string, string] {
  const digits = number.replace(/^\+/, '');
  return [`+${digits}`, digits, `00${digits}`];
}

/** All texts under which a number may be stored: the forms that carriers use, and the code of each form. */
export function namesOf(number: string, key: Uint8Array | undefined): readonly string[] {
  const forms = formsOf(number);
  return key ? [...forms, ...forms.map((form) => erasedNumber(key, form))] : forms;
}
