/*
 * A connection of a simulation between the gateway's real link and a carrier, without sockets. PDUs are encoded and
 * decoded, take time in each direction, and keep their order. The connection may break at any moment, and what is on
 * its way is lost then.
 */

import {
  decode,
  encode,
  type Answer,
  type Ask,
  type AskName,
  type PduOf,
  type SessionHandlers,
  type SessionOptions,
} from '@morsel/smpp';
import type { LinkSession } from '../../../src/edge/carriers/smpp/bind.ts';
import type { Timer } from '../../../src/runtime/clock.ts';
import type { SimCarrier } from './carrier.ts';
import type { Submit } from './records.ts';

const repeatMs = 20_000;

interface InFlight {
  readonly hear: (answer: Answer) => void;
  readonly timer: Timer;
  readonly submit: Submit;
  isWritten: boolean;
}

/** The gateway's side of one connection, and the connection itself. */
export class SimSession implements LinkSession {
  readonly peerRefused = 0;
  readonly #carrier: SimCarrier;
  readonly #number: number;
  readonly #options: SessionHandlers & SessionOptions;
  readonly #inFlight = new Map<number, InFlight>();
  /** Submits without an answer in time. */
  readonly #late = new Map<number, Submit>();
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

  constructor(carrier: SimCarrier, options: SessionHandlers & SessionOptions, number: number) {
    this.#number = number;
    this.#carrier = carrier;
    this.#options = options;
    this.#windowMax = options.windowMax ?? 10;
    this.#responseTimeoutMs = options.responseTimeoutMs ?? 30_000;
    const { breaksEveryMs } = carrier.character;
    if (breaksEveryMs !== Infinity) {
      carrier.world.after(-Math.log(1 - carrier.world.chance.next()) * breaksEveryMs, () => {
        if (carrier.character.breaksEveryMs !== Infinity) this.break();
      });
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
    const sent = decoded(encode({ ...pdu, sequence_number }), 'submit_sm');
    const submit = this.#carrier.sends(sent, this.#number);
    const { world } = this.#carrier;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- submit_sm is all that links send
    const settle = hear as InFlight['hear'];
    const timer = world.after(this.#responseTimeoutMs, () => {
      this.#inFlight.delete(sequence_number);
      this.#late.set(sequence_number, submit);
      submit.end = { at: world.nowMs, kind: 'timeout' };
      settle({ kind: 'timeout', sequence_number });
      this.#tellRoom();
    });
    const waiting: InFlight = { hear: settle, timer, submit, isWritten: false };
    this.#inFlight.set(sequence_number, waiting);
    this.#wasFull ||= this.room <= 0;
    // The octets are written at the end of this turn of the event loop.
    this.#arrives('there', () => this.#carrier.hear(this, sent, submit));
    world.after(0, () => (waiting.isWritten = true));
  }

  /** The carrier answers a submit. */
  answer(
    { sequence_number }: PduOf<'submit_sm'>,
    { status, id }: { readonly status: number; readonly id: string },
  ): void {
    const bytes = encode({ command: 'submit_sm_resp', sequence_number, command_status: status, message_id: id });
    this.#arrives('here', () => {
      const pdu = decoded(bytes, 'submit_sm_resp');
      const waiting = this.#inFlight.get(sequence_number);
      if (waiting) {
        waiting.timer.cancel();
        this.#inFlight.delete(sequence_number);
        waiting.submit.end = { at: this.#carrier.world.nowMs, kind: 'answered' };
        waiting.hear({ kind: 'answered', pdu });
        this.#tellRoom();
      } else {
        const late = this.#late.get(sequence_number);
        if (late) late.isLate = true;
        this.#options.onStray?.(pdu, this.#late.delete(sequence_number));
      }
      for (const settle of this.#settles.splice(0)) settle(true);
    });
  }

  /** The carrier delivers a receipt or an inbound message. */
  deliver(request: Ask, arrived: () => void, heard: (isKept: boolean) => void): void {
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
      arrived();
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
    for (const { timer, submit } of this.#inFlight.values()) {
      timer.cancel();
      submit.end = { at: this.#carrier.world.nowMs, kind: 'crash' };
    }
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
    for (const { hear, submit, isWritten } of waiting) {
      submit.end = { at: this.#carrier.world.nowMs, kind: isWritten ? 'closed' : 'unwritten' };
      hear({ kind: 'closed', written: isWritten });
    }
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

function decoded<C extends 'submit_sm' | 'submit_sm_resp' | 'deliver_sm'>(bytes: Uint8Array, command: C): PduOf<C> {
  const read = decode(bytes);
  if (!read.ok || read.pdu.command !== command) throw new Error(`this is no ${command}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line before has looked
  return read.pdu as PduOf<C>;
}
