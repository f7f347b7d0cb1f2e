import type { Socket } from 'node:net';
import { encodeInto } from '../codec/encode.ts';
import type { Encodable } from '../codec/pdu.ts';
import { pduLengthMax } from '../codec/pdu.ts';
import type { Sink } from '../session/session-contract.ts';

/*
 * The output of a connection, which is written once in each iteration of the event loop.
 */

// A chunk is large enough for the longest PDU. A few hundred submit_sm fit into one chunk, which makes allocations and
// writes rare.
const chunkOctets = pduLengthMax;

/**
 * The time that the peer has to read our last PDUs. If we closed the socket at once, octets that the peer has not read
 * would be lost.
 */
const lingerMs = 1000;
const empty = Buffer.alloc(0);

/**
 * Collects PDUs during one iteration of the event loop, then writes them to the socket together. A separate write for
 * each PDU would take more time than all other work.
 */
export class Outbox {
  readonly #sink: Sink;
  #chunk: Buffer = empty;
  /**
   * Octets from `#from` to `#to` are encoded but not yet written. The socket may still use the octets before `#from`.
   */
  #from = 0;
  #to = 0;
  #appended = 0;
  #scheduled: NodeJS.Immediate | undefined;
  /**
   * The `onLost` callbacks of answers that were sent since the peer last sent anything. The number of callbacks is
   * limited by peerWindowMax.
   */
  #unheard: (() => void)[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** The number of octets appended in total: the position of the next PDU in the output. */
  get appended(): number {
    return this.#appended;
  }

  /** The number of octets written to the socket in total. Octets after the position `handedOver` have not been sent. */
  get handedOver(): number {
    return this.#appended - (this.#to - this.#from);
  }

  /** The number of octets in the outbox and the socket that the peer has not read yet. */
  get waiting(): number {
    return this.#to - this.#from + this.#sink.writableLength;
  }

  /** Encodes a PDU and appends it to the output. If `append` throws EncodeError, nothing is appended. */
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

  /**
   * To call after an answer was appended. Calls `onLost` if the connection breaks and the peer may not have received
   * the answer.
   */
  mayLose(onLost: () => void): void {
    this.#unheard.push(onLost);
  }

  /** To call when the peer sends something. Earlier answers then count as received, because the connection works. */
  heard(): void {
    if (this.#unheard.length > 0) this.#unheard = [];
  }

  /** To call when the connection breaks. Answers that were sent since the peer last sent something count as lost. */
  lose(): void {
    for (const onLost of this.#unheard.splice(0)) onLost();
  }

  /** Encodes a PDU into a new chunk. Chunks are never reused, because the socket may still use the old chunk. */
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

/** Closes a connection after the peer had time to read all written octets. */
export function endLater(socket: Socket): void {
  socket.resume().end();
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}
