/*
 * The kinds of field in the body of a PDU (SMPP 3.4 section 3.1). The command table describes each command in these
 * terms.
 */

/** Integer of one octet. */
export interface Int1 {
  readonly kind: 'int1';
}

/** A C-octet string: characters of one octet each, then a NUL. */
export interface CString {
  readonly kind: 'cstring';
  /** The standard's maximum in octets, with the NUL. A longer string is read and noted as an oddity. */
  readonly max: number;
  /** The most octets that we write, with the NUL. */
  readonly writeMax: number;
}

/** A length octet and that many octets. The standard gives the length a name of its own, such as sm_length. */
export interface Octets {
  readonly kind: 'octets';
  readonly max: number;
}

/** number_of_dests and its dest_address entries (3.4 section 4.5.1.1). */
export interface DestAddresses {
  readonly kind: 'dest_addresses';
}

/** no_unsuccess and its unsuccess_sme entries (3.4 section 4.5.2.1). */
export interface UnsuccessSmes {
  readonly kind: 'unsuccess_smes';
}

export type Field = Int1 | CString | Octets | DestAddresses | UnsuccessSmes;

/** A receiver of submit_multi: an address (dest_flag 1) or the name of a distribution list (dest_flag 2). */
export type DestAddress =
  | {
      readonly dest_flag: 1;
      readonly dest_addr_ton: number;
      readonly dest_addr_npi: number;
      readonly destination_addr: string;
    }
  | { readonly dest_flag: 2; readonly dl_name: string };

/** A receiver that submit_multi did not reach, and the command_status that says why. */
export interface UnsuccessSme {
  readonly dest_addr_ton: number;
  readonly dest_addr_npi: number;
  readonly destination_addr: string;
  readonly error_status_code: number;
}

/** The type of a field's value. Strings are Latin-1: one character for each octet. */
export type ValueOf<F extends Field> = F extends Int1
  ? number
  : F extends CString
    ? string
    : F extends Octets
      ? Uint8Array
      : F extends DestAddresses
        ? readonly DestAddress[]
        : F extends UnsuccessSmes
          ? readonly UnsuccessSme[]
          : never;

export const int1: Int1 = { kind: 'int1' };
export const destAddresses: DestAddresses = { kind: 'dest_addresses' };
export const unsuccessSmes: UnsuccessSmes = { kind: 'unsuccess_smes' };

/** `writeMax` is for fields where carriers expect more than the standard allows. */
export function cstring(max: number, writeMax = max): CString {
  return { kind: 'cstring', max, writeMax };
}

export function octets(max: number): Octets {
  return { kind: 'octets', max };
}
