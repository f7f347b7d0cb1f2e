import type { Socket } from 'node:net';
import { commands, headerLength, type Sink } from '@morsel/smpp';
import { isMarked, wounded } from './wounds.ts';

/*
 * Passes the output of a session to the socket, and drops or damages answers on purpose.
 */

export interface WireOptions {
  /** The requests that get no answer from the simulator. */
  readonly unanswered: readonly Unanswered[];
  /** Whether the refusal of a bind contains a system_id, which the standard does not allow. */
  readonly refusedBindsHaveBody: boolean;
}

/** Requests that an SMPP session normally answers automatically. Some carriers do not answer enquire_link or unbind. */
export type Unanswered = 'enquire_link' | 'unbind';

const bindAnswers: readonly number[] = [
  commands.bind_receiver_resp.id,
  commands.bind_transmitter_resp.id,
  commands.bind_transceiver_resp.id,
];

/** Writes the output of a session to its socket. Changes correct PDUs into the faulty PDUs that some carriers send. */
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

  /** Writes complete PDUs. */
  write(bytes: Uint8Array): boolean {
    if (this.#isSilent) return true;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const pieces: Buffer[] = [];
    // All octets before this position are in `pieces`. Unchanged PDUs in a row are added together.
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

  /** Writes octets that are not a complete PDU. */
  writeRaw(bytes: Uint8Array): void {
    if (!this.#isSilent && bytes.length > 0) this.#socket.write(bytes);
  }

  /** Stops all output. The connection stays open, and input is still read. */
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
