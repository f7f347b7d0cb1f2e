import { decodeGsm } from '@morsel/gsm';
import type { Rejection } from '../../../core/base/rejection.ts';
import { senderForms } from '../../../core/number/address.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

/*
 * Converts a client's addresses to the form of the HTTP API, for `core/message/admission.ts`. The numbering plan (NPI)
 * is ignored, because clients send 0, 1, 8 or 9 for the same number.
 */

/** Types of number (SMPP 3.4, section 5.2.5). */
const tonUnknown = 0;
const tonInternational = 1;
const tonNational = 2;
const tonNetworkSpecific = 3;
const tonAlphanumeric = 5;
const tonAbbreviated = 6;

/** An address with fewer than 7 digits is a short code, whatever its type of number. */
const internationalMin = 7;
const digitsPattern = /^[0-9]+$/;

export function readSender(address: string, ton: number): Result<string, Rejection> {
  switch (ton) {
    case tonInternational:
      return ok(asInternational(address));
    case tonUnknown:
    case tonNetworkSpecific:
    case tonAbbreviated:
    case tonAlphanumeric:
      return ok(digitsPattern.test(address) ? address : nameOf(address));
    default:
      return refused({ code: 'invalid_sender', detail: ton === tonNational ? nationalSender : unknownType });
  }
}

export function readReceiver(address: string, ton: number): Result<string, Rejection> {
  switch (ton) {
    case tonInternational:
      return ok(digitsPattern.test(address) ? asInternational(address) : address);
    case tonUnknown:
      return ok(address);
    default: {
      const detail = ton === tonNational ? national : notInternational;
      return refused({ code: 'invalid_parameter', field: 'receiver', detail });
    }
  }
}

const national =
  'a national number (TON 2) has no country code: send the number in international form, with its country code and TON 1';
const nationalSender = `a national number (TON 2) has no country code; ${senderForms}`;
const unknownType =
  'the type of number of a sender must be 1 (international), 5 (alphanumeric), 3 or 6 (short code), or 0';
const notInternational = 'a receiver must be an international number, with its country code and TON 1';

function asInternational(address: string): string {
  if (!digitsPattern.test(address) || address.startsWith('00') || address.length < internationalMin) return address;
  return `+${address}`;
}

/** The octets in a sender's name that must be GSM codes: control characters, and ASCII that the GSM alphabet lacks. */
// oxlint-disable-next-line no-control-regex
const gsmOctets = /[\u0001-\u0009\u000b\u000c\u000e-\u001a\u001c-\u001f[-^`{-\u007f]/g;

/** Reads one octet for each character: GSM codes if the address matches `gsmOctets`, otherwise Latin-1. */
function nameOf(address: string): string {
  return address.replaceAll(gsmOctets, (octet) => decodeGsm(Uint8Array.of(octet.charCodeAt(0))));
}
