import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { decode, encode, Framer, writeReceipt } from '@morsel/smpp';
import type { Encodable, Pdu } from '@morsel/smpp';
import type { Passed } from './capture.ts';

/**
 * A carrier that does nothing by itself: it answers at once, brings a receipt for each message unless it is told to hold
 * them, and asks enquire_link when it is told to. Its timing is the test's alone.
 */
export class Carrier implements AsyncDisposable {
  readonly port: number;
  /** Receivers, in the order in which they came. */
  readonly receivers: string[] = [];
  /** The answers to receipts, by their command_status. */
  readonly receiptAnswers: number[] = [];
  readonly passed: Passed[] = [];
  /** Receipts wait until `deliver`. */
  isHolding = false;
  #held: (() => void)[] = [];
  readonly #server: Server;
  /** Its open connections, by their numbers. */
  readonly #sockets = new Map<Socket, number>();
  /** Those that were not bound as transmitter, to which receipts go. */
  readonly #receivers = new Set<Socket>();
  readonly #enquiries = new Map<number, () => void>();
  #lastSequence = 0;
  #lastId = 0;
  #connections = 0;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(): Promise<Carrier> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the carrier listens on no port');
    return new Carrier(server, address.port);
  }

  /** Connections of the gateway. */
  get links(): number {
    return this.#sockets.size;
  }

  /** Receipts that were acknowledged. */
  get acknowledged(): number {
    return this.receiptAnswers.filter((status) => status === 0).length;
  }

  /** Brings the receipts that were held; they are kept, to be brought once more. */
  deliver(): void {
    for (const bring of this.#held) bring();
  }

  /** Asks every link; how many milliseconds the answer took. */
  async enquire(): Promise<number> {
    const begin = performance.now();
    const sequence_number = ++this.#lastSequence;
    const answered = new Promise<void>((resolve) => this.#enquiries.set(sequence_number, resolve));
    for (const socket of this.#sockets.keys()) this.#send(socket, { command: 'enquire_link', sequence_number });
    await answered;
    return performance.now() - begin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    const framer = new Framer();
    const connection = this.#connections++;
    this.#sockets.set(socket, connection);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#receivers.delete(socket);
    });
    // A gateway that is killed resets its connections.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      this.passed.push({ from: 'caller', connection, bytes: chunk });
      for (const frame of framer.push(chunk)) {
        const read = 'bytes' in frame ? decode(frame.bytes) : undefined;
        if (!read?.ok) throw new Error('the gateway wrote what is no PDU');
        this.#hear(socket, read.pdu);
      }
    });
  }

  #hear(socket: Socket, pdu: Pdu): void {
    const { sequence_number } = pdu;
    switch (pdu.command) {
      case 'bind_transceiver':
      case 'bind_receiver':
        this.#receivers.add(socket);
        this.#send(socket, { command: `${pdu.command}_resp`, sequence_number, system_id: 'carrier' });
        return;
      case 'bind_transmitter':
        this.#send(socket, { command: 'bind_transmitter_resp', sequence_number, system_id: 'carrier' });
        return;
      case 'enquire_link':
        this.#send(socket, { command: 'enquire_link_resp', sequence_number });
        return;
      case 'unbind':
        this.#send(socket, { command: 'unbind_resp', sequence_number });
        return;
      case 'submit_sm':
        this.#take(socket, pdu);
        return;
      case 'deliver_sm_resp':
        this.receiptAnswers.push(pdu.command_status);
        return;
      case 'enquire_link_resp':
        this.#enquiries.get(sequence_number)?.();
        this.#enquiries.delete(sequence_number);
        return;
      default:
        throw new Error(`the gateway wrote ${pdu.command}`);
    }
  }

  #take(socket: Socket, pdu: Extract<Pdu, { command: 'submit_sm' }>): void {
    const id = String(++this.#lastId);
    const now = Date.now();
    this.receivers.push(pdu.destination_addr);
    this.#send(socket, { command: 'submit_sm_resp', sequence_number: pdu.sequence_number, message_id: id });
    const bring = () => {
      const [receiver = socket] = this.#receivers;
      this.#send(receiver, {
        command: 'deliver_sm',
        sequence_number: ++this.#lastSequence,
        source_addr_ton: pdu.dest_addr_ton,
        source_addr_npi: pdu.dest_addr_npi,
        source_addr: pdu.destination_addr,
        dest_addr_ton: pdu.source_addr_ton,
        dest_addr_npi: pdu.source_addr_npi,
        destination_addr: pdu.source_addr,
        ...writeReceipt({ id, state: 'DELIVERED', submittedAtMs: now, doneAtMs: now }),
      });
    };
    if (this.isHolding) this.#held.push(bring);
    else bring();
  }

  #send(socket: Socket, pdu: Encodable): void {
    const bytes = encode(pdu);
    this.passed.push({ from: 'listener', connection: this.#sockets.get(socket) ?? 0, bytes });
    socket.write(bytes);
  }
}
