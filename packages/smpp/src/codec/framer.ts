import { int4, lengthFault } from './decode.ts';
import { type Fault, headerLength, pduLengthMax } from './pdu.ts';

/*
 * Cuts the byte stream of a connection into PDUs. Does no input or output: the connection passes in each chunk that it
 * reads.
 */

/** The octets of one PDU, or the fault that ends the stream. */
export type Frame = { readonly bytes: Uint8Array } | { readonly fault: Fault };

const commandLengthOctets = 4;

/**
 * Cuts a byte stream into PDUs by their command_length (3.4 section 3.2).
 *
 * The framer checks a command_length as soon as its four octets arrive, before it allocates memory for the PDU.
 * Therefore bytes of another protocol end the stream at once. A PDU that arrived in several chunks is copied once. A
 * PDU that arrived in one chunk is a view of the chunk: copy it if you keep it for long.
 */
export class Framer {
  /**
   * The octets of an incomplete PDU: first a buffer of four octets for the command_length, then a buffer for the whole
   * PDU.
   */
  #partial: Buffer | undefined;
  #filled = 0;
  #isBroken = false;
  /** The longest PDU to accept; pduLengthMax applies as well. The caller may change this limit between two PDUs. */
  lengthMax = Infinity;

  /**
   * Returns the frames that this chunk completes, in order. After a fault the framer cannot find the next PDU, so the
   * fault is the last frame and every later call returns an empty list.
   */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (at < chunk.length && !this.#isBroken) {
      at = this.#partial === undefined ? this.#cut(chunk, at, frames) : this.#fill(chunk, at, frames, this.#partial);
    }
    return frames;
  }

  /** How many octets of an incomplete PDU the framer has stored. */
  get heldOctets(): number {
    return this.#filled;
  }

  /** Cuts the PDU that begins at `at`: adds it to `frames` as a view if it is complete, or stores its first octets. */
  #cut(chunk: Uint8Array, at: number, frames: Frame[]): number {
    const rest = chunk.length - at;
    if (rest < commandLengthOctets) return this.#hold(chunk, at, commandLengthOctets);
    const length = int4(chunk, at);
    if (!this.#isAllowed(length)) return this.#break(chunk, at, frames);
    if (rest < length) return this.#hold(chunk, at, length);
    frames.push({ bytes: chunk.subarray(at, at + length) });
    return at + length;
  }

  /** Copies the remaining octets of the chunk into a new buffer of `size` octets. */
  #hold(chunk: Uint8Array, at: number, size: number): number {
    this.#partial = Buffer.allocUnsafe(size);
    this.#partial.set(chunk.subarray(at));
    this.#filled = chunk.length - at;
    return chunk.length;
  }

  /** Adds octets to the incomplete PDU. */
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
    const length = int4(partial, 0);
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

  /** The fault contains only the command_length, and is therefore the same however the network split the bytes. */
  #break(bytes: Uint8Array, at: number, frames: Frame[]): number {
    this.#isBroken = true;
    this.#partial = undefined;
    this.#filled = 0;
    frames.push({ fault: lengthFault(bytes.subarray(at, at + commandLengthOctets)) });
    return bytes.length;
  }
}
