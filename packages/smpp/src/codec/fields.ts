/*
 * The kinds of field in the body of a PDU (SMPP 3.4 section 3.1). The command table lists the fields of each command
 * with these kinds.
 */

/** Integer of one octet. */
export interface Int1 {
  readonly kind: 'int1';
}

/** A C-octet string: characters of one octet each, then a NUL. */
export interface CString {
  readonly kind: 'cstring';
  /**
   * The standard's maximum length in octets, including the NUL. The decoder reads a longer string and reports an
   * oddity.
   */
  readonly max: number;
  /** The maximum length in octets, including the NUL, that the encoder writes. */
  readonly writeMax: number;
}

/**
 * A length octet, then as many octets as it says. In the standard, the length octet is a separate field such as
 * sm_length.
 */
export interface Octets {
  readonly kind: 'octets';
  readonly max: number;
}

/** The list of receivers in submit_multi: number_of_dests and its dest_address entries (3.4 section 4.5.1.1). */
export interface DestAddresses {
  readonly kind: 'dest_addresses';
}

/**
 * The list of failed receivers in submit_multi_resp: no_unsuccess and its unsuccess_sme entries (3.4 section 4.5.2.1).
 */
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

/** A receiver to whom the message of a submit_multi could not be sent, and the reason (error_status_code). */
export interface UnsuccessSme {
  readonly dest_addr_ton: number;
  readonly dest_addr_npi: number;
  readonly destination_addr: string;
  readonly error_status_code: number;
}

/** The TypeScript type of a field's value. A string has one character for each octet (Latin-1). */
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

/** Pass `writeMax` for a field where some carriers require longer values than the standard allows. */
export function cstring(max: number, writeMax = max): CString {
  return { kind: 'cstring', max, writeMax };
}

export function octets(max: number): Octets {
  return { kind: 'octets', max };
}

/** The octets as a string with one character for each octet (Latin-1). A `Buffer` is read without a new view of it. */
export function latin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('latin1', from, to);
}
