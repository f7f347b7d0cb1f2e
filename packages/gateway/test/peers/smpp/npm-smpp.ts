/* A carrier made of the npm package `smpp`, which decodes texts itself. */

import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import { createServer, type Pdu, type Session } from 'smpp';
import { TextsByPart } from './npm-smpp-texts.ts';
import { listenAnywhere, portOf } from '../../support/listen.ts';

/** A message that a carrier got, with the carrier's id. */
interface Taken {
  readonly id: string;
  readonly sender: string;
  readonly receiver: string;
}

/** Where a receipt has its state: in TLVs with an empty text, or in its text. */
export type ReceiptForm = 'tlv' | 'text';

export interface NpmSmppOptions {
  readonly receipts?: ReceiptForm;
  /** Certificates; without any there is no TLS. */
  readonly tls?: TlsOptions;
}

/** A carrier made of the npm package `smpp`. It decodes texts as the package does, and joins long ones. */
export class NpmSmppCarrier implements AsyncDisposable {
  readonly port: number;
  readonly taken: Taken[] = [];
  /** The bind of every connection, in order. */
  readonly binds: { readonly as: string; readonly certificate: string | undefined }[] = [];
  /** The names of the PDUs that the carrier got, in order. */
  readonly commands: string[] = [];
  readonly #texts = new TextsByPart();
  readonly #server: Server;
  readonly #receipts: ReceiptForm;
  readonly #sockets: ReadonlySet<Socket>;
  readonly #bound = new Map<Session, string>();
  #acknowledged = 0;

  private constructor(server: Server, sockets: ReadonlySet<Socket>, receipts: ReceiptForm) {
    this.#server = server;
    this.#sockets = sockets;
    this.#receipts = receipts;
    this.port = portOf(server);
  }

  static async start({ receipts = 'text', tls = {} }: NpmSmppOptions = {}): Promise<NpmSmppCarrier> {
    const sockets = new Set<Socket>();
    const server = createServer(tls, (session) => peer.#serve(session));
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    });
    await listenAnywhere(server);
    const peer = new NpmSmppCarrier(server, sockets, receipts);
    return peer;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The texts of complete messages, by receiver. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts.whole;
  }

  #bringReceipt({ id, sender, receiver }: Taken): void {
    const addresses = { source_addr: receiver, destination_addr: sender };
    const told =
      this.#receipts === 'tlv'
        ? { receipted_message_id: id, message_state: 2, short_message: '' }
        : {
            short_message: `id:${id} sub:001 dlvrd:001 submit date:2601010101 done date:2601010102 stat:DELIVRD err:000`,
          };
    this.#bring({ ...addresses, ...told, esm_class: 4 });
  }

  bringInbound(text: string): void {
    this.#bring({ source_addr_ton: 1, source_addr: '41791234567', destination_addr: '8400', short_message: text });
  }

  /** Sends enquire_link on every link. Resolves when all links have answered. */
  async enquire(): Promise<void> {
    const asking = [...this.#bound.keys()].map((session) => new Promise((resolve) => session.enquire_link(resolve)));
    await Promise.all(asking);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(session: Session): void {
    session.on('error', () => session.destroy());
    session.on('close', () => this.#bound.delete(session));
    session.on('pdu', (pdu: Pdu) => this.#hear(session, pdu));
  }

  #hear(session: Session, pdu: Pdu): void {
    this.commands.push(pdu.command);
    if (pdu.isResponse()) return;
    if (pdu.command === 'submit_sm') {
      this.#take(session, pdu);
      return;
    }
    if (pdu.command.startsWith('bind_')) {
      this.binds.push({ as: pdu.command.slice('bind_'.length), certificate: clientName(session.socket) });
      this.#bound.set(session, pdu.command);
    }
    session.send(pdu.response(pdu.command.startsWith('bind_') ? { system_id: 'npm' } : {}));
    if (pdu.command === 'unbind') session.close();
  }

  #take(session: Session, pdu: Pdu): void {
    const { source_addr: sender = '', destination_addr: receiver = '' } = pdu;
    const taken = { id: String(this.taken.length + 1), sender, receiver };
    this.taken.push(taken);
    this.#texts.add(receiver, pdu);
    session.send(pdu.response({ message_id: taken.id }));
    this.#bringReceipt(taken);
  }

  #bring(fields: object): void {
    const receiver = [...this.#bound].find(([, as]) => as !== 'bind_transmitter')?.[0];
    if (!receiver) throw new Error('nobody is bound to receive');
    receiver.deliver_sm(fields, (answer) => {
      if (answer.command_status === 0) this.#acknowledged += 1;
    });
  }
}

/** The common name of the client's certificate. */
function clientName(socket: Socket): string | undefined {
  const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  return Array.isArray(name) ? name[0] : name;
}
