import { lengthFault } from './decode.ts';
import type { Fault } from './pdu.ts';
import { headerLength, pduLengthMax } from './pdu.ts';

/** One PDU's octets, or the end of all frames. */
export type Frame = { readonly bytes: Uint8Array } | { readonly fault: Fault };

const commandLengthOctets = 4;

/**
 * Cuts a byte stream into PDUs by their command_length (3.4 section 3.2).
 *
 * The length is checked as soon as its four octets are there, before anything is buffered for it, so that bytes of
 * another protocol end the stream at once; the octets of an unfinished PDU are copied once, however small the pieces. A
 * PDU that came whole in one chunk is given as a view of the chunk: who keeps it for long should copy it.
 */
export class Framer {
  /** The PDU under way: first room for its command_length, then for all of it. */
  #partial: Buffer | undefined;
  #filled = 0;
  #isBroken = false;
  /** The longest PDU that is taken, where that is less than what SMPP allows; may change between two of them. */
  lengthMax = Infinity;

  /**
   * The frames that this chunk completes, in order. After a fault there is no next frame to be found: it is the last
   * thing this and any later call gives.
   */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (at < chunk.length && !this.#isBroken) {
      at = this.#partial === undefined ? this.#cut(chunk, at, frames) : this.#fill(chunk, at, frames, this.#partial);
    }
    return frames;
  }

  /** Octets of an unfinished PDU that are held. */
  get heldOctets(): number {
    return this.#filled;
  }

  /** At a PDU's first octet: gives it as a view, or starts to gather it. */
  #cut(chunk: Uint8Array, at: number, frames: Frame[]): number {
    const rest = chunk.length - at;
    if (rest < commandLengthOctets) return this.#hold(chunk, at, commandLengthOctets);
    const length = commandLength(chunk, at);
    if (!this.#isAllowed(length)) return this.#break(chunk, at, frames);
    if (rest < length) return this.#hold(chunk, at, length);
    frames.push({ bytes: chunk.subarray(at, at + length) });
    return at + length;
  }

  /** Keeps the rest of the chunk in a buffer of `size` octets. */
  #hold(chunk: Uint8Array, at: number, size: number): number {
    this.#partial = Buffer.allocUnsafe(size);
    this.#partial.set(chunk.subarray(at));
    this.#filled = chunk.length - at;
    return chunk.length;
  }

  /** Adds to the PDU under way what it still needs. */
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

  /** The fault is made of the command_length alone, so that it does not depend on how the bytes were cut. */
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
