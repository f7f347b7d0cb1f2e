/*
 * A session of a simulation between an SMPP client and the gateway's real server side, without sockets. PDUs are encoded
 * and decoded, take time in each direction, and keep their order. What is on its way when the session ends is lost.
 */

import {
  decode,
  encode,
  responseName,
  statuses,
  type Answer,
  type Ask,
  type AskName,
  type BindName,
  type CloseReason,
  type Encodable,
  type Pdu,
  type PduOf,
  type Phase,
  type RequestName,
  type Session,
  type SessionAdjustment,
  type SessionHandlers,
} from '@morsel/smpp';
import type { Timer } from '../../../src/runtime/clock.ts';
import type { World } from '../world.ts';

/** The client's answer to a deliver_sm; undefined if it never answers. */
type HearDelivery = (pdu: PduOf<'deliver_sm'>) => number | undefined;
/** The gateway's answer to a request of the client; undefined if the session ended before. */
export type HearAnswer = (answer: Pdu | undefined) => void;

interface InFlight {
  readonly hear: (answer: Answer) => void;
  readonly timer: Timer;
}

const responseTimeoutMs = 30_000;
const latencyMaxMs = 200;

const phases = {
  bind_transmitter: 'bound_tx',
  bind_receiver: 'bound_rx',
  bind_transceiver: 'bound_trx',
} as const satisfies { readonly [B in BindName]: Phase };

export class ClientSession implements Session {
  readonly version = 0x34;
  readonly peerRefused = 0;
  readonly silentMs = 0;
  readonly boundAs: BindName;
  readonly peer: Session['peer'];
  readonly closed: Promise<CloseReason>;
  readonly #world: World;
  readonly #hear: HearDelivery;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #asked = new Map<number, HearAnswer>();
  readonly #resolveClosed: (reason: CloseReason) => void;
  #handlers: SessionHandlers | undefined;
  #phase: Phase = 'binding';
  #windowMax = 1;
  #lastSequence = 0;
  #wasFull = false;
  /** PDUs keep their order: none arrives before the one that was sent before it. */
  #arrivesAt = { here: 0, there: 0 };

  constructor(world: World, { bind, hear }: { readonly bind: PduOf<BindName>; readonly hear: HearDelivery }) {
    this.#world = world;
    this.#hear = hear;
    this.boundAs = bind.command;
    this.peer = { system_id: bind.system_id, address: '192.0.2.1', port: 1 };
    const { promise, resolve } = Promise.withResolvers<CloseReason>();
    this.closed = promise;
    this.#resolveClosed = resolve;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get room(): number {
    return this.#isBound ? Math.max(0, this.#windowMax - this.#inFlight.size) : 0;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get peerUnanswered(): number {
    return this.#asked.size;
  }

  get #isBound(): boolean {
    return this.#phase !== 'binding' && this.#phase !== 'unbinding' && this.#phase !== 'closed';
  }

  /** The gateway has accepted the bind. */
  begin(handlers: SessionHandlers, limits: SessionAdjustment): void {
    this.#handlers = handlers;
    this.#phase = phases[this.boundAs];
    this.adjust(limits);
    handlers.onBound?.();
  }

  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void {
    if (!this.#isBound) {
      hear({ kind: 'closed', written: false });
      return;
    }
    if (this.room <= 0) throw new RangeError('the window of the session is full; check `room` before each request');
    const sequence_number = ++this.#lastSequence;
    const request = copyOf<'deliver_sm'>({ ...pdu, sequence_number });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- deliver_sm is all that the gateway sends
    const settle = hear as InFlight['hear'];
    const timer = this.#world.after(responseTimeoutMs, () =>
      this.#settle(sequence_number, { kind: 'timeout', sequence_number }),
    );
    this.#inFlight.set(sequence_number, { hear: settle, timer });
    this.#wasFull ||= this.room <= 0;
    this.#arrives('there', () => {
      const command_status = this.#hear(request);
      if (command_status === undefined) return;
      const answer = copyOf<'deliver_sm_resp'>({ command: 'deliver_sm_resp', command_status, sequence_number });
      this.#arrives('here', () => this.#settle(sequence_number, { kind: 'answered', pdu: answer }));
    });
  }

  request<C extends AskName>(pdu: Ask & { readonly command: C }): Promise<Answer<C>> {
    return new Promise((resolve) => this.ask(pdu, resolve));
  }

  adjust({ windowMax = this.#windowMax }: SessionAdjustment): void {
    this.#windowMax = windowMax;
    this.#tellRoom();
  }

  flush(): void {
    // Nothing is collected.
  }

  unbind(): Promise<CloseReason> {
    if (this.#isBound) {
      this.#phase = 'unbinding';
      this.#lookUnbound();
    }
    return this.closed;
  }

  destroy(): void {
    this.#end('destroyed');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.unbind().then(() => undefined);
  }

  /** The client sends a request. */
  send(request: Ask, hear: HearAnswer): void {
    const sequence_number = ++this.#lastSequence;
    const pdu = copyOf<RequestName>({ ...request, sequence_number });
    this.#asked.set(sequence_number, hear);
    this.#arrives('here', () =>
      this.#handlers?.onRequest(
        pdu,
        (command_status, fields) => {
          if (this.#phase === 'closed') return false;
          const command = responseName(request.command);
          const answer = copyOf({ command, command_status, sequence_number, ...fields });
          this.#arrives('there', () => {
            this.#asked.delete(sequence_number);
            hear(answer);
          });
          return true;
        },
        encode(pdu),
      ),
    );
  }

  /** The client unbinds. */
  leave(): void {
    this.#arrives('here', () => this.#end('peer_unbound'));
  }

  /** The connection breaks. */
  break(): void {
    this.#end('disconnected');
  }

  /** The gateway's process is gone. */
  crash(): void {
    this.#handlers = undefined;
    for (const { timer } of this.#inFlight.values()) timer.cancel();
    this.#inFlight.clear();
    this.#end('disconnected');
  }

  #settle(sequence: number, answer: Answer): void {
    const waiting = this.#inFlight.get(sequence);
    if (!waiting) return;
    waiting.timer.cancel();
    this.#inFlight.delete(sequence);
    waiting.hear(answer);
    this.#tellRoom();
  }

  #end(reason: CloseReason): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    const waiting = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { timer } of waiting) timer.cancel();
    for (const { hear } of waiting) hear({ kind: 'closed', written: true });
    this.#handlers?.onClose?.(reason, undefined);
    const unheard = [...this.#asked.values()];
    this.#asked.clear();
    for (const hear of unheard) hear(undefined);
    this.#resolveClosed(reason);
  }

  #arrives(where: 'here' | 'there', call: () => void): void {
    const latencyMs = 0.1 + latencyMaxMs * this.#world.chance.next() ** 3;
    this.#arrivesAt[where] = Math.max(this.#arrivesAt[where] + 0.001, this.#world.nowMs + latencyMs);
    this.#world.after(this.#arrivesAt[where] - this.#world.nowMs, () => {
      if (this.#phase === 'closed') return;
      call();
      this.#lookUnbound();
    });
  }

  #lookUnbound(): void {
    if (this.#phase === 'unbinding' && this.#inFlight.size === 0 && this.#asked.size === 0) this.#end('unbound');
  }

  #tellRoom(): void {
    if (!this.#wasFull || this.room <= 0) return;
    this.#wasFull = false;
    this.#handlers?.onRoom?.();
  }
}

/** The PDU as its octets have it. */
export function copyOf<C extends Pdu['command']>(pdu: Encodable): PduOf<C> {
  const read = decode(encode(pdu));
  if (!read.ok) throw new Error(`status ${statuses.ESME_RINVMSGLEN}: a PDU of a simulation cannot be read`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller has named the command of the PDU
  return read.pdu as PduOf<C>;
}
