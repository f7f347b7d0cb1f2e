/* Parses senders and receivers into the one form in which they are stored and shown. */

import { encodeGsm } from '@morsel/gsm';
import { canExist } from './number-plan.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

declare const receiver: unique symbol;
declare const sender: unique symbol;

/** A receiver as it is stored: `+` and 7 to 15 digits, the first digit not 0. */
export type Receiver = string & { readonly [receiver]: true };

/**
 * A sender as it is stored: an international number with `+`, a short code of 3 to 8 digits, or a name of 1 to 11
 * characters with at least one letter.
 */
export type Sender = string & { readonly [sender]: true };

export type SenderForm = 'international' | 'short_code' | 'alphanumeric';

const digitsMin = 7;
const digitsMax = 15;
/** A longer input is refused unread. 15 digits with a prefix and separators between all digits are much shorter. */
const inputMax = 64;
const alphanumericMax = 11;

const shortCodePattern = /^[0-9]{3,8}$/;
const internationalPattern = /^\+[0-9]+$/;
const letterPattern = /\p{L}/u;
// Line feed and carriage return belong to the GSM alphabet, but a sender with them would look wrong in lists.
const controlPattern = /\p{Cc}/u;

const plus = 0x2b;
const zero = 0x30;
const nine = 0x39;

/**
 * Parses a receiver: an international number with `+`, with `00`, or with digits only. Spaces, `-`, `.`, `(` and `)`
 * may separate the digits. Blanks around the number are dropped.
 */
export function parseReceiver(input: string): Result<Receiver, Rejection> {
  const number = readInternational(input.trim());
  return number.ok
    ? ok(toReceiver(number.value))
    : refused({ code: 'invalid_parameter', field: 'receiver', detail: number.error });
}

/**
 * Parses a sender: a name, a short code of 3 to 8 digits, or a number in the forms of a receiver. A name has at least
 * one letter and at most 11 characters of the GSM default alphabet. Characters of the extension table and control
 * characters are not allowed in names. Blanks around the sender are dropped.
 */
export function parseSender(given: string): Result<Sender, Rejection> {
  const input = given.trim();
  if (shortCodePattern.test(input)) return ok(toSender(input));
  if (isAlphanumeric(input)) return ok(toSender(input));
  const number = readInternational(input);
  if (number.ok) return ok(toSender(number.value));
  const isNumber = !letterPattern.test(input) && number.error !== notDigits.error;
  return refused({ code: 'invalid_sender', detail: isNumber ? `${number.error}; ${senderForms}` : senderForms });
}

/** Short enough for `additional_status_info_text`, also behind another sentence. */
export const senderForms = `a sender must be an international number such as +41791112233, a short code of 3 to 8 digits, or a name of 1 to ${alphanumericMax} characters of the GSM default alphabet with a letter`;

/** The beginning of a number with `+`, of a short code, or of a name (up to ten characters), followed by `*`. */
const beginning = /^(?:\+[1-9]\d{0,14}|[^+*\p{Cc}]{1,10})\*$/u;
const beginningHint = 'must be a sender, or the beginning of a sender followed by *, such as +41* or ACME*';

export function parseSenderMatch(given: string): Result<string, string> {
  if (given.endsWith('*')) return beginning.test(given) ? ok(given) : refused(beginningHint);
  const exact = parseSender(given);
  return exact.ok ? exact : refused('detail' in exact.error ? exact.error.detail : beginningHint);
}

/** The form of a sender. It decides the type of number (TON) over SMPP. */
export function senderForm(address: Sender): SenderForm {
  if (internationalPattern.test(address)) return 'international';
  return shortCodePattern.test(address) ? 'short_code' : 'alphanumeric';
}

/** Only this function makes a `Receiver`. */
function toReceiver(stored: string): Receiver {
  return stored as Receiver;
}

/** Makes a `Sender` of a text that `parseSender` accepted before, such as a stored sender. */
export function toSender(stored: string): Sender {
  return stored as Sender;
}

function isAlphanumeric(input: string): boolean {
  if (!letterPattern.test(input) || input.length > alphanumericMax || controlPattern.test(input)) return false;
  const encoded = encodeGsm(input);
  // A character of the extension table needs two septets.
  return encoded.ok && encoded.septets.length === input.length;
}

function readInternational(input: string): Result<string, string> {
  if (input.length > inputMax) return tooManyDigits;
  const first = input.charCodeAt(0);
  const hasPlus = first === plus;
  const digits = readDigits(input, hasPlus ? 1 : 0);
  if (digits === undefined) return notDigits;
  const international = !hasPlus && digits.startsWith('00') ? digits.slice(2) : digits;
  if (international.startsWith('0')) return notInternational;
  if (international.length < digitsMin) return tooFewDigits;
  if (international.length > digitsMax) return tooManyDigits;
  return canExist(international) ? ok(`+${international}`) : cannotExist;
}

const notDigits = refused(
  'a number must consist of digits; + or 00 may come first, and spaces, -, . and brackets may separate digits',
);
const notInternational = refused('a number must begin with its country code, which never begins with 0');
const tooFewDigits = refused(`a number must have at least ${digitsMin} digits with its country code`);
const tooManyDigits = refused(`a number must have at most ${digitsMax} digits with its country code`);
const cannotExist = refused('no number with this country code has this many digits');

function readDigits(input: string, start: number): string | undefined {
  let digits = '';
  let run = start;
  for (let at = start; at < input.length; at++) {
    const unit = input.charCodeAt(at);
    if (unit >= zero && unit <= nine) continue;
    if (!separators.includes(input.charAt(at))) return undefined;
    digits += input.slice(run, at);
    run = at + 1;
  }
  if (run === 0) return input;
  return run === start || areBetweenDigits(input.slice(start)) ? digits + input.slice(run) : undefined;
}

const separators = ' -.()';
/** A number that begins and ends with a digit. Only spaces and brackets may stand around it. */
const endsPattern = /^ *(\(?) *[0-9](?:.*[0-9])? *(\)?) *$/;

/**
 * Whether separators stand only where people write them. For example, a `-` before all digits would be a minus sign.
 */
function areBetweenDigits(input: string): boolean {
  const ends = endsPattern.exec(input);
  if (!ends) return false;
  const [, opening, closing] = ends;
  return (opening === '' || input.includes(')')) && (closing === '' || input.includes('('));
}
