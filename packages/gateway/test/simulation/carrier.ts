/* Carriers of a simulation: peers of the real links, without sockets. */

import {
  ConnectError,
  statuses,
  writeReceipt,
  type Ask,
  type PduOf,
  type MessageState,
  type SessionHandlers,
  type SessionOptions,
} from '@morsel/smpp';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { bindLink, LinkSession } from '../../src/edge/carriers/smpp/bind.ts';
import { SimSession } from './session.ts';
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

/** Binds to the carrier whose name is the system_id in the settings. */
export function bindTo(carriers: ReadonlyMap<string, SimCarrier>, isAlive: () => boolean): typeof bindLink {
  return ({ systemId }: SmppSettings, options) => {
    const carrier = carriers.get(systemId);
    if (!carrier) throw new ConnectError('not_connected', { detail: 'ENOTFOUND' });
    return carrier.bind(options, isAlive);
  };
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
