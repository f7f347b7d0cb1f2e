import type { Socket } from 'node:net';
import {
  type RequestName,
  type PduOf,
  type Admission,
  type BindAttempt,
  type Server,
  type Respond,
  type Session,
  type SessionHandlers,
  type SessionOptions,
  dataCoding,
  encode,
  listen,
  readTlv,
  statuses,
} from '@morsel/smpp';
import { AnswerOrder } from './answer/answer-order.ts';
import { type Peer, type Submit, answer, reset } from './answering.ts';
import { type Load, openBehaviours } from './behaviours.ts';
import { openBinds } from './answer/binds.ts';
import { Closing } from './answer/closing.ts';
import { spell } from './delivery/ids.ts';
import { type Inbound, inboundPdus } from './inbound.ts';
import { type Journal, type JournalEntry, openJournal } from './journal.ts';
import type { Submitted } from './addresses.ts';
import { Outgoing } from './outgoing.ts';
import type { AnswerPlan, Behaviour } from './plans.ts';
import { type Settings, type SimulatorOptions, defaults } from './options.ts';
import { Wire } from './answer/wire.ts';

/*
 * The simulator: an SMPP server that accepts binds, answers messages by their plans, and sends receipts.
 */

export interface SimulatorCounters {
  readonly binds: number;
  readonly bindsRefused: number;
  readonly submits: number;
  /** The number of receipts sent; each attempt counts. */
  readonly receiptsSent: number;
  readonly receiptsAcknowledged: number;
  readonly inboundSent: number;
  readonly inboundAcknowledged: number;
}

/** A running simulator. */
export interface Simulator {
  readonly port: number;
  readonly counters: SimulatorCounters;
  /** The number of bound sessions. */
  readonly sessions: number;
  /** The number of receipts and inbound messages that no client has acknowledged yet. */
  readonly deliveriesWaiting: number;
  /**
   * Sends an inbound message. Resolves when a client has acknowledged all parts. Throws RangeError if the message
   * cannot be encoded.
   */
  sendInbound(inbound: Inbound): Promise<void>;
  /** Holds back the answers to submit_sm until `resume` is called. */
  pauseAnswers(): void;
  resume(): void;
  /** Resets all connections. */
  dropAll(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const systemId = 'simulator';
/**
 * The session options of the simulator: clients may have a large window, and answers that are held back do not end the
 * session.
 */
const sessionOptions: SessionOptions = { windowMax: 100, peerWindowMax: 20_000, handlerStallMs: Infinity };
const closeMs = 500;
const headOctets = 20;
const ok = statuses.ESME_ROK;
/** The statuses that refuse requests which the simulator does not support. */
const refusals: Partial<Record<RequestName, number>> = {
  query_sm: statuses.ESME_RQUERYFAIL,
  cancel_sm: statuses.ESME_RCANCELFAIL,
  replace_sm: statuses.ESME_RREPLACEFAIL,
  submit_multi: statuses.ESME_RSUBMITFAIL,
};
const accept: AnswerPlan = { kind: 'accept' };
const noAnswer: AnswerPlan = { kind: 'silence' };

type Read = Pick<Extract<JournalEntry, { event: 'submit' }>, 'time' | 'session' | 'serial' | 'unanswered'>;

/** Starts a simulated carrier. Rejects if the port is not available or an option is invalid. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = new Carrier(options);
  await simulator.open();
  return simulator;
}

class Carrier implements Simulator {
  readonly #options: Settings;
  readonly #journal: Journal;
  readonly #outgoing: Outgoing;
  readonly #choose: (pdu: Submit, load: Load) => Behaviour;
  readonly #decideBind: ReturnType<typeof openBinds>;
  readonly #order: AnswerOrder;
  readonly #closing: Closing;
  readonly #wires = new WeakMap<Socket, Wire>();
  readonly #peers = new Set<Peer>();
  /** The numbers of the sessions, in the order of their binds. */
  readonly #sessionNumbers = new WeakMap<Session, number>();
  #lastSession = 0;
  readonly #counters = {
    binds: 0,
    bindsRefused: 0,
    submits: 0,
  };
  #server: Server | undefined;
  /**
   * The next message id. The first id is the time in microseconds since 1970, so that ids do not repeat after a
   * restart.
   */
  #nextId = Date.now() * 1000;
  #held: (() => void)[] | undefined;
  /** The newest submitted message. By default, inbound messages reply to the newest submitted message. */
  #newest: Submitted | undefined;

  constructor(options: SimulatorOptions) {
    this.#options = { ...defaults, ...options };
    this.#journal = openJournal(options.journal);
    this.#outgoing = new Outgoing({
      ...this.#options,
      journal: this.#journal,
      sessionNumber: (session) => this.#sessionNumbers.get(session) ?? 0,
    });
    this.#choose = openBehaviours(this.#options);
    this.#decideBind = openBinds(this.#options);
    this.#order = new AnswerOrder(this.#options);
    this.#closing = new Closing(options.closing);
  }

  async open(): Promise<void> {
    const { port, host, tls, session, version } = this.#options;
    this.#server = await listen({
      ...sessionOptions,
      ...session,
      ...(tls && { tls }),
      port,
      host,
      version,
      system_id: systemId,
      sink: (socket) => this.#wireOf(socket),
      authenticate: (attempt) => this.#authenticate(attempt),
    });
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  get counters(): SimulatorCounters {
    return { ...this.#counters, ...this.#outgoing.counters };
  }

  get sessions(): number {
    return this.#peers.size;
  }

  get deliveriesWaiting(): number {
    return this.#outgoing.deliveries.size;
  }

  sendInbound(inbound: Inbound): Promise<void> {
    const pdus = inboundPdus(inbound, { newest: this.#newest, reference: this.#outgoing.nextReference() });
    // Encodes each PDU before queueing, so that the caller gets the error if a PDU cannot be encoded.
    for (const pdu of pdus) encode({ ...pdu, sequence_number: 0 });
    const { systemId: system_id } = inbound;
    const sent = pdus.map(
      (pdu) => new Promise<void>((resolve) => this.#outgoing.inbound(pdu, { system_id, afterMs: 0, resolve })),
    );
    return Promise.all(sent).then(() => undefined);
  }

  pauseAnswers(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  dropAll(): void {
    for (const { socket } of this.#peers) reset(socket);
  }

  async close(): Promise<void> {
    this.#order.close();
    this.#closing.close();
    this.#outgoing.deliveries.close();
    await this.#server?.close(closeMs);
    this.#journal.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Returns the wire of a socket, and creates the wire at the first call. */
  #wireOf(socket: Socket): Wire {
    const { unanswered, bindRefusal } = this.#options;
    const wire =
      this.#wires.get(socket) ?? new Wire(socket, { unanswered, refusedBindsHaveBody: bindRefusal?.hasBody === true });
    this.#wires.set(socket, wire);
    return wire;
  }

  #authenticate({ bind }: BindAttempt): Promise<Admission> {
    const { command, system_id } = bind;
    const bound = [...this.#peers].filter(({ session }) => session.peer.system_id === system_id).length;
    const decided = this.#decideBind({ bind }, bound);
    const command_status = decided === 'unanswered' ? null : decided;
    this.#journal.write({ time: Date.now(), event: 'bind', command, system_id, command_status });
    if (command_status !== ok) this.#counters.bindsRefused += 1;
    // The bind gets no answer. The bind timeout of the client or of the simulator ends the connection.
    if (command_status === null) return new Promise(() => undefined);
    if (command_status !== ok) return Promise.resolve({ kind: 'refused', command_status });
    this.#counters.binds += 1;
    return Promise.resolve({ kind: 'admitted', handlers: (session, socket) => this.#admit(session, socket) });
  }

  #admit(session: Session, socket: Socket): SessionHandlers {
    this.#sessionNumbers.set(session, ++this.#lastSession);
    return this.#handlersOf({ session, socket, wire: this.#wireOf(socket), isGone: false });
  }

  #handlersOf(peer: Peer): SessionHandlers {
    return {
      onBound: () => {
        this.#peers.add(peer);
        if (peer.session.phase !== 'bound_tx') this.#outgoing.deliveries.attach(peer.session);
      },
      onRoom: () => this.#outgoing.deliveries.pump(),
      onRequest: (pdu, respond) => this.#receive(peer, pdu, respond),
      onClose: () => {
        peer.isGone = true;
        this.#peers.delete(peer);
        this.#outgoing.deliveries.detach(peer.session);
      },
    };
  }

  #receive(peer: Peer, pdu: PduOf<RequestName>, respond: Respond): void {
    const isSubmit = pdu.command === 'submit_sm' || pdu.command === 'data_sm';
    if (peer.isGone && isSubmit) this.#noteUnheard(peer, pdu);
    if (peer.isGone) return;
    if (isSubmit) this.#submit(peer, pdu, respond);
    else respond(refusals[pdu.command] ?? statuses.ESME_RINVCMDID);
  }

  #submit(peer: Peer, pdu: Submit, respond: Respond): void {
    this.#counters.submits += 1;
    const load = { deliveries: this.#outgoing.deliveries.size, unanswered: peer.session.peerUnanswered };
    const behaviour = this.#choose(pdu, load);
    const plan = behaviour.answer ?? accept;
    const id = this.#nextId++;
    const form = (plan.kind === 'accept' ? plan.id : undefined) ?? this.#options.messageIds;
    const message_id = spell(id, form);
    const go = (): void => {
      if (this.#held === undefined) answer(peer, { plan, pdu, message_id, respond });
      else this.#held.push(go);
    };
    const read = this.#readOf(peer);
    const sent = { id, serial: read.serial, system_id: peer.session.peer.system_id, session: peer.session };
    const message = { ...messageOf(pdu), ...sent };
    this.#newest = message;
    this.#outgoing.receipts(message, behaviour.receipts, pdu.registered_delivery);
    if (behaviour.inbound !== undefined) this.#outgoing.reply(message, behaviour.inbound);
    const isCut = this.#closing.takes(peer, {
      go: () => {
        this.#note(read, { pdu, plan, message_id });
        go();
      },
      lose: () => this.#note(read, { pdu, plan: noAnswer, message_id }),
    });
    if (!isCut) {
      this.#note(read, { pdu, plan, message_id });
      this.#order.put(go, plan.kind === 'accept' ? plan.delayMs : undefined);
    }
    if (peer.isGone) this.#outgoing.deliveries.detach(peer.session);
  }

  /** Returns the fields of a journal entry that are known when a submit_sm is read. */
  #readOf({ session }: Peer): Read {
    return {
      time: Date.now(),
      session: this.#sessionNumbers.get(session) ?? 0,
      serial: this.#counters.submits,
      unanswered: session.peerUnanswered,
    };
  }

  #noteUnheard({ session }: Peer, pdu: Submit): void {
    this.#journal.write({
      time: Date.now(),
      event: 'unheard',
      session: this.#sessionNumbers.get(session) ?? 0,
      sequence_number: pdu.sequence_number,
      destination: pdu.destination_addr,
      ...(this.#options.journalTexts && { text: readText(octetsOf(pdu), pdu.data_coding) }),
    });
  }

  #note(read: Read, { pdu, plan, message_id }: { pdu: Submit; plan: AnswerPlan; message_id: string }): void {
    const octets = octetsOf(pdu);
    const hasId = plan.kind === 'accept' || (plan.kind === 'disconnect' && plan.answer !== 'none');
    const refused = plan.kind === 'refuse' ? plan.command_status : null;
    this.#journal.write({
      ...read,
      event: 'submit',
      sequence_number: pdu.sequence_number,
      message_id: hasId ? message_id : null,
      command_status: hasId ? ok : refused,
      source: pdu.source_addr,
      destination: pdu.destination_addr,
      octets: octets.length,
      esm_class: pdu.esm_class,
      data_coding: pdu.data_coding,
      registered_delivery: pdu.registered_delivery,
      ...(this.#options.journalTexts && { text: readText(octets, pdu.data_coding), hex: hexOf(octets) }),
    });
  }
}

function messageOf(pdu: Submit): Omit<Submitted, 'id' | 'serial'> {
  return {
    source: { ton: pdu.source_addr_ton, npi: pdu.source_addr_npi, addr: pdu.source_addr },
    destination: { ton: pdu.dest_addr_ton, npi: pdu.dest_addr_npi, addr: pdu.destination_addr },
    submittedAtMs: Date.now(),
    // Copied, because a view would keep the whole read buffer in memory.
    head: octetsOf(pdu).slice(0, headOctets),
  };
}

function octetsOf(pdu: Submit): Uint8Array {
  const short = pdu.command === 'submit_sm' ? pdu.short_message : undefined;
  return short !== undefined && short.length > 0 ? short : (readTlv(pdu, 'message_payload') ?? new Uint8Array(0));
}

function readText(octets: Uint8Array, data_coding: number): string {
  const bytes = Buffer.from(octets);
  return data_coding === dataCoding.ucs2 && bytes.length % 2 === 0
    ? bytes.swap16().toString('utf16le')
    : bytes.toString('latin1');
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
