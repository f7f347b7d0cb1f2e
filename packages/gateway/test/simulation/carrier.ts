/*
 * Carriers of a simulation: peers of the real links, without sockets. PDUs are encoded and decoded, take time in each
 * direction, and keep their order. A connection may break at any moment, and what is on its way is lost then.
 */

import {
  ConnectError,
  decode,
  encode,
  statuses,
  writeReceipt,
  type Answer,
  type Ask,
  type AskName,
  type PduOf,
  type MessageState,
  type SessionHandlers,
  type SessionOptions,
} from '@morsel/smpp';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { bindLink, LinkSession } from '../../src/edge/carriers/smpp/bind.ts';
import type { Timer } from '../../src/runtime/clock.ts';
import { beginning, type World } from './world.ts';

/** How a carrier behaves. All shares are from 0 to 1, and the seed draws them. */
export interface Character {
  /** The longest time of a PDU on its way. */
  readonly latencyMaxMs: number;
  readonly throttles: number;
  readonly refuses: number;
  /** Temporary faults of one message. */
  readonly falters: number;
  /** Submits that are taken, but never answered. */
  readonly silent: number;
  /** Receipts that say the message failed. */
  readonly fails: number;
  /** Receipts that never come. */
  readonly forgets: number;
  readonly doubles: number;
  /** Receipts that come before the answer to the submit. */
  readonly early: number;
  /** Second receipts that contradict the first. */
  readonly contradicts: number;
  /** Receipts for messages that the gateway never sent. */
  readonly foreign: number;
  /** Intermediate receipts before the final one. */
  readonly enroute: number;
  readonly receiptMaxMs: number;
  /** The mean time between breaks of a connection; Infinity for none. */
  readonly breaksEveryMs: number;
  readonly bindsFail: number;
}

/** A submit that a carrier took, or would have taken. */
export interface Taken {
  readonly at: number;
  readonly carrier: string;
  readonly text: string;
  readonly receiver: string;
  readonly id: string;
  /** The place of the part, and the number of parts. */
  readonly place: number;
  readonly places: number;
  readonly isAccepted: boolean;
  /** Whether the gateway surely read the answer. */
  isAnswered: boolean;
}

/** A receipt that the gateway acknowledged. */
export interface Acknowledged {
  readonly at: number;
  readonly taken: Taken;
  readonly state: MessageState;
}

/** An inbound message that a carrier delivers until the gateway acknowledges it. */
export interface SentInbound {
  readonly at: number;
  readonly text: string;
  readonly sender: string;
  readonly receiver: string;
  acknowledgedAt: number | undefined;
}

const repeatMs = 20_000;
const redeliverMaxMs = 60_000;
const redeliveriesMax = 200;

export class SimCarrier {
  readonly name: string;
  readonly world: World;
  character: Character;
  readonly taken: Taken[] = [];
  readonly acknowledged: Acknowledged[] = [];
  readonly inbound: SentInbound[] = [];
  readonly #sessions = new Set<SimSession>();
  #lastId = 0;
  /** While it is true, binds are refused and connections end. */
  isDown = false;

  constructor(world: World, name: string, character: Character) {
    this.world = world;
    this.name = name;
    this.character = character;
  }

  get sessions(): ReadonlySet<SimSession> {
    return this.#sessions;
  }

  /** `isAlive`: whether the process that binds still runs. */
  bind(
    options: SessionHandlers & SessionOptions & { readonly signal: AbortSignal },
    isAlive: () => boolean,
  ): Promise<LinkSession> {
    const { world } = this;
    return new Promise((resolve, reject) => {
      world.soon(1, 100, () => {
        if (!isAlive()) return;
        if (options.signal.aborted) reject(new ConnectError('aborted'));
        else if (this.isDown) reject(new ConnectError('not_connected', { detail: 'ECONNREFUSED' }));
        else if (world.chance.happens(this.character.bindsFail)) {
          reject(new ConnectError('bind_refused', { command_status: statuses.ESME_RSYSERR }));
        } else {
          const session = new SimSession(this, options);
          this.#sessions.add(session);
          resolve(session);
        }
      });
    });
  }

  ended(session: SimSession): void {
    this.#sessions.delete(session);
  }

  goDown(): void {
    this.isDown = true;
    for (const session of this.#sessions) session.break();
  }

  /** Ends the sessions of a process that crashed. */
  forgetAll(): void {
    for (const session of this.#sessions) session.crash();
  }

  hear(session: SimSession, pdu: PduOf<'submit_sm'>): void {
    const { character, world } = this;
    const { chance } = world;
    const body = bodyOf(pdu);
    let taken: Taken | undefined;
    const hasArrived = () => {
      if (taken) taken.isAnswered = true;
    };
    const answer = (status: number, id = '') => session.answer(pdu, { status, id, hasArrived });
    if (chance.happens(character.throttles)) {
      answer(statuses.ESME_RTHROTTLED);
      return;
    }
    if (chance.happens(character.falters)) {
      answer(statuses.ESME_RSYSERR);
      return;
    }
    const isAccepted = !chance.happens(character.refuses);
    const id = `${this.name}${++this.#lastId}`;
    taken = {
      at: world.nowMs,
      carrier: this.name,
      text: body.text,
      receiver: `+${latin1(pdu.destination_addr)}`,
      id,
      place: body.place,
      places: body.places,
      isAccepted,
      isAnswered: false,
    };
    this.taken.push(taken);
    world.tell(
      `${this.name} ${isAccepted ? 'takes' : 'refuses'} ${body.text.slice(0, 16)} part ${body.place} as ${id}`,
    );
    if (!isAccepted) {
      answer(statuses.ESME_RINVDSTADR);
      return;
    }
    const isEarly = chance.happens(character.early);
    if (isEarly) this.#receipts(taken, pdu);
    if (!chance.happens(character.silent)) answer(statuses.ESME_ROK, id);
    if (!isEarly) this.#receipts(taken, pdu);
  }

  #receipts(taken: Taken, pdu: PduOf<'submit_sm'>): void {
    const { character, world } = this;
    const { chance } = world;
    if (chance.happens(character.foreign)) {
      this.#receipt({ ...taken, id: `other${this.#lastId}` }, 'DELIVERED', pdu, chance.between(0, 60_000));
    }
    if (chance.happens(character.forgets)) return;
    const first = chance.happens(character.fails)
      ? chance.pick(['UNDELIVERABLE', 'EXPIRED', 'REJECTED', 'DELETED'] as const)
      : 'DELIVERED';
    const afterMs = chance.next() ** 2 * character.receiptMaxMs;
    if (chance.happens(character.enroute)) this.#receipt(taken, 'ENROUTE', pdu, afterMs / 2);
    this.#receipt(taken, first, pdu, afterMs);
    if (chance.happens(character.doubles)) this.#receipt(taken, first, pdu, afterMs + chance.between(0, 60_000));
    if (chance.happens(character.contradicts)) {
      const second = first === 'DELIVERED' ? 'UNDELIVERABLE' : 'DELIVERED';
      this.#receipt(taken, second, pdu, afterMs + chance.between(1, 120_000));
    }
  }

  #receipt(taken: Taken, state: MessageState, pdu: PduOf<'submit_sm'>, afterMs: number): void {
    const nowMs = beginning + this.world.nowMs;
    const written = writeReceipt({ id: taken.id, state, submittedAtMs: nowMs, doneAtMs: nowMs + afterMs });
    const request: Ask = {
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: pdu.destination_addr,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: pdu.source_addr,
      ...written,
    };
    const isOurs = this.taken.includes(taken);
    this.#deliver(request, afterMs, () => {
      this.world.tell(`${this.name}'s receipt ${state} for ${taken.id} is acknowledged`);
      if (isOurs) this.acknowledged.push({ at: this.world.nowMs, taken, state });
    });
  }

  /** Sends an inbound message of one part. */
  sendInbound(sender: string, receiver: string, text: string): void {
    const sent: SentInbound = { at: this.world.nowMs, text, sender, receiver, acknowledgedAt: undefined };
    this.inbound.push(sent);
    const request: Ask = {
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: sender.slice(1),
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: receiver.slice(1),
      short_message: Buffer.from(text, 'latin1'),
    };
    this.#deliver(request, 0, () => (sent.acknowledgedAt ??= this.world.nowMs));
  }

  /** Delivers over any of the gateway's links, again and again until the gateway acknowledges. */
  #deliver(request: Ask, afterMs: number, acknowledged: () => void, tries = 0): void {
    const again = () => {
      if (tries < redeliveriesMax) {
        this.#deliver(request, this.world.chance.between(1_000, redeliverMaxMs), acknowledged, tries + 1);
      }
    };
    this.world.after(afterMs, () => {
      const open = [...this.#sessions].filter((session) => session.isOpen);
      if (open.length === 0) again();
      else this.world.chance.pick(open).deliver(request, (isKept) => (isKept ? acknowledged() : again()));
    });
  }
}

interface InFlight {
  readonly hear: (answer: Answer) => void;
  readonly timer: Timer;
  isWritten: boolean;
}

/** The gateway's side of one connection, and the connection itself. */
export class SimSession implements LinkSession {
  readonly peerRefused = 0;
  readonly #carrier: SimCarrier;
  readonly #options: SessionHandlers & SessionOptions;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #late = new Set<number>();
  /** Deliveries without an answer of the gateway, at the carrier. */
  readonly #open = new Map<number, (isKept: boolean) => void>();
  readonly #settles: ((isRead: boolean) => void)[] = [];
  #windowMax: number;
  #responseTimeoutMs: number;
  #isOpen = true;
  #wasFull = false;
  #lastSequence = 0;
  #lastDelivery = 0;
  /** PDUs keep their order: none arrives before the one that was sent before it. */
  #arrivesAt = { here: 0, there: 0 };
  #unbinding: (() => void) | undefined;

  constructor(carrier: SimCarrier, options: SessionHandlers & SessionOptions) {
    this.#carrier = carrier;
    this.#options = options;
    this.#windowMax = options.windowMax ?? 10;
    this.#responseTimeoutMs = options.responseTimeoutMs ?? 30_000;
    const { breaksEveryMs } = carrier.character;
    if (breaksEveryMs !== Infinity) {
      carrier.world.after(-Math.log(1 - carrier.world.chance.next()) * breaksEveryMs, () => this.break());
    }
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#unbinding === undefined;
  }

  get room(): number {
    return this.isOpen ? Math.max(0, this.#windowMax - this.#inFlight.size) : 0;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void {
    if (!this.isOpen) {
      hear({ kind: 'closed', written: false });
      return;
    }
    if (this.room <= 0) throw new RangeError('the window of the session is full; check `room` before each request');
    const sequence_number = ++this.#lastSequence;
    const bytes = encode({ ...pdu, sequence_number });
    const { world } = this.#carrier;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- submit_sm is all that links send
    const settle = hear as InFlight['hear'];
    const timer = world.after(this.#responseTimeoutMs, () => {
      this.#inFlight.delete(sequence_number);
      this.#late.add(sequence_number);
      settle({ kind: 'timeout', sequence_number });
      this.#tellRoom();
    });
    const waiting: InFlight = { hear: settle, timer, isWritten: false };
    this.#inFlight.set(sequence_number, waiting);
    this.#wasFull ||= this.room <= 0;
    // The octets are written at the end of this turn of the event loop.
    this.#arrives('there', () => this.#carrier.hear(this, decoded(bytes, 'submit_sm')));
    world.after(0, () => (waiting.isWritten = true));
  }

  /** The carrier answers a submit. */
  answer(
    { sequence_number }: PduOf<'submit_sm'>,
    { status, id, hasArrived }: { readonly status: number; readonly id: string; readonly hasArrived: () => void },
  ): void {
    const bytes = encode({ command: 'submit_sm_resp', sequence_number, command_status: status, message_id: id });
    this.#arrives('here', () => {
      const pdu = decoded(bytes, 'submit_sm_resp');
      const waiting = this.#inFlight.get(sequence_number);
      if (waiting) {
        waiting.timer.cancel();
        this.#inFlight.delete(sequence_number);
        hasArrived();
        waiting.hear({ kind: 'answered', pdu });
        this.#tellRoom();
      } else this.#options.onStray?.(pdu, this.#late.delete(sequence_number));
      for (const settle of this.#settles.splice(0)) settle(true);
    });
  }

  /** The carrier delivers a receipt or an inbound message. */
  deliver(request: Ask, heard: (isKept: boolean) => void): void {
    const sequence_number = ++this.#lastDelivery;
    const bytes = encode({ ...request, sequence_number });
    this.#open.set(sequence_number, heard);
    const end = (isKept: boolean) => {
      if (!this.#open.delete(sequence_number)) return;
      heard(isKept);
    };
    this.#carrier.world.after(repeatMs, () => end(false));
    this.#arrives('here', () => {
      const pdu = decoded(bytes, 'deliver_sm');
      this.#options.onRequest(
        pdu,
        (status, _fields, settle) => {
          if (!this.#isOpen) return false;
          if (settle) this.#settles.push(settle);
          this.#arrives('there', () => end(status === 0));
          return true;
        },
        bytes,
      );
    });
  }

  adjust({ windowMax, responseTimeoutMs }: Parameters<LinkSession['adjust']>[0]): void {
    this.#windowMax = windowMax ?? this.#windowMax;
    this.#responseTimeoutMs = responseTimeoutMs ?? this.#responseTimeoutMs;
    this.#tellRoom();
  }

  unbind(): ReturnType<LinkSession['unbind']> {
    return new Promise((resolve) => {
      this.#unbinding = () => {
        this.#end('unbound');
        resolve('unbound');
      };
      this.#lookUnbound();
      this.#carrier.world.after(this.#responseTimeoutMs, () => this.#unbinding?.());
    });
  }

  destroy(): void {
    this.#end('destroyed');
  }

  /** The connection breaks: what is on its way in either direction is lost. */
  break(): void {
    if (this.#isOpen) this.#carrier.world.tell(`a link to ${this.#carrier.name} breaks`);
    this.#end('disconnected');
  }

  /** The gateway's process is gone: nobody hears anything any more. */
  crash(): void {
    this.#isOpen = false;
    for (const { timer } of this.#inFlight.values()) timer.cancel();
    this.#inFlight.clear();
    this.#carrier.ended(this);
    this.#giveUpDeliveries();
  }

  #end(reason: 'unbound' | 'destroyed' | 'disconnected'): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#carrier.ended(this);
    const waiting = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { timer } of waiting) timer.cancel();
    for (const { hear, isWritten } of waiting) hear({ kind: 'closed', written: isWritten });
    for (const settle of this.#settles.splice(0)) settle(reason === 'unbound');
    this.#options.onClose?.(reason, undefined);
    this.#giveUpDeliveries();
  }

  #giveUpDeliveries(): void {
    for (const [sequence, heard] of this.#open) {
      this.#open.delete(sequence);
      heard(false);
    }
  }

  #arrives(where: 'here' | 'there', call: () => void): void {
    const { world, character } = this.#carrier;
    const latencyMs = 0.1 + character.latencyMaxMs * world.chance.next() ** 3;
    this.#arrivesAt[where] = Math.max(this.#arrivesAt[where] + 0.001, world.nowMs + latencyMs);
    world.after(this.#arrivesAt[where] - world.nowMs, () => {
      if (!this.#isOpen) return;
      call();
      this.#lookUnbound();
    });
  }

  #lookUnbound(): void {
    if (this.#inFlight.size === 0) this.#unbinding?.();
  }

  #tellRoom(): void {
    if (!this.#wasFull || this.room <= 0) return;
    this.#wasFull = false;
    this.#options.onRoom?.();
  }
}

/** Binds to the carrier whose name is the system_id in the settings. */
export function bindTo(carriers: ReadonlyMap<string, SimCarrier>, isAlive: () => boolean): typeof bindLink {
  return ({ systemId }: SmppSettings, options) => {
    const carrier = carriers.get(systemId);
    if (!carrier) throw new ConnectError('not_connected', { detail: 'ENOTFOUND' });
    return carrier.bind(options, isAlive);
  };
}

function decoded<C extends 'submit_sm' | 'submit_sm_resp' | 'deliver_sm'>(bytes: Uint8Array, command: C): PduOf<C> {
  const read = decode(bytes);
  if (!read.ok || read.pdu.command !== command) throw new Error(`this is no ${command}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line before has looked
  return read.pdu as PduOf<C>;
}

function latin1(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
}

/** The text of a submit in the default alphabet, and its place in a long message. The texts have only basic letters. */
function bodyOf({ esm_class, short_message }: PduOf<'submit_sm'>) {
  const octets = Buffer.from(short_message);
  if ((esm_class & 0x40) === 0) return { text: octets.toString('latin1'), place: 1, places: 1 };
  const header = 1 + (octets[0] ?? 0);
  const [places = 1, place = 1] = [octets[header - 2], octets[header - 1]];
  return { text: octets.subarray(header).toString('latin1'), place, places };
}
