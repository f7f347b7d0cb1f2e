import { lengthFault } from './decode.ts';
import type { Fault } from './pdu.ts';
import { headerLength, pduLengthMax } from './pdu.ts';

/*
 * Cuts the bytes of a connection into PDUs. Pure: the connection gives it each chunk that it reads.
 */

/** The octets of one PDU, or the fault that ends the stream. */
export type Frame = { readonly bytes: Uint8Array } | { readonly fault: Fault };

const commandLengthOctets = 4;

/**
 * Cuts a byte stream into PDUs by their command_length (3.4 section 3.2).
 *
 * The framer checks a length as soon as it has its four octets, before it takes any memory for the PDU. Bytes of
 * another protocol thus end the stream at once. A PDU that came in pieces is copied once. A PDU that came in one
 * chunk is a view of that chunk: copy what you keep for long.
 */
export class Framer {
  /** The unfinished PDU: first a buffer for its command_length, then for all of it. */
  #partial: Buffer | undefined;
  #filled = 0;
  #isBroken = false;
  /** The longest PDU to accept, if less than the codec's own limit. It may change between two PDUs. */
  lengthMax = Infinity;

  /**
   * The frames that this chunk completes, in order. A fault is the last frame: nobody can tell where the next PDU
   * begins, so every later call returns nothing.
   */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (at < chunk.length && !this.#isBroken) {
      at = this.#partial === undefined ? this.#cut(chunk, at, frames) : this.#fill(chunk, at, frames, this.#partial);
    }
    return frames;
  }

  /** How many octets of an unfinished PDU the framer holds. */
  get heldOctets(): number {
    return this.#filled;
  }

  /** At the first octet of a PDU: returns it as a view, or begins to collect it. */
  #cut(chunk: Uint8Array, at: number, frames: Frame[]): number {
    const rest = chunk.length - at;
    if (rest < commandLengthOctets) return this.#hold(chunk, at, commandLengthOctets);
    const length = commandLength(chunk, at);
    if (!this.#isAllowed(length)) return this.#break(chunk, at, frames);
    if (rest < length) return this.#hold(chunk, at, length);
    frames.push({ bytes: chunk.subarray(at, at + length) });
    return at + length;
  }

  /** Copies the rest of the chunk into a new buffer of `size` octets. */
  #hold(chunk: Uint8Array, at: number, size: number): number {
    this.#partial = Buffer.allocUnsafe(size);
    this.#partial.set(chunk.subarray(at));
    this.#filled = chunk.length - at;
    return chunk.length;
  }

  /** Adds octets to the unfinished PDU. */
  #fill(chunk: Uint8Array, at: number, frames: Frame[], partial: Buffer): number {
    const taken = Math.min(partial.length - this.#filled, chunk.length - at);
    partial.set(chunk.subarray(at, at + taken), this.#filled);
    this.#filled += taken;
    if (this.#filled < partial.length) return at + taken;
    if (partial.length > commandLengthOctets) {
      this.#partial = undefined;
      this.#filled = 0;
      frames.push({ bytes: partial });
      return at + taken;
    }
    const length = commandLength(partial, 0);
    if (!this.#isAllowed(length)) {
      this.#break(partial, 0, frames);
      return chunk.length;
    }
    this.#partial = Buffer.allocUnsafe(length);
    this.#partial.set(partial);
    return at + taken;
  }

  #isAllowed(length: number): boolean {
    return length >= headerLength && length <= Math.min(this.lengthMax, pduLengthMax);
  }

  /** The fault names the command_length alone, so it does not depend on how the network cut the bytes. */
  #break(bytes: Uint8Array, at: number, frames: Frame[]): number {
    this.#isBroken = true;
    this.#partial = undefined;
    this.#filled = 0;
    frames.push({ fault: lengthFault(bytes.subarray(at, at + commandLengthOctets)) });
    return bytes.length;
  }
}

function commandLength(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, commandLengthOctets).getUint32(0);
}
