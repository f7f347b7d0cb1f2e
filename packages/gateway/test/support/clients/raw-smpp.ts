/* A client that writes any octets, for tests of sessions with broken clients. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { commands, decode, encode, Framer, readTlv, type CommandName, type Pdu, type Tlv } from '@morsel/smpp';

/** The end of a PDU after its fields: any TLVs, and further octets. */
export interface Tail {
  readonly tlvs?: readonly Tlv[];
  readonly rest?: Uint8Array;
}

/** The octets of a request with any fields and strings of any length: `encode` only writes valid ones. */
export function rawPdu(command: CommandName, fields: Readonly<Record<string, unknown>>, tail: Tail = {}): Buffer {
  const body = Object.entries(commands[command].fields).map(([name, { kind }]) => {
    const value = fields[name];
    if (kind === 'int1') return Buffer.of(typeof value === 'number' ? value : 0);
    if (kind === 'cstring') return Buffer.from(`${typeof value === 'string' ? value : ''}\0`, 'latin1');
    const octets = value instanceof Uint8Array ? value : Buffer.alloc(0);
    return Buffer.concat([Buffer.of(octets.length), octets]);
  });
  const tlvs = (tail.tlvs ?? []).map(({ tag, value }) =>
    Buffer.concat([Buffer.of(tag >> 8, tag & 0xff, value.length >> 8, value.length & 0xff), value]),
  );
  const all = Buffer.concat([Buffer.alloc(16), ...body, ...tlvs, tail.rest ?? Buffer.alloc(0)]);
  all.writeUInt32BE(all.length, 0);
  all.writeUInt32BE(commands[command].id, 4);
  all.writeUInt32BE(2, 12);
  return all;
}

/** A client without a session: it writes octets as they are, and keeps every PDU that it gets. */
export class RawSmpp implements AsyncDisposable {
  readonly socket: Socket;
  readonly answers: Pdu[] = [];
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    const framer = new Framer();
    this.socket = socket;
    this.closed = new Promise((resolve) => void socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const frame of framer.push(chunk)) {
        const decoded = 'bytes' in frame ? decode(Buffer.from(frame.bytes)) : undefined;
        if (decoded?.ok === true) this.answers.push(decoded.pdu);
      }
    });
  }

  /** Opens a connection without a bind. */
  static async connect(port: number, options: { readonly allowHalfOpen?: boolean } = {}): Promise<RawSmpp> {
    const raw = new RawSmpp(connect({ port, host: '127.0.0.1', ...options }));
    await once(raw.socket, 'connect');
    return raw;
  }

  /** Opens a connection and binds. */
  static async open(port: number, systemId: string): Promise<RawSmpp> {
    const raw = await RawSmpp.connect(port);
    const bind = { command: 'bind_transceiver', sequence_number: 1, system_id: systemId } as const;
    const answer = await raw.ask(encode({ ...bind, interface_version: 0x34, password: 'secret' }));
    assert.equal(answer.command_status, 0);
    return raw;
  }

  /** Writes a request. Returns the next PDU, except enquire_link. */
  async ask(octets: Uint8Array): Promise<Pdu> {
    const before = this.answers.length;
    this.socket.write(octets);
    for (;;) {
      const answer = this.answers.slice(before).find(({ command }) => command !== 'enquire_link');
      if (answer) return answer;
      await once(this.socket, 'data');
    }
  }

  /** Writes a request. Returns the command_status of the answer, and the text in additional_status_info_text. */
  async told(octets: Uint8Array): Promise<readonly [number, string | undefined]> {
    const pdu = await this.ask(octets);
    return [pdu.command_status, readTlv(pdu, 'additional_status_info_text')];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }
}
