import { statuses } from '@morsel/smpp';
import type { PduOf, Respond } from '@morsel/smpp';
import { bindsAlike } from '../../core/routing/carrier.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { NotBound, TestStep } from '../../operator/control.ts';
import { Dispatch } from '../../flow/routing/dispatch.ts';
import { InboundAnswers } from '../../flow/message/inbound-answers.ts';
import { receive } from '../../flow/message/receive.ts';
import type { Delivery } from '../../flow/message/receive.ts';
import { Routing } from '../../flow/routing/routing.ts';
import { SentCosts } from '../../flow/routing/sent-costs.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Loop } from '../../runtime/loop.ts';
import type { Random } from '../../runtime/random.ts';
import type { Journal } from '../../store/journal.ts';
import { parseDelivery } from './delivery.ts';
import { DialectLooks } from './dialect.ts';
import { Link } from './link.ts';
import type { LinkNeeds } from './link-needs.ts';
import type { LinkStatus } from './link-status.ts';
import { testBinds } from './test-binds.ts';
import { keptOctets, unreadableDelivery } from './unreadable.ts';

interface CarriersNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly nextId: () => MessageId;
  readonly heldFrom: () => Instant | null;
  readonly lease: number;
  readonly log: LinkNeeds['log'];
}

interface Running {
  readonly dispatch: Dispatch;
  links: readonly Link[];
  /** Binds that are made anew, one change after the other. */
  changing: Promise<void>;
}

const accepted = statuses.ESME_ROK;
const tryAgain = statuses.ESME_RX_T_APPN;
const unknownCommand = statuses.ESME_RINVCMDID;

/** Attempts to connect of one test; the operator's command waits for two minutes. */
const testMaxMs = 60 * secondMs;

/** A carrier that counts binds may refuse only the one that is too many. */
function crowded(step: TestStep, bound: number): TestStep {
  const links = bound === 1 ? '1 of its links is' : `${bound} of its links are`;
  const says = `${step.says}; ${links} bound, so the carrier may allow no more: carrier drain ends them for a test`;
  return { ...step, says };
}

/** The carriers that run: for each its links and the dispatch that feeds them, kept as the snapshot says. */
export class Carriers {
  readonly #needs: CarriersNeeds;
  readonly #running = new Map<number, Running>();
  readonly #looks = new DialectLooks();
  /** Which of them a message goes to. */
  readonly routing: Routing;
  readonly #looking: Loop;
  readonly #costs: SentCosts;
  readonly #answers: InboundAnswers;
  readonly #receiving: Parameters<typeof receive>[0];
  /** Carriers that are tested now: one more bind at a time. */
  readonly #testing = new Set<number>();
  /** The process ends: nothing is bound again. */
  #isDraining = false;

  constructor(needs: CarriersNeeds) {
    this.#needs = needs;
    this.#costs = new SentCosts(needs);
    this.#answers = new InboundAnswers(needs);
    this.#receiving = { ...needs, answers: this.#answers };
    this.routing = new Routing({
      clock: needs.clock,
      log: needs.log,
      dispatchOf: (carrier) => this.#running.get(carrier)?.dispatch,
      dispatches: () => [...this.#running.values()].map(({ dispatch }) => dispatch),
    });
    this.#looking = this.routing.start();
  }

  /** Starts, pauses, resumes and ends carriers so that they are as the operator set them. */
  apply(snapshot: Snapshot): void {
    this.#costs.use(snapshot);
    for (const [id, running] of this.#running) {
      if (!snapshot.carriers.has(id)) this.#end(id, running);
    }
    for (const carrier of snapshot.carriers.values()) {
      const running = this.#running.get(carrier.id) ?? this.#start(carrier);
      if (running.dispatch.carrier !== carrier) this.#change(running, carrier);
      running.dispatch.setOpen(carrier.status === 'active' && !this.#isDraining);
      for (const link of running.links) {
        if (carrier.status === 'drained') void link.drain();
        else if (!this.#isDraining && link.number <= carrier.links) link.start();
      }
    }
    this.routing.use(snapshot.routes);
    // What waited on a route may have become somebody else's.
    this.allWait();
  }

  /** Drains links and binds them again, one after the other; ends early with one that cannot be bound, and leaves the others be. */
  rebind(carrier: number, wanted: number | null): Promise<NotBound | 'stopped' | undefined> {
    const running = this.#running.get(carrier);
    if (!running || this.#isDraining) return Promise.resolve('stopped');
    const links = running.links.filter(({ number }) => wanted === null || number === wanted);
    const rebound = running.changing.then(() => this.#rebindInTurn(links));
    running.changing = rebound.then(() => undefined);
    return rebound;
  }

  /** The binds of one more link, made and ended. What the carrier sends meanwhile is kept as on any link. */
  async test(id: number): Promise<readonly TestStep[] | 'busy' | 'stopped'> {
    const running = this.#running.get(id);
    if (!running || this.#isDraining) return 'stopped';
    if (this.#testing.has(id)) return 'busy';
    this.#testing.add(id);
    try {
      const { carrier } = running.dispatch;
      const steps = await testBinds(carrier, {
        ...this.#hearing(() => carrier),
        onUnreadable: (_fault, respond, bytes) => this.#keep(carrier, unreadableDelivery(bytes), respond),
        clock: this.#needs.clock,
        signal: AbortSignal.timeout(testMaxMs),
      });
      const bound = running.links.filter((link) => link.isBound).length;
      return steps.map((step) =>
        step.isDone || bound === 0 || !step.step.startsWith('bind') ? step : crowded(step, bound),
      );
    } finally {
      this.#testing.delete(id);
    }
  }

  /** Ends when no link of the carrier is on its way up or down. */
  async settled(carrier: number): Promise<void> {
    await Promise.all((this.#running.get(carrier)?.links ?? []).map((link) => link.settled()));
  }

  /** Messages wait, for whichever carrier. */
  allWait(): void {
    for (const { dispatch } of this.#running.values()) dispatch.anyWaits();
  }

  statuses(): ReadonlyMap<number, readonly LinkStatus[]> {
    return new Map([...this.#running].map(([id, { links }]) => [id, links.map((link) => link.status)]));
  }

  /** Takes nothing new and waits for answers up to the limit; what is unanswered then is in doubt (P2). */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#looking.stop();
    for (const { dispatch } of this.#running.values()) dispatch.setOpen(false);
    const links = [...this.#running.values()].flatMap((running) => running.links);
    const deadline = AbortSignal.timeout(limitMs);
    deadline.addEventListener('abort', () => this.#giveUp(links), { once: true });
    await Promise.all(links.map((link) => link.drain()));
    for (const { dispatch } of this.#running.values()) dispatch.end();
    await this.#answers.stop();
  }

  /** The drain has taken its time: what has no answer yet is in doubt, and listed. */
  #giveUp(links: readonly Link[]): void {
    const parts = links.reduce((sum, link) => sum + link.status.windowUsed, 0);
    if (parts > 0) this.#needs.log.warn({ parts }, 'parts have no answer: they are in doubt');
    for (const link of links) link.destroy();
  }

  async #rebindInTurn(links: readonly Link[]): Promise<NotBound | undefined> {
    for (const link of links) {
      await link.rebind();
      const { state, lastError: error } = link.status;
      if (state === 'bound' || state === 'throttled') continue;
      this.#needs.log.warn({ link: link.number, state, error }, 'a link is not bound again: the rebinding ends here');
      return { link: link.number, error: (state === 'waiting' ? error : null) ?? `it is ${state}` };
    }
    return undefined;
  }

  #start(carrier: Carrier): Running {
    const { routing } = this;
    const dispatch = new Dispatch(carrier, {
      ...this.#needs,
      up: () => routing.up,
      waits: (place, due) => routing.comesBack(place, due),
      costOf: (id, part) => this.#costs.costOf(id, part),
    });
    const links = Array.from({ length: carrier.links }, (_, index) => this.#makeLink(dispatch, index + 1));
    const running = { dispatch, links, changing: Promise.resolve() };
    this.#running.set(carrier.id, running);
    dispatch.use(links);
    return running;
  }

  #makeLink(dispatch: Dispatch, number: number): Link {
    return new Link(dispatch.carrier, number, {
      clock: this.#needs.clock,
      random: this.#needs.random,
      log: this.#needs.log,
      ...this.#hearing(() => dispatch.carrier),
      onUnreadable: (respond, bytes) => this.#keep(dispatch.carrier, unreadableDelivery(bytes), respond),
      onRoom: () => dispatch.wake(),
      onLateAnswer: (part, answer) => dispatch.recordLate(part, answer),
    });
  }

  #hearing(carrierOf: () => Carrier): Pick<LinkNeeds, 'onRequest'> {
    return {
      onRequest: (pdu, respond, bytes) => {
        if (pdu.command !== 'deliver_sm' && pdu.command !== 'data_sm') respond(unknownCommand);
        else this.#keep(carrierOf(), this.#read(carrierOf(), pdu, bytes), respond);
      },
    };
  }

  /** Goes by changed settings: at once, but that links which have to bind anew finish first what they have in flight. */
  #change(running: Running, carrier: Carrier): void {
    const before = running.dispatch.carrier;
    running.dispatch.carrier = carrier;
    const isAlike = bindsAlike(before, carrier);
    if (isAlike) for (const link of running.links) link.use(carrier);
    if (isAlike && carrier.links === before.links) return;
    running.changing = running.changing.then(() => this.#arrange(running, isAlike));
  }

  /**
   * Has as many links as were set, bound as was set, unless they are already: one after the other, so that the carrier never
   * sees more binds than it was told of.
   */
  async #arrange(running: Running, isAlike: boolean): Promise<void> {
    const { dispatch } = running;
    for (let number = 1; number <= Math.max(running.links.length, dispatch.carrier.links); number++) {
      const link = running.links[number - 1] ?? this.#makeLink(dispatch, number);
      if (number > dispatch.carrier.links) await link.drain();
      else if (running.links.includes(link)) {
        link.use(dispatch.carrier);
        if (!isAlike) await link.rebind();
      } else {
        running.links = [...running.links, link];
        if (dispatch.carrier.status !== 'drained') link.start();
      }
      if (this.#running.get(dispatch.carrier.id) !== running || this.#isDraining) return;
    }
    running.links = running.links.slice(0, dispatch.carrier.links);
    dispatch.use(running.links);
  }

  #end(id: number, running: Running): void {
    this.#running.delete(id);
    running.dispatch.setOpen(false);
    for (const link of running.links) void link.drain();
  }

  /** What it is; with its octets if it does not say. */
  #read(carrier: Carrier, pdu: PduOf<'deliver_sm' | 'data_sm'>, bytes: Uint8Array): Delivery {
    const delivery = this.#looks.add(carrier.id, pdu, parseDelivery(pdu, carrier.profile.countryCode));
    const isUnclear = delivery.kind === 'receipt' && delivery.state === null;
    return isUnclear ? { ...delivery, octets: keptOctets(bytes) } : delivery;
  }

  /** Acknowledges only what is on disk (D5, O1). */
  #keep(carrier: Carrier, delivery: Delivery, respond: Respond): void {
    void receive(this.#receiving, { carrier, delivery }, (isKept, onLost) =>
      respond(isKept ? accepted : tryAgain, {}, onLost),
    );
  }
}
