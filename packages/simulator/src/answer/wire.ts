import type { Socket } from 'node:net';
import { commands, headerLength } from '@morsel/smpp';
import type { Sink } from '@morsel/smpp';
import { isMarked, wounded } from './wounds.ts';

export interface WireOptions {
  /** What we never answer. */
  readonly unanswered: readonly Unanswered[];
  /** A bind that is refused is answered with a system_id, which the standard leaves out there. */
  readonly refusedBindsHaveBody: boolean;
}

/** Requests that a session answers by itself, and a bad carrier does not. */
export type Unanswered = 'enquire_link' | 'unbind';

const bindAnswers: readonly number[] = [
  commands.bind_receiver_resp.id,
  commands.bind_transmitter_resp.id,
  commands.bind_transceiver_resp.id,
];

/** Between a session of the simulator's and its socket: here what is well formed becomes what carriers really send. */
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

  /** Whole PDUs. */
  write(bytes: Uint8Array): boolean {
    if (this.#isSilent) return true;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const pieces: Buffer[] = [];
    // What stays as it is goes on as it came, up to here.
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

  /** Octets that are no whole PDU. */
  writeRaw(bytes: Uint8Array): void {
    if (!this.#isSilent && bytes.length > 0) this.#socket.write(bytes);
  }

  /** From now on nothing leaves, though the connection stays; what comes is read. */
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
