import type { Socket } from 'node:net';
import { encodeInto } from '../codec/encode.ts';
import type { Encodable } from '../codec/pdu.ts';
import { pduLengthMax } from '../codec/pdu.ts';

/*
 * The output of a connection, written once for each turn of the event loop.
 */

/** The part of a socket that the outbox uses. */
export interface Sink {
  readonly writableLength: number;
  write(bytes: Uint8Array): boolean;
}

// The longest PDU fits into a chunk. A few hundred submit_sm share one, so allocations and writes are few.
const chunkOctets = pduLengthMax;

/** Time for the peer to read our last PDUs. Closing at once with unread octets would discard them. */
const lingerMs = 1000;
const empty = Buffer.alloc(0);

/**
 * Collects the PDUs of one turn of the event loop and writes them to the socket together at its end. One write for each
 * PDU would cost more than everything else.
 */
export class Outbox {
  readonly #sink: Sink;
  #chunk: Buffer = empty;
  /** Octets from `#from` to `#to` are encoded but not yet written. The socket may still use those before `#from`. */
  #from = 0;
  #to = 0;
  #appended = 0;
  #scheduled: NodeJS.Immediate | undefined;
  /**
   * Who hears if an answer is lost: of answers since the peer was last heard, so no more than it may have unanswered.
   */
  #unheard: (() => void)[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** All octets ever appended: the position where the next PDU begins. */
  get appended(): number {
    return this.#appended;
  }

  /** All octets ever given to the socket. Octets beyond this position have not left us. */
  get handedOver(): number {
    return this.#appended - (this.#to - this.#from);
  }

  /** Octets that wait here and in the socket for the peer to read them. */
  get waiting(): number {
    return this.#to - this.#from + this.#sink.writableLength;
  }

  /** Encodes a PDU, to be written at the end of this turn. If it throws EncodeError, nothing is appended. */
  append(pdu: Encodable): void {
    const length = encodeInto(this.#chunk, this.#to, pdu) || this.#intoNewChunk(pdu);
    this.#to += length;
    this.#appended += length;
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Writes the collected octets to the socket. */
  flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#to === this.#from) return;
    const bytes = this.#chunk.subarray(this.#from, this.#to);
    this.#from = this.#to;
    this.#sink.write(bytes);
  }

  /** Discards the collected octets. `handedOver` does not change. */
  discard(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  /** The PDU that was appended last is an answer. Calls `onLost` if it may not have reached the peer. */
  mayLose(onLost: () => void): void {
    this.#unheard.push(onLost);
  }

  /** To call when the peer sends something: the connection is alive, so earlier answers count as received. */
  heard(): void {
    if (this.#unheard.length > 0) this.#unheard = [];
  }

  /** To call when the connection dies: answers since the last sign of life of the peer count as lost. */
  lose(): void {
    for (const onLost of this.#unheard.splice(0)) onLost();
  }

  /** The socket may still hold views of the old chunk, so chunks are never reused. */
  #intoNewChunk(pdu: Encodable): number {
    const chunk = Buffer.allocUnsafeSlow(chunkOctets);
    const length = encodeInto(chunk, 0, pdu);
    this.flush();
    this.#chunk = chunk;
    this.#from = 0;
    this.#to = 0;
    return length;
  }
}

/** Ends a connection after everything that was written to it. */
export function endLater(socket: Socket): void {
  socket.resume().end();
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}
