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
import { concatenationOf, decodeText, parseHeader } from '@morsel/gsm';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { bindLink, LinkSession } from '../../../src/edge/carriers/smpp/bind.ts';
import type { Delivered, SentInbound, SentReceipt, Submit } from './records.ts';
import { SimSession } from './session.ts';
import { beginning, type World } from '../world.ts';

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
  /** How it writes its ids: a name with a number, a number, or a number that is hexadecimal in one of both places. */
  readonly ids: 'name' | 'number' | 'hex-answer' | 'hex-receipt';
}

const undelivered = { arrivedAt: undefined, commits: undefined, acknowledgedAt: undefined, isAfterCommit: undefined };
/** Receipts that come before the answer follow the submit this soon. */
const earlyMs = 5;
const redeliverMaxMs = 60_000;
const redeliveriesMax = 200;

export class SimCarrier {
  readonly name: string;
  readonly world: World;
  character: Character;
  readonly submits: Submit[] = [];
  /** Receipts for messages that the gateway never sent. They name the numbers of a message. */
  readonly foreign: (SentReceipt & { readonly receiver: string })[] = [];
  readonly inbound: SentInbound[] = [];
  readonly #sessions = new Set<SimSession>();
  #lastId = 0;
  #lastLink = 0;
  /** Receipts and inbound parts that it still delivers. */
  underWay = 0;
  /** While it is true, binds are refused and connections end. */
  isDown = false;

  constructor(world: World, name: string, character: Character) {
    this.world = world;
    this.name = name;
    this.character = character;
  }

  /** The setting by which a gateway compares its ids. */
  get idRule(): 'same' | 'hex-answer' | 'hex-receipt' {
    const { ids } = this.character;
    return ids === 'name' || ids === 'number' ? 'same' : ids;
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
          const session = new SimSession(this, options, ++this.#lastLink);
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

  /** A process crashed. `kept` has the ids of the answers that were committed before. */
  forgetAnswers(kept: ReadonlySet<string>): void {
    for (const submit of this.submits) if (!kept.has(submit.id)) submit.isForgotten = true;
  }

  /** The gateway writes a submit. */
  sends(pdu: PduOf<'submit_sm'>, link: number): Submit {
    const submit: Submit = {
      sentAt: this.world.nowMs,
      carrier: this.name,
      link,
      receiver: `+${latin1(pdu.destination_addr)}`,
      ...bodyOf(pdu),
      verdict: undefined,
      id: '',
      receiptId: '',
      end: undefined,
      isLate: false,
      isForgotten: false,
      receipts: [],
    };
    this.submits.push(submit);
    return submit;
  }

  hear(session: SimSession, pdu: PduOf<'submit_sm'>, submit: Submit): void {
    const { character, world } = this;
    const { chance } = world;
    const answer = (status: number) => session.answer(pdu, { status, id: submit.id });
    const told = `${submit.text.slice(0, 16)} part ${submit.place}`;
    if (chance.happens(character.throttles)) {
      submit.verdict = 'throttled';
      answer(statuses.ESME_RTHROTTLED);
    } else if (chance.happens(character.falters)) {
      submit.verdict = 'busy';
      answer(statuses.ESME_RSYSERR);
    } else if (chance.happens(character.refuses)) {
      submit.verdict = 'refused';
      world.tell(`${this.name} refuses ${told}`);
      answer(statuses.ESME_RINVDSTADR);
    } else {
      submit.verdict = 'accepted';
      [submit.id, submit.receiptId] = this.#nextIds();
      world.tell(`${this.name} takes ${told} as ${submit.id}`);
      const isEarly = chance.happens(character.early);
      if (isEarly) this.#receipts(submit, pdu, earlyMs);
      if (!chance.happens(character.silent)) answer(statuses.ESME_ROK);
      if (!isEarly) this.#receipts(submit, pdu, character.receiptMaxMs);
    }
  }

  /** The ids of a message in its answer and in its receipts. Those of two carriers differ. */
  #nextIds(): [answer: string, receipts: string] {
    const number = ++this.#lastId + (this.name === 'alpha' ? 1_000_000 : 2_000_000);
    const hex = number.toString(16);
    if (this.character.ids === 'hex-answer') return [hex, String(number)];
    if (this.character.ids === 'hex-receipt') return [String(number), hex];
    const id = this.character.ids === 'name' ? `${this.name}${this.#lastId}` : String(number);
    return [id, id];
  }

  #receipts(submit: Submit, pdu: PduOf<'submit_sm'>, mostMs: number): void {
    const { character, world } = this;
    const { chance } = world;
    const receipt = (state: MessageState, afterMs: number) =>
      submit.receipts.push(this.#receipt(pdu, { id: submit.receiptId, state, afterMs }));
    if (chance.happens(character.foreign)) {
      const given = { id: `other${this.#lastId}`, state: 'DELIVERED', afterMs: chance.between(0, 60_000) } as const;
      this.foreign.push({ ...this.#receipt(pdu, given), receiver: submit.receiver });
    }
    if (chance.happens(character.forgets)) return;
    const first = chance.happens(character.fails)
      ? chance.pick(['UNDELIVERABLE', 'EXPIRED', 'REJECTED', 'DELETED'] as const)
      : 'DELIVERED';
    const afterMs = chance.next() ** 2 * mostMs;
    if (chance.happens(character.enroute)) receipt('ENROUTE', afterMs / 2);
    receipt(first, afterMs);
    if (chance.happens(character.doubles)) receipt(first, afterMs + chance.between(0, 60_000));
    if (chance.happens(character.contradicts)) {
      const second = first === 'DELIVERED' ? 'UNDELIVERABLE' : 'DELIVERED';
      receipt(second, afterMs + chance.between(1, 120_000));
    }
  }

  #receipt(
    pdu: PduOf<'submit_sm'>,
    { id, state, afterMs }: { readonly id: string; readonly state: MessageState; readonly afterMs: number },
  ): SentReceipt {
    const nowMs = beginning + this.world.nowMs;
    const request: Ask = {
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: pdu.destination_addr,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: pdu.source_addr,
      ...writeReceipt({ id, state, submittedAtMs: nowMs, doneAtMs: nowMs + afterMs }),
    };
    const sent: SentReceipt = { state, ...undelivered };
    this.#deliver(request, sent, { afterMs, told: `receipt ${state} for ${id}` });
    return sent;
  }

  /** Sends an inbound message in pieces, all but one perhaps. */
  sendInbound(sent: Pick<SentInbound, 'sender' | 'receiver' | 'pieces' | 'missing'>): void {
    const { sender, receiver, pieces, missing } = sent;
    const deliveries = pieces.map((): Delivered => ({ ...undelivered }));
    this.inbound.push({ ...sent, deliveries });
    const reference = this.inbound.length % 256;
    for (const [at, delivery] of deliveries.entries()) {
      if (at === missing) continue;
      const header = pieces.length === 1 ? [] : [5, 0, 3, reference, pieces.length, at + 1];
      const request: Ask = {
        command: 'deliver_sm',
        source_addr_ton: 1,
        source_addr_npi: 1,
        source_addr: sender.slice(1),
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: receiver.slice(1),
        esm_class: pieces.length === 1 ? 0 : 0x40,
        short_message: Buffer.from([...header, ...Buffer.from(pieces[at] ?? '', 'latin1')]),
      };
      const told = `inbound ${pieces[at]}`;
      this.#deliver(request, delivery, { afterMs: this.world.chance.next() ** 3 * 5_000, told });
    }
  }

  /** Delivers over any of the gateway's links, again and again until the gateway acknowledges. */
  #deliver(
    request: Ask,
    sent: Delivered,
    { afterMs, told, tries = 0 }: { readonly afterMs: number; readonly told: string; readonly tries?: number },
  ): void {
    const { world } = this;
    if (tries === 0) this.underWay += 1;
    const again = () => {
      if (tries >= redeliveriesMax) return;
      this.#deliver(request, sent, { afterMs: world.chance.between(1_000, redeliverMaxMs), told, tries: tries + 1 });
    };
    world.after(afterMs, () => {
      const open = [...this.#sessions].filter((session) => session.isOpen);
      if (open.length === 0) {
        again();
        return;
      }
      world.chance.pick(open).deliver(
        request,
        () => {
          sent.arrivedAt ??= world.nowMs;
          sent.commits ??= world.commits;
        },
        (isKept) => {
          if (!isKept) again();
          else {
            this.underWay -= 1;
            world.tell(`${this.name}'s ${told} is acknowledged`);
            sent.acknowledgedAt ??= world.nowMs;
            sent.isAfterCommit ??= world.commits > (sent.commits ?? 0);
          }
        },
      );
    });
  }
}

export function characterOf(
  { chance }: World,
  { isWild, busyMs }: { readonly isWild: boolean; readonly busyMs: number },
): Character {
  const share = (most: number) => (isWild && chance.happens(0.5) ? chance.next() * most : 0);
  return {
    latencyMaxMs: chance.pick([1, 30, 500]),
    throttles: share(0.3),
    refuses: share(0.2),
    falters: share(0.2),
    silent: share(0.1),
    fails: share(0.3),
    forgets: share(0.1),
    doubles: share(0.3),
    early: share(0.5),
    contradicts: share(0.2),
    foreign: share(0.1),
    enroute: share(0.3),
    receiptMaxMs: chance.pick([100, 10_000, 60_000]),
    breaksEveryMs: isWild && chance.happens(0.5) ? chance.between(busyMs / 24, busyMs / 2) : Infinity,
    bindsFail: share(0.3),
    ids: chance.pick(['name', 'number', 'hex-answer', 'hex-receipt']),
  };
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

/** The text of a submit, and its place in a long message. */
function bodyOf({ esm_class, data_coding, short_message }: PduOf<'submit_sm'>) {
  const octets = Buffer.from(short_message);
  const header = (esm_class & 0x40) === 0 ? undefined : parseHeader(octets);
  const elements = header?.ok ? header.elements : [];
  const { number: place = 1, total: places = 1 } = concatenationOf(elements) ?? {};
  const encoding = data_coding === ucs2 ? 'ucs2' : 'gsm7';
  return { text: decodeText({ encoding, data: octets.subarray(header?.length ?? 0), elements }), place, places };
}

/** The data_coding of UCS-2 (SMPP 3.4, section 5.2.19). */
const ucs2 = 8;
