import type { commands, CommandName } from './commands.ts';
import type { Field, ValueOf } from './fields.ts';

/** One optional parameter as it stands on the wire, known to us or not (3.4 section 3.2.4). */
export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** In wire order; a tag may stand twice. */
export type Tlvs = readonly Tlv[];

type ValuesOf<Fields extends Readonly<Record<string, Field>>, Missing> = {
  readonly [Name in keyof Fields]: ValueOf<Fields[Name]> | Missing;
};

/**
 * The mandatory fields of a command. In a response they may be `null`: the PDU ended before them, as error responses
 * that come without a body do. Null is not the empty string: `null` is written as nothing, `''` as a NUL.
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
        /** Octets at its end that are no TLV, as one that is cut off: only where there are any, and never written. */
        readonly rest?: Uint8Array;
      }
  : never;

/** Any PDU; `command` tells which. */
export type Pdu = PduOf<CommandName>;

/** What `encode` takes: fields left out are 0, empty or, in an error response, not written at all. */
export type EncodableOf<C extends CommandName> = C extends CommandName
  ? {
      readonly command: C;
      readonly command_status?: number;
      readonly sequence_number: number;
    } & Partial<FieldsOf<C>> & { readonly tlvs?: Tlvs }
  : never;

export type Encodable = EncodableOf<CommandName>;

/** command_length, command_id, command_status and sequence_number (3.4 section 3.2). */
export const headerLength = 16;

/** The longest PDU we read or write. message_payload could carry as much again, but no network takes such a text. */
export const pduLengthMax = 65_536;

/**
 * Bytes that cannot be read as a PDU.
 *
 * - `command_length`: not 16 to 65,536, or not the length of the bytes. From the framer it means the stream has lost its
 *   frames and has to be closed.
 * - `command_id`: a command of no standard; the session goes on.
 * - `body`: the body ends before its fields do; the session goes on.
 */
export interface Fault {
  readonly kind: 'command_length' | 'command_id' | 'body';
  /** The command_status to answer a request with: ESME_RINVCMDLEN, ESME_RINVCMDID or ESME_RINVMSGLEN. */
  readonly command_status: number;
  /** As read, or 0 when there were not enough bytes. */
  readonly command_id: number;
  readonly sequence_number: number;
  /** For the log; never holds what the PDU held. */
  readonly reason: string;
}

/** Oddities are deviations that were read all the same, each a short sentence for the log. */
export type Decoded =
  | { readonly ok: true; readonly pdu: Pdu; readonly oddities: readonly string[] }
  | { readonly ok: false; readonly fault: Fault };

/** A bug of ours: the caller gave a PDU that the standard does not allow. */
export class EncodeError extends RangeError {
  override readonly name = 'EncodeError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}
