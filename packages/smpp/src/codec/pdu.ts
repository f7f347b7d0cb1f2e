import type { commands, CommandName } from './commands.ts';
import type { Field, ValueOf } from './fields.ts';

/*
 * The types of PDUs, derived from the command table, and the limits and faults of the codec.
 */

/** One optional parameter (TLV) with its undecoded value; the tag may be unknown (3.4 section 3.2.4). */
export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** The TLVs of a PDU in wire order. A tag may occur twice. */
export type Tlvs = readonly Tlv[];

type ValuesOf<Fields extends Readonly<Record<string, Field>>, Missing> = {
  readonly [Name in keyof Fields]: ValueOf<Fields[Name]> | Missing;
};

/**
 * The mandatory fields of a command. A field of a response is `null` if the PDU ended before it, as in an error
 * response without a body. The encoder writes nothing for `null`, and a NUL for an empty string.
 */
export type FieldsOf<C extends CommandName> = ValuesOf<
  (typeof commands)[C]['fields'],
  C extends `${string}_resp` ? null : never
>;

/** A PDU of one command. The fields of the PDU have the names of the standard. */
export type PduOf<C extends CommandName> = C extends CommandName
  ? {
      readonly command: C;
      readonly command_status: number;
      readonly sequence_number: number;
    } & FieldsOf<C> & {
        readonly tlvs: Tlvs;
        /**
         * Octets at the end of a PDU that do not form a TLV, for example a TLV that is cut off. `rest` is undefined if
         * the whole PDU could be read. The encoder never writes `rest`.
         */
        readonly rest?: Uint8Array;
      }
  : never;

/** A PDU of any command. */
export type Pdu = PduOf<CommandName>;

/**
 * A PDU to encode. The encoder writes a missing field as 0 or empty; an error response without any field gets no body.
 */
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

/** The length of a PDU's header: command_length, command_id, command_status and sequence_number (3.4 section 3.2). */
export const headerLength = 16;

/**
 * The length of the longest PDU that we read or write. In theory a TLV such as message_payload can be almost as long,
 * but no mobile network accepts such a long text.
 */
export const pduLengthMax = 65_536;

/**
 * The reason why bytes cannot be read as a PDU.
 *
 * - `command_length`: the value is not 16 to 65,536, or differs from the length of the PDU. After this fault from the
 *   framer, the next PDU cannot be found and the connection must be closed.
 * - `command_id`: no version of SMPP defines this command. The session continues after this fault.
 * - `body`: the body of a request ends before its last mandatory field. The session continues.
 */
export interface Fault {
  readonly kind: 'command_length' | 'command_id' | 'body';
  /** The command_status for the answer to a faulty request: ESME_RINVCMDLEN, ESME_RINVCMDID or ESME_RINVMSGLEN. */
  readonly command_status: number;
  /** The command_id of the PDU, or 0 if the bytes end before it. */
  readonly command_id: number;
  readonly sequence_number: number;
  /**
   * The reason of the fault, for the log. The reason never contains the value of a string field, which could be a
   * message text or a password.
   */
  readonly reason: string;
}

/**
 * The result of decoding. An oddity is a short text for the log about a deviation from the standard; the PDU could be
 * read anyway.
 */
export type Decoded =
  | { readonly ok: true; readonly pdu: Pdu; readonly oddities: readonly string[] }
  | { readonly ok: false; readonly fault: Fault };

/** The caller passed a PDU that the standard does not allow, which is a bug in the caller. */
export class EncodeError extends RangeError {
  override readonly name = 'EncodeError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}
