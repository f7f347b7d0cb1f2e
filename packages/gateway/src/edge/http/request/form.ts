import { isUtf8 } from 'node:buffer';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { parametersMax } from '../connection/limits.ts';
import { malformed } from './malformed.ts';

/*
 * Reads queries and forms (`application/x-www-form-urlencoded`) from their octets. Refuses invalid UTF-8 and broken
 * escapes, which most parsers replace or keep, so that no text is changed on the way.
 */

const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/** The characters that need decoding: the `%` of an escape, the `+` for a space, and octets outside ASCII. */
const needsDecoding = /[%+\u0080-\u00ff]/;

const tooMany = malformed(`the request has more than ${parametersMax} parameters`);
const broken = malformed('the parameters are not valid percent-encoded UTF-8');

/**
 * `source` has one character for each octet (Latin-1). A repeated parameter is refused. Errors name only parameters in
 * `known`, because an unknown name may be a piece of an unencoded text.
 */
export function parseForm(source: string, known: object): Result<Readonly<Record<string, unknown>>, Rejection> {
  // The object has no prototype, so that a parameter named `__proto__` is stored like any other parameter.
  const fields: Record<string, string> = Object.create(null);
  let count = 0;
  let end = 0;
  for (let start = 0; start < source.length; start = end + 1) {
    end = source.indexOf('&', start);
    if (end === -1) end = source.length;
    if (end === start) continue;
    if (++count > parametersMax) return tooMany;
    const pair = source.slice(start, end);
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return broken;
    if (name in fields) return malformed('a parameter occurs twice', Object.hasOwn(known, name) ? name : undefined);
    fields[name] = value;
  }
  return ok(fields);
}

function decode(source: string): string | undefined {
  if (!needsDecoding.test(source)) return source;
  const octets = Buffer.allocUnsafe(source.length);
  let length = 0;
  for (let at = 0; at < source.length; at++) {
    let octet = source.charCodeAt(at);
    if (octet === plus) octet = space;
    else if (octet === percent) {
      octet = hexDigit(source, at + 1) * 16 + hexDigit(source, at + 2);
      if (octet < 0) return undefined;
      at += 2;
    }
    octets[length++] = octet;
  }
  const decoded = octets.subarray(0, length);
  return isUtf8(decoded) ? decoded.toString('utf8') : undefined;
}

/** If the character is no hexadecimal digit, the result is so low that the value of two digits is negative, too. */
function hexDigit(source: string, at: number): number {
  const unit = source.charCodeAt(at);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -0x1000;
}
