import { encodeGsm } from '@morsel/gsm';
import { canExist } from './number-plan.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

declare const receiver: unique symbol;
declare const sender: unique symbol;

/** A number in the one form that is stored and echoed: `+` and 7 to 15 digits, the first not 0. */
export type Receiver = string & { readonly [receiver]: true };

/** Such a number, a short code of 3 to 8 digits, or 1 to 11 characters with a letter among them. */
export type Sender = string & { readonly [sender]: true };

export type SenderForm = 'international' | 'short_code' | 'alphanumeric';

const digitsMin = 7;
const digitsMax = 15;
/** Longest input looked at: 15 digits with separators between all of them, and the prefix, with room to spare. */
const inputMax = 64;
const alphanumericMax = 11;

const shortCodePattern = /^[0-9]{3,8}$/;
const internationalPattern = /^\+[0-9]+$/;
const letterPattern = /\p{L}/u;
// Line feed and carriage return are in the alphabet too, but in a name they only deceive whoever reads it in a list.
const controlPattern = /\p{Cc}/u;

const plus = 0x2b;
const zero = 0x30;
const nine = 0x39;

/**
 * Reads a receiver: `+` and digits, digits alone in international form, or behind `00`; spaces, `-`, `.`, `(` and `)`
 * between them, a pair of brackets around them too. Blanks around it are dropped.
 */
export function parseReceiver(input: string): Result<Receiver, Rejection> {
  const number = readInternational(input.trim());
  return number.ok
    ? ok(toReceiver(number.value))
    : refused({ code: 'invalid_parameter', field: 'receiver', detail: number.error });
}

/**
 * Reads a sender: a number as receivers are (but 3 to 8 bare digits are a short code), or a name of up to 11 characters
 * of the GSM default alphabet, without its extension table and control characters, with a letter among them. Blanks around it are
 * dropped.
 */
export function parseSender(given: string): Result<Sender, Rejection> {
  const input = given.trim();
  if (shortCodePattern.test(input)) return ok(toSender(input));
  if (letterPattern.test(input)) {
    return isAlphanumeric(input)
      ? ok(toSender(input))
      : refused({
          code: 'invalid_sender',
          detail: `an alphanumeric sender has at most ${alphanumericMax} characters, all of the GSM default alphabet`,
        });
  }
  const number = readInternational(input);
  return number.ok ? ok(toSender(number.value)) : refused({ code: 'invalid_sender', detail: number.error });
}

/** Which of the three forms a sender has; SMPP's type of number follows from it. */
export function senderForm(address: Sender): SenderForm {
  if (internationalPattern.test(address)) return 'international';
  return shortCodePattern.test(address) ? 'short_code' : 'alphanumeric';
}

/** The one maker of the brand. */
function toReceiver(stored: string): Receiver {
  return stored as Receiver;
}

/** Brands what `parseSender` gave before, as when it comes back from the store. */
export function toSender(stored: string): Sender {
  return stored as Sender;
}

function isAlphanumeric(input: string): boolean {
  if (input.length > alphanumericMax || controlPattern.test(input)) return false;
  const encoded = encodeGsm(input);
  // A character of the extension table costs a second septet.
  return encoded.ok && encoded.septets.length === input.length;
}

/** `+` and the digits, or a sentence that says what is wrong with them. */
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

const notDigits = refused('a number is digits, with a leading + or 00 and with spaces, -, . and brackets between them');
const notInternational = refused('a number starts with its country code, which never starts with 0');
const tooFewDigits = refused(`a number has at least ${digitsMin} digits with its country code`);
const tooManyDigits = refused(`a number has at most ${digitsMax} digits with its country code`);
const cannotExist = refused('no number has this country code and this many digits');

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
/** Digits and separators with nothing around them but spaces, and a bracket on either side. */
const endsPattern = /^ *(\(?) *[0-9](?:.*[0-9])? *(\)?) *$/;

/** Whether the separators are where people write them: a `-` before the digits is a sign, and no number has one. */
function areBetweenDigits(input: string): boolean {
  const ends = endsPattern.exec(input);
  if (!ends) return false;
  const [, opening, closing] = ends;
  return (opening === '' || input.includes(')')) && (closing === '' || input.includes('('));
}
