import type { Socket } from 'node:net';
import { encodeInto } from '../codec/encode.ts';
import type { Encodable } from '../codec/pdu.ts';
import { pduLengthMax } from '../codec/pdu.ts';

/** What the outbox needs of a socket. */
export interface Sink {
  readonly writableLength: number;
  write(bytes: Uint8Array): boolean;
}

// The longest PDU fits; a few hundred submit_sm share a chunk, so memory is taken seldom and each write is worth it.
const chunkOctets = pduLengthMax;

/** Time for the peer to read our last PDUs. Closing at once with unread octets would discard them. */
const lingerMs = 1000;
const empty = Buffer.alloc(0);

/**
 * The PDUs that one turn of the event loop sends, encoded one after the other and written to the socket together at the
 * end of the turn: a write for each of them would cost more than all the rest.
 */
export class Outbox {
  readonly #sink: Sink;
  #chunk: Buffer = empty;
  /** What is encoded and not yet given to the socket lies from `#from` to `#to`. What lies before is the socket's. */
  #from = 0;
  #to = 0;
  #appended = 0;
  #scheduled: NodeJS.Immediate | undefined;
  /** Who hears if an answer is lost: of answers since the peer was last heard, so no more than it may have unanswered. */
  #unheard: (() => void)[] = [];

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Octets ever appended: the place in the stream where the next PDU begins. */
  get appended(): number {
    return this.#appended;
  }

  /** Octets ever given to the socket; what lies beyond has not left us. */
  get handedOver(): number {
    return this.#appended - (this.#to - this.#from);
  }

  /** Octets that the peer has not taken, here and in the socket. */
  get waiting(): number {
    return this.#to - this.#from + this.#sink.writableLength;
  }

  /** Encodes a PDU; it leaves with the others of this turn. Throws EncodeError, and then nothing is appended. */
  append(pdu: Encodable): void {
    const length = encodeInto(this.#chunk, this.#to, pdu) || this.#intoNewChunk(pdu);
    this.#to += length;
    this.#appended += length;
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Gives to the socket what has gathered. */
  flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#to === this.#from) return;
    const bytes = this.#chunk.subarray(this.#from, this.#to);
    this.#from = this.#to;
    this.#sink.write(bytes);
  }

  /** Forgets what has gathered: it will never leave. `handedOver` stays as it is. */
  discard(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }

  /** What was appended last is an answer that the peer may never get. */
  mayLose(onLost: () => void): void {
    this.#unheard.push(onLost);
  }

  /** The peer has sent something: the connection was alive when the answers before it were written. */
  heard(): void {
    if (this.#unheard.length > 0) this.#unheard = [];
  }

  /** The connection died: the answers since the peer was last heard count as lost. */
  lose(): void {
    for (const onLost of this.#unheard.splice(0)) onLost();
  }

  /** The socket may still hold views of the old chunk, so a chunk is never written over. */
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
