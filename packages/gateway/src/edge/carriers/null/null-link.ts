import type { Answer } from '../../../core/message/outcome.ts';
import type { CarrierOf } from '../../../core/routing/carrier.ts';
import type {
  CarrierLink,
  LinkHandlers,
  LinkOpenerOf,
  LinkStatus,
  LinkTools,
  OutgoingPart,
  TestStep,
} from '../../../flow/routing/carrier-link.ts';

/* A link that accepts every part at once, and then says that it is delivered. */

export class NullLinks implements LinkOpenerOf<'null'> {
  readonly #tools: LinkTools;

  constructor(tools: LinkTools) {
    this.#tools = tools;
  }

  open(carrier: () => CarrierOf<'null'>, number: number, handlers: LinkHandlers): CarrierLink {
    return new NullLink(carrier(), number, { ...this.#tools, ...handlers });
  }

  test(): Promise<readonly TestStep[]> {
    return Promise.resolve([{ step: 'connect', address: 'null', ms: 0, isDone: true, says: 'nothing to connect' }]);
  }
}

class NullLink implements CarrierLink {
  readonly number: number;
  #carrier: CarrierOf<'null'>;
  readonly #needs: LinkTools & LinkHandlers;
  #since: number;
  #isBound = false;
  #sent = 0;

  constructor(carrier: CarrierOf<'null'>, number: number, needs: LinkTools & LinkHandlers) {
    this.number = number;
    this.#carrier = carrier;
    this.#needs = needs;
    this.#since = needs.clock.now();
  }

  get isBound(): boolean {
    return this.#isBound;
  }

  get room(): number {
    return this.#isBound ? this.#carrier.window : 0;
  }

  get status(): LinkStatus {
    const counts = { submitted: this.#sent, accepted: this.#sent, refused: 0, throttles: 0, surplus: 0, unreadable: 0 };
    return {
      link: this.number,
      node: null,
      state: this.#isBound ? 'bound' : 'stopped',
      since: this.#since,
      downSince: this.#isBound ? null : this.#since,
      windowUsed: 0,
      windowMax: this.#carrier.window,
      pace: null,
      throughput: 0,
      ...counts,
      throttledShare: 0,
      chanceShare: 0,
      reconnects: 0,
      nextTryAt: null,
      pausedUntil: null,
      lastError: null,
      lastErrorAt: null,
    };
  }

  use(carrier: CarrierOf<'null'>): void {
    this.#carrier = carrier;
  }

  start(): void {
    this.#isBound = true;
    this.#since = this.#needs.clock.now();
    this.#needs.onRoom();
  }

  rebind(): Promise<void> {
    return Promise.resolve();
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  drain(): Promise<void> {
    this.#isBound = false;
    return Promise.resolve();
  }

  destroy(): void {
    this.#isBound = false;
  }

  reserveRoom(): number {
    return 0;
  }

  freeRoom(): void {
    // The room has no limit.
  }

  send(part: OutgoingPart, _turn: number, onAnswer: (answer: Answer) => void): void {
    this.#sent += 1;
    const id = `null-${part.message}-${part.number}-${part.attempt}`;
    const { sender, receiver } = part;
    setImmediate(() => {
      onAnswer({ outcome: 'accepted', scope: 'message', reason: null, code: null, carrierIds: [id] });
      const receipt = { kind: 'receipt', id, state: 'DELIVERED', errorCode: null, sender, receiver } as const;
      this.#needs.onDelivery(receipt, () => true);
    });
  }
}
