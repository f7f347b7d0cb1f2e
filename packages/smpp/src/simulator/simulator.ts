import type { RequestName } from '../commands.ts';
import { encode } from '../encode.ts';
import type { PduOf } from '../pdu.ts';
import type { Admission, BindAttempt, Server } from '../server.ts';
import { listen } from '../server.ts';
import type { Respond, SessionHandlers, SessionOptions } from '../session-contract.ts';
import { status } from '../statuses.ts';
import type { ServerTls } from '../tls.ts';
import { readTlv } from '../tlvs.ts';
import type { Peer, Submit } from './answering.ts';
import { answer, reset } from './answering.ts';
import { openBehaviours } from './behaviours.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { openJournal } from './journal.ts';
import type { AnswerPlan, Behaviour } from './magic.ts';
import type { Inbound, Submitted } from './messages.ts';
import { inboundPdu, spell } from './messages.ts';
import { Outgoing } from './outgoing.ts';

export type SimulatorOptions = {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Speaks TLS alone on its port. */
  readonly tls?: ServerTls;
  /** Given, they are asked for; else every bind is taken. */
  readonly systemId?: string;
  readonly password?: string;
  /** Default 500 ms. */
  readonly receiptDelayMs?: number;
  /** After which a delivery that was not acknowledged is sent again. Default 1 s. */
  readonly retryMs?: number;
  /** A file to append to, or a function. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Texts in the journal, for tests. */
  readonly journalTexts?: boolean;
  /** submit_sm a second; more are answered ESME_RTHROTTLED. */
  readonly throughput?: number;
  /** false: no number is special. For load, whose numbers end in whatever they do. */
  readonly magic?: boolean;
  /** Default decimal. */
  readonly messageIds?: 'decimal' | 'hex';
  /** Receipts and inbound messages without acknowledgement, at which submit_sm gets ESME_RMSGQFUL. Default 100,000. */
  readonly deliveriesMax?: number;
  readonly session?: SessionOptions;
};

export type SimulatorCounters = {
  readonly binds: number;
  readonly bindsRefused: number;
  readonly submits: number;
  /** Every try counts. */
  readonly receiptsSent: number;
  readonly receiptsAcknowledged: number;
  readonly inboundSent: number;
  readonly inboundAcknowledged: number;
};

/** A carrier to develop and test against; `magic.ts` says which receivers make it behave in which way. */
export type Simulator = {
  readonly port: number;
  readonly counters: SimulatorCounters;
  /** Bound sessions. */
  readonly sessions: number;
  /** Receipts and inbound messages that were not acknowledged yet. */
  readonly deliveriesWaiting: number;
  /** Sends a message from a phone; resolves once a client has acknowledged it. Throws for what cannot be encoded. */
  sendInbound(inbound: Inbound): Promise<void>;
  /** Takes submit_sm and answers none of them until `resume`. */
  pauseAnswers(): void;
  resume(): void;
  /** Resets every connection. */
  dropAll(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const DEFAULTS = {
  host: '127.0.0.1',
  receiptDelayMs: 500,
  retryMs: 1000,
  journalTexts: false,
  magic: true,
  messageIds: 'decimal',
  deliveriesMax: 100_000,
} as const satisfies Partial<SimulatorOptions>;

const SYSTEM_ID = 'simulator';
/** Carriers take what comes; held answers must not end the session. */
const SESSION: SessionOptions = { windowMax: 100, peerWindowMax: 20_000, handlerStallMs: Infinity };
const CLOSE_MS = 500;
const HEAD_OCTETS = 20;
const ROK = status('ESME_ROK');
/** What the simulator does not do. */
const REFUSALS: Partial<Record<RequestName, number>> = {
  query_sm: status('ESME_RQUERYFAIL'),
  cancel_sm: status('ESME_RCANCELFAIL'),
  replace_sm: status('ESME_RREPLACEFAIL'),
  submit_multi: status('ESME_RSUBMITFAIL'),
};
const ACCEPT: AnswerPlan = { kind: 'accept' };
const DATA_CODING_UCS2 = 8;

/** Listens as a carrier. Rejects when the port cannot be had. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = new Carrier(options);
  await simulator.open();
  return simulator;
}

type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof DEFAULTS>>;

class Carrier implements Simulator {
  readonly #options: Settings;
  readonly #journal: Journal;
  readonly #outgoing: Outgoing;
  readonly #choose: (destination: string, deliveries: number) => Behaviour;
  readonly #peers = new Set<Peer>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #counters = {
    binds: 0,
    bindsRefused: 0,
    submits: 0,
  };
  #server: Server | undefined;
  /** Microseconds since 1970 at the start, then counted: ids do not repeat after a restart. */
  #nextId = Date.now() * 1000;
  #held: (() => void)[] | undefined;

  constructor(options: SimulatorOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#journal = openJournal(options.journal);
    this.#outgoing = new Outgoing({ ...this.#options, journal: this.#journal });
    this.#choose = openBehaviours(this.#options);
  }

  async open(): Promise<void> {
    const { port, host, tls, session } = this.#options;
    this.#server = await listen({
      ...SESSION,
      ...session,
      ...(tls && { tls }),
      port,
      host,
      system_id: SYSTEM_ID,
      authenticate: (attempt) => Promise.resolve(this.#authenticate(attempt)),
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
    const pdu = inboundPdu(inbound);
    // What cannot be encoded is found here, where the caller can be told.
    encode({ ...pdu, sequence_number: 0 });
    return new Promise((resolve) => this.#outgoing.inbound(pdu, { system_id: inbound.systemId, afterMs: 0, resolve }));
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
    for (const timer of this.#timers) clearTimeout(timer);
    this.#outgoing.deliveries.close();
    await this.#server?.close(CLOSE_MS);
    this.#journal.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #authenticate({ bind }: BindAttempt): Admission {
    const { systemId, password } = this.#options;
    const { command, system_id } = bind;
    let command_status = ROK;
    if (systemId !== undefined && systemId !== system_id) command_status = status('ESME_RINVSYSID');
    else if (password !== undefined && password !== bind.password) command_status = status('ESME_RINVPASWD');
    this.#journal.write({ time: Date.now(), event: 'bind', command, system_id, command_status });
    if (command_status !== ROK) {
      this.#counters.bindsRefused += 1;
      return { kind: 'refused', command_status };
    }
    this.#counters.binds += 1;
    return { kind: 'admitted', handlers: (session, socket) => this.#handlersOf({ session, socket, isGone: false }) };
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
    if (peer.isGone) return;
    if (pdu.command === 'submit_sm' || pdu.command === 'data_sm') this.#submit(peer, pdu, respond);
    else respond(REFUSALS[pdu.command] ?? status('ESME_RINVCMDID'));
  }

  #submit(peer: Peer, pdu: Submit, respond: Respond): void {
    this.#counters.submits += 1;
    const behaviour = this.#choose(pdu.destination_addr, this.#outgoing.deliveries.size);
    const plan = behaviour.answer ?? ACCEPT;
    const id = this.#nextId++;
    const form = (plan.kind === 'accept' ? plan.id : undefined) ?? this.#options.messageIds;
    const message_id = spell(id, form);
    this.#note(pdu, plan, message_id);
    const go = (): void => {
      if (this.#held === undefined) answer(peer, { plan, pdu, message_id, respond });
      else this.#held.push(go);
    };
    const { system_id } = peer.session.peer;
    const message = { ...messageOf(pdu, id), system_id };
    this.#outgoing.receipts(message, behaviour.receipts, pdu.registered_delivery);
    if (behaviour.inbound !== undefined) this.#outgoing.reply(message, behaviour.inbound);
    const delayMs = plan.kind === 'accept' ? (plan.delayMs ?? 0) : 0;
    if (delayMs === 0) go();
    else this.#later(go, delayMs);
    if (peer.isGone) this.#outgoing.deliveries.detach(peer.session);
  }

  #note(pdu: Submit, plan: AnswerPlan, message_id: string): void {
    const octets = octetsOf(pdu);
    const hasId = plan.kind === 'accept' || (plan.kind === 'disconnect' && plan.answer !== 'none');
    const refused = plan.kind === 'refuse' || plan.kind === 'nack' ? plan.command_status : null;
    this.#journal.write({
      time: Date.now(),
      event: 'submit',
      sequence_number: pdu.sequence_number,
      message_id: hasId ? message_id : null,
      command_status: hasId ? ROK : refused,
      source: pdu.source_addr,
      destination: pdu.destination_addr,
      octets: octets.length,
      esm_class: pdu.esm_class,
      data_coding: pdu.data_coding,
      registered_delivery: pdu.registered_delivery,
      ...(this.#options.journalTexts && { text: readText(octets, pdu.data_coding), hex: hexOf(octets) }),
    });
  }

  #later(go: () => void, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      go();
    }, delayMs);
    this.#timers.add(timer);
  }
}

function messageOf(pdu: Submit, id: number): Submitted {
  return {
    id,
    source: { ton: pdu.source_addr_ton, npi: pdu.source_addr_npi, addr: pdu.source_addr },
    destination: { ton: pdu.dest_addr_ton, npi: pdu.dest_addr_npi, addr: pdu.destination_addr },
    submittedAtMs: Date.now(),
    // A copy: a view would keep all that came with it in memory.
    head: octetsOf(pdu).slice(0, HEAD_OCTETS),
  };
}

function octetsOf(pdu: Submit): Uint8Array {
  const short = pdu.command === 'submit_sm' ? pdu.short_message : undefined;
  return short !== undefined && short.length > 0 ? short : (readTlv(pdu, 'message_payload') ?? new Uint8Array(0));
}

function readText(octets: Uint8Array, data_coding: number): string {
  const bytes = Buffer.from(octets);
  return data_coding === DATA_CODING_UCS2 && bytes.length % 2 === 0
    ? bytes.swap16().toString('utf16le')
    : bytes.toString('latin1');
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
