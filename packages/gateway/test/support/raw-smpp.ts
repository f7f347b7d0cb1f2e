import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { commands, decode, encode, Framer, readTlv } from '@morsel/smpp';
import type { CommandName, Pdu, Tlv } from '@morsel/smpp';

/** What a PDU has besides its fields: any parameters, and octets behind them. */
export interface Tail {
  readonly tlvs?: readonly Tlv[];
  readonly rest?: Uint8Array;
}

/** The octets of a request as its author wants them, with strings of any length: `encode` writes none but right ones. */
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

/** A bound client that writes octets as they are, one request after the other. */
export class RawSmpp implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #framer = new Framer();

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number, systemId: string): Promise<RawSmpp> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const raw = new RawSmpp(socket);
    const bind = {
      command: 'bind_transceiver',
      sequence_number: 1,
      system_id: systemId,
      interface_version: 0x34,
    } as const;
    assert.equal((await raw.ask(encode({ ...bind, password: 'secret' }))).command_status, 0);
    return raw;
  }

  async ask(octets: Uint8Array): Promise<Pdu> {
    this.#socket.write(octets);
    for (;;) {
      const [chunk]: unknown[] = await once(this.#socket, 'data');
      assert.ok(Buffer.isBuffer(chunk));
      for (const frame of this.#framer.push(chunk)) {
        assert.ok(!('fault' in frame));
        const decoded = decode(Buffer.from(frame.bytes));
        assert.ok(decoded.ok);
        if (decoded.pdu.command !== 'enquire_link') return decoded.pdu;
      }
    }
  }

  /** Its status, and what it is told. */
  async told(octets: Uint8Array): Promise<readonly [number, string | undefined]> {
    const pdu = await this.ask(octets);
    return [pdu.command_status, readTlv(pdu, 'additional_status_info_text')];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }
}
