/* One-time codes of authenticator apps (TOTP, RFC 6238, with the usual SHA-1, six digits and steps of 30 seconds). */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/** Octets of a new secret (RFC 4226, section 4, R6). */
export const codeSecretBytes = 20;

const stepMs = 30 * secondMs;
const digits = 6;
/** The clock of a phone may be wrong by one step. */
const stepsAround = [0, -1, 1] as const;
const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const letterBits = 5;

/** The time step of a code that is valid now and is later than `after`, so that no code counts twice. */
export function stepOfCode(secret: Uint8Array, code: string, { now, after }: { now: Instant; after: number }) {
  const present = Math.floor(now / stepMs);
  const given = Buffer.from(code);
  return stepsAround
    .map((around) => present + around)
    .find((step) => {
      const wanted = Buffer.from(codeAt(secret, step));
      return step > after && given.length === wanted.length && timingSafeEqual(given, wanted);
    });
}

/** The code of a step (RFC 4226, section 5.3). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The secret as an authenticator app takes it: letters and digits (RFC 4648, section 6), without padding. */
export function base32Of(octets: Uint8Array): string {
  let [bits, value, text] = [0, 0, ''];
  for (const octet of octets) {
    value = (value << 8) | octet;
    for (bits += 8; bits >= letterBits; bits -= letterBits) {
      text += base32Letters[(value >>> (bits - letterBits)) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + base32Letters[(value << (letterBits - bits)) & 31];
}

/** The octets of a secret as base32. Undefined for another text. */
export function octetsOf(text: string): Uint8Array | undefined {
  const letters = text.replaceAll(/[\s=]/g, '').toUpperCase();
  const octets: number[] = [];
  let [bits, value] = [0, 0];
  for (const letter of letters) {
    const number = base32Letters.indexOf(letter);
    if (number === -1) return undefined;
    value = ((value << letterBits) | number) & 0xff_ff;
    bits += letterBits;
    if (bits >= 8) octets.push((value >>> (bits -= 8)) & 0xff);
  }
  return octets.length === codeSecretBytes ? Uint8Array.from(octets) : undefined;
}
