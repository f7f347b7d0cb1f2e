import type { Socket } from 'node:net';
import { encodeInto } from '../codec/encode.ts';
import { type Encodable, type Pdu, pduLengthMax } from '../codec/pdu.ts';
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
 * The most answers that may be unread. A peer has at most as many unanswered requests as its window allows. When it
 * sends more, it has read earlier answers. No usual window is larger.
 */
const unreadMax = 1_000;

/** An answer that the peer may not have read yet. */
interface Unread {
  /** Where the answer ends in the output. */
  readonly end: number;
  readonly sentAt: number;
  readonly settle: (isRead: boolean) => void;
}

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
  /** The answers that may be unread, in the order of the output. */
  readonly #unread: Unread[] = [];
  /** Our last enquire_link, and its position in the output. */
  #enquiry = { sequence_number: 0, at: 0 };

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
    if (pdu.command === 'enquire_link') this.#enquiry = { sequence_number: pdu.sequence_number, at: this.#appended };
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

  /** To call after an answer was appended. Calls `settle` once, with true if the peer has surely read the answer. */
  follow(settle: (isRead: boolean) => void, sentAt: number): void {
    this.#unread.push({ end: this.#appended, sentAt, settle });
    if (this.#unread.length > unreadMax) this.#unread.shift()?.settle(true);
  }

  /** The time of the oldest answer that may be unread. */
  get unreadSince(): number | undefined {
    return this.#unread[0]?.sentAt;
  }

  /**
   * To call when the peer answers our request at this position: it has read all output before that request. A request
   * of the peer proves nothing, because it may have been sent before our answers arrived.
   */
  hasReadTo(position: number): void {
    for (let [next] = this.#unread; next && next.end <= position; [next] = this.#unread) {
      this.#unread.shift();
      next.settle(true);
    }
  }

  /** To call with each PDU of the peer. Some peers answer enquire_link with a generic_nack. */
  heard({ command, sequence_number }: Pdu): void {
    const isAnswer = command === 'enquire_link_resp' || command === 'generic_nack';
    if (isAnswer && sequence_number === this.#enquiry.sequence_number) this.hasReadTo(this.#enquiry.at);
  }

  /** To call when the connection ends. */
  settleAll(isRead: boolean): void {
    for (const { settle } of this.#unread.splice(0)) settle(isRead);
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
