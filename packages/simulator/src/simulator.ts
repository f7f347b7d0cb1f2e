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
import type { Submitted } from './addresses.ts';
import { type Peer, type Submit, Wire, answer, reset } from './answering.ts';
import { openBehaviours } from './behaviours.ts';
import type { Inbound } from './inbound.ts';
import { type Journal, type JournalEntry, openJournal } from './journal.ts';
import { type Settings, type SimulatorOptions, withDefaults } from './options.ts';
import { Outgoing, spell } from './outgoing.ts';
import type { AnswerPlan } from './plans.ts';

/* An SMPP server that accepts binds, answers messages by their plans, and sends receipts. */

export interface SimulatorCounters {
  readonly binds: number;
  readonly bindsRefused: number;
  readonly submits: number;
  /** The number of sent receipts. Each attempt counts. */
  readonly receiptsSent: number;
  readonly receiptsAcknowledged: number;
  readonly inboundSent: number;
  readonly inboundAcknowledged: number;
}

export interface Simulator {
  readonly port: number;
  readonly counters: SimulatorCounters;
  readonly sessions: number;
  /** Receipts and inbound messages that no client has acknowledged yet. */
  readonly deliveriesWaiting: number;
  /**
   * Sends an inbound message. Resolves when a client has acknowledged all parts. Throws RangeError if the message
   * cannot be encoded.
   */
  sendInbound(inbound: Inbound): Promise<void>;
  dropAll(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const systemId = 'simulator';
/** The window of a client may be large, and answers that a test holds back do not end the session. */
const sessionOptions: SessionOptions = { windowMax: 100, peerWindowMax: 20_000, handlerStallMs: Infinity };
const closeMs = 500;
const headOctets = 20;
const ok = statuses.ESME_ROK;
/** Statuses for requests that the simulator does not support. */
const refusals: Partial<Record<RequestName, number>> = {
  query_sm: statuses.ESME_RQUERYFAIL,
  cancel_sm: statuses.ESME_RCANCELFAIL,
  replace_sm: statuses.ESME_RREPLACEFAIL,
  submit_multi: statuses.ESME_RSUBMITFAIL,
};
const accept: AnswerPlan = {};

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
  readonly #choose: ReturnType<typeof openBehaviours>;
  readonly #wires = new WeakMap<Socket, Wire>();
  readonly #peers = new Map<Session, Peer>();
  #lastSession = 0;
  readonly #counters = {
    binds: 0,
    bindsRefused: 0,
    submits: 0,
  };
  readonly #timers = new Set<NodeJS.Timeout>();
  #server: Server | undefined;
  /** The next message id. It starts as microseconds since 1970, so that ids do not repeat after a restart. */
  #nextId = Date.now() * 1000;
  /** The newest submitted message, to which inbound messages reply by default. */
  #newest: Submitted | undefined;

  constructor(options: SimulatorOptions) {
    this.#options = withDefaults(options);
    this.#journal = openJournal(options.journal);
    this.#outgoing = new Outgoing({
      ...this.#options,
      journal: this.#journal,
      sessionNumber: (session) => this.#peers.get(session)?.number ?? 0,
    });
    this.#choose = openBehaviours(this.#options);
  }

  async open(): Promise<void> {
    const { port, host, tls } = this.#options;
    this.#server = await listen({
      ...sessionOptions,
      ...(tls && { tls }),
      port,
      host,
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
    const pdus = this.#outgoing.pdusOf(inbound, this.#newest);
    // Encodes each PDU before queueing, so that the caller gets the error if a PDU cannot be encoded.
    for (const pdu of pdus) encode({ ...pdu, sequence_number: 0 });
    const { systemId: system_id } = inbound;
    const sent = pdus.map(
      (pdu) => new Promise<void>((resolve) => this.#outgoing.inbound(pdu, { system_id, afterMs: 0, resolve })),
    );
    return Promise.all(sent).then(() => undefined);
  }

  dropAll(): void {
    for (const { socket } of this.#peers.values()) reset(socket);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#outgoing.deliveries.close();
    await this.#server?.close(closeMs);
    this.#journal.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The wire of a socket, which is made at the first call. */
  #wireOf(socket: Socket): Wire {
    const wire = this.#wires.get(socket) ?? new Wire(socket);
    this.#wires.set(socket, wire);
    return wire;
  }

  #authenticate({ bind }: BindAttempt): Promise<Admission> {
    const { command, system_id } = bind;
    const command_status = this.#statusOf(bind);
    this.#journal.write({ time: Date.now(), event: 'bind', command, system_id, command_status });
    if (command_status !== ok) {
      this.#counters.bindsRefused += 1;
      return Promise.resolve({ kind: 'refused', command_status });
    }
    this.#counters.binds += 1;
    return Promise.resolve({ kind: 'admitted', handlers: (session, socket) => this.#admit(session, socket) });
  }

  #statusOf({ system_id, password }: BindAttempt['bind']): number {
    const { bindsMax, ...wanted } = this.#options;
    if (wanted.systemId !== undefined && wanted.systemId !== system_id) return statuses.ESME_RINVSYSID;
    if (wanted.password !== undefined && wanted.password !== password) return statuses.ESME_RINVPASWD;
    const bound = [...this.#peers.keys()].filter(({ peer }) => peer.system_id === system_id).length;
    return bound >= bindsMax ? statuses.ESME_RALYBND : ok;
  }

  #admit(session: Session, socket: Socket): SessionHandlers {
    const { deliveries } = this.#outgoing;
    const peer = { session, number: ++this.#lastSession, socket, wire: this.#wireOf(socket), isGone: false };
    return {
      onBound: () => {
        this.#peers.set(session, peer);
        if (session.phase !== 'bound_tx') deliveries.attach(session);
      },
      onRoom: () => deliveries.pump(),
      onRequest: (pdu, respond) => this.#receive(peer, pdu, respond),
      onClose: () => {
        peer.isGone = true;
        this.#peers.delete(session);
        deliveries.detach(session);
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
    const { session } = peer;
    const read = {
      time: Date.now(),
      session: peer.number,
      serial: ++this.#counters.submits,
      unanswered: session.peerUnanswered,
    };
    const behaviour = this.#choose(pdu, { deliveries: this.#outgoing.deliveries.size, unanswered: read.unanswered });
    const plan = behaviour.answer ?? accept;
    const id = this.#nextId++;
    const message_id = plan.spell?.(id) ?? spell(id, this.#options.messageIds);
    const message = { ...messageOf(pdu), id, serial: read.serial, system_id: session.peer.system_id };
    this.#newest = message;
    this.#outgoing.receipts(message, behaviour.receipts, pdu.registered_delivery);
    if (behaviour.replies !== undefined) this.#outgoing.replies(message, behaviour.replies);
    this.#note(read, { pdu, plan, message_id });
    this.#later(() => answer(peer, { plan, message_id, respond }), plan.delayMs ?? this.#options.answerDelayMs);
    if (peer.isGone) this.#outgoing.deliveries.detach(session);
  }

  #later(act: () => void, delayMs: number): void {
    if (delayMs === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }

  #noteUnheard({ number }: Peer, pdu: Submit): void {
    this.#journal.write({
      time: Date.now(),
      event: 'unheard',
      session: number,
      sequence_number: pdu.sequence_number,
      destination: pdu.destination_addr,
      ...(this.#options.journalTexts && { text: readText(octetsOf(pdu), pdu.data_coding) }),
    });
  }

  #note(read: Read, { pdu, plan, message_id }: { pdu: Submit; plan: AnswerPlan; message_id: string }): void {
    const octets = octetsOf(pdu);
    const { command_status = ok } = plan;
    this.#journal.write({
      ...read,
      event: 'submit',
      sequence_number: pdu.sequence_number,
      message_id: command_status === ok ? message_id : null,
      command_status,
      source: pdu.source_addr,
      destination: pdu.destination_addr,
      octets: octets.length,
      esm_class: pdu.esm_class,
      data_coding: pdu.data_coding,
      registered_delivery: pdu.registered_delivery,
      ...(this.#options.journalTexts && {
        text: readText(octets, pdu.data_coding),
        hex: Buffer.from(octets).toString('hex'),
      }),
    });
  }
}

function messageOf(pdu: Submit): Omit<Submitted, 'id' | 'serial' | 'system_id'> {
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
