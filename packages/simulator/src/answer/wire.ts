import type { Socket } from 'node:net';
import { commands, headerLength } from '@morsel/smpp';
import type { Sink } from '@morsel/smpp';
import { isMarked, wounded } from './wounds.ts';

/*
 * The output of a session on its way to the socket, where answers are dropped or damaged on purpose.
 */

export interface WireOptions {
  /** The requests that get no answer. */
  readonly unanswered: readonly Unanswered[];
  /** Whether a refused bind gets a system_id, which the standard leaves out. */
  readonly refusedBindsHaveBody: boolean;
}

/** Requests that the session answers by itself. A bad carrier does not answer them. */
export type Unanswered = 'enquire_link' | 'unbind';

const bindAnswers: readonly number[] = [
  commands.bind_receiver_resp.id,
  commands.bind_transmitter_resp.id,
  commands.bind_transceiver_resp.id,
];

/** Stands between a session and its socket, and turns correct PDUs into those that bad carriers send. */
export class Wire implements Sink {
  readonly #socket: Socket;
  readonly #dropped: readonly number[];
  readonly #hasBody: boolean;
  #isSilent = false;

  constructor(socket: Socket, options: WireOptions) {
    this.#socket = socket;
    this.#dropped = options.unanswered.map((request) => commands[`${request}_resp`].id);
    this.#hasBody = options.refusedBindsHaveBody;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  /** Writes whole PDUs. */
  write(bytes: Uint8Array): boolean {
    if (this.#isSilent) return true;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const pieces: Buffer[] = [];
    // Everything before this position is written or in `pieces`. PDUs that do not change are copied together.
    let done = 0;
    for (let at = 0; at < buffer.length;) {
      const end = at + Math.max(headerLength, buffer.readUInt32BE(at));
      if (this.#changes(buffer, at, end)) {
        pieces.push(buffer.subarray(done, at), this.#change(buffer.subarray(at, end)));
        done = end;
      }
      at = end;
    }
    if (pieces.length === 0) return this.#socket.write(bytes);
    return this.#socket.write(Buffer.concat([...pieces, buffer.subarray(done)]));
  }

  /** Writes octets that are no whole PDU. */
  writeRaw(bytes: Uint8Array): void {
    if (!this.#isSilent && bytes.length > 0) this.#socket.write(bytes);
  }

  /** From now on nothing is written. The connection stays open and is still read. */
  silence(): void {
    this.#isSilent = true;
  }

  #changes(buffer: Buffer, at: number, end: number): boolean {
    if (isMarked(buffer, at, end)) return true;
    const id = buffer.readUInt32BE(at + 4);
    return this.#dropped.includes(id) || (this.#hasBody && end - at === headerLength && bindAnswers.includes(id));
  }

  #change(pdu: Buffer): Buffer {
    const id = pdu.readUInt32BE(4);
    if (this.#dropped.includes(id)) return nothing;
    if (!bindAnswers.includes(id)) return wounded(pdu);
    const whole = Buffer.concat([pdu, Buffer.from('simulator\0')]);
    whole.writeUInt32BE(whole.length);
    return whole;
  }
}

const nothing = Buffer.alloc(0);
