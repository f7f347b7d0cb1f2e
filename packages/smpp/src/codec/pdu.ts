import type { commands, CommandName } from './commands.ts';
import type { Field, ValueOf } from './fields.ts';

/*
 * The types of PDUs, which follow from the command table, and the limits and faults of the codec.
 */

/** One optional parameter as it is on the wire, even if its tag is unknown (3.4 section 3.2.4). */
export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** In wire order. A tag may occur twice. */
export type Tlvs = readonly Tlv[];

type ValuesOf<Fields extends Readonly<Record<string, Field>>, Missing> = {
  readonly [Name in keyof Fields]: ValueOf<Fields[Name]> | Missing;
};

/**
 * The mandatory fields of a command. In a response they may be `null`: the PDU ended before them, as in an error
 * response without a body. The encoder writes nothing for `null`, and a NUL for the empty string.
 */
export type FieldsOf<C extends CommandName> = ValuesOf<
  (typeof commands)[C]['fields'],
  C extends `${string}_resp` ? null : never
>;

/** A PDU of one command, its fields named as the standard spells them. */
export type PduOf<C extends CommandName> = C extends CommandName
  ? {
      readonly command: C;
      readonly command_status: number;
      readonly sequence_number: number;
    } & FieldsOf<C> & {
        readonly tlvs: Tlvs;
        /**
         * Octets at the end that are no TLV, such as a TLV that is cut off. Left out if there are none. Never
         * written.
         */
        readonly rest?: Uint8Array;
      }
  : never;

/** Any PDU. `command` says which one. */
export type Pdu = PduOf<CommandName>;

/** A PDU to encode. A field that is left out is written as 0 or empty, or not at all in an error response. */
export type EncodableOf<C extends CommandName> = C extends CommandName
  ? {
      readonly command: C;
      readonly command_status?: number;
      readonly sequence_number: number;
    } & Partial<FieldsOf<C>> & { readonly tlvs?: Tlvs }
  : never;

export type Encodable = EncodableOf<CommandName>;

/** Values of esm_class (3.4 section 5.2.12): the mode is in bits 1 and 0, the type of the message in bits 5 to 2. */
export const esmClass = {
  modeMask: 0x03,
  forwardMode: 0x02,
  typeMask: 0x3c,
  receipt: 0x04,
  intermediate: 0x20,
  userDataHeader: 0x40,
  replyPath: 0x80,
} as const;

/** Values of data_coding (3.4 section 5.2.19). */
export const dataCoding = { latin1: 3, binary: 4, ucs2: 8 } as const;

/** command_length, command_id, command_status and sequence_number (3.4 section 3.2). */
export const headerLength = 16;

/**
 * The longest PDU that we read or write. A message_payload alone could be as long, but no network takes such a text.
 */
export const pduLengthMax = 65_536;

/**
 * Why bytes cannot be read as a PDU.
 *
 * - `command_length`: it is not 16 to 65,536, or not the length of the bytes. If it comes from the framer, nobody
 *   can tell where the next PDU begins, and the connection must be closed.
 * - `command_id`: no version of the standard has this command. The session continues.
 * - `body`: the body ends before its last field. The session continues.
 */
export interface Fault {
  readonly kind: 'command_length' | 'command_id' | 'body';
  /** The command_status to answer a request with: ESME_RINVCMDLEN, ESME_RINVCMDID or ESME_RINVMSGLEN. */
  readonly command_status: number;
  /** 0 if there were too few bytes to read it. */
  readonly command_id: number;
  readonly sequence_number: number;
  /** A sentence for the log. It never contains a value of a field, which could be a text or a password. */
  readonly reason: string;
}

/** An oddity is a deviation from the standard that did not prevent reading: a short sentence for the log. */
export type Decoded =
  | { readonly ok: true; readonly pdu: Pdu; readonly oddities: readonly string[] }
  | { readonly ok: false; readonly fault: Fault };

/** The caller gave a PDU that the standard does not allow. This is a bug of the caller. */
export class EncodeError extends RangeError {
  override readonly name = 'EncodeError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}
