/*
 * Runs one carrier: binds its links, claims waiting parts for them, sends these, and records the outcomes (S1). The
 * commit that accepts a new message can claim it at once, if no earlier message waits.
 */

import { bindsAlike, type Carrier } from '../../core/routing/carrier.ts';
import type { CarrierStanding } from '../../core/routing/carrier-choice.ts';
import { outcomeOf, type Answer } from '../../core/message/outcome.ts';
import { composeAgain } from '../../core/message/content.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { ClaimedPart } from '../../state/decide/message/claim.ts';
import type { LinkClaim } from '../../state/tables/message.ts';
import type { QueuePlace } from '../../state/decide/message/part.ts';
import type { Journal } from '../../store/journal.ts';
import { WakeTimer } from '../../runtime/wake-timer.ts';
import { recordAnswer } from '../message/receive.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Tools } from '../ports.ts';
import type {
  CarrierLink,
  DeliveryHandler,
  LinkHandlers,
  LinkOpener,
  LinkStatus,
  OutgoingPart,
  Rebound,
  Reservation,
} from './carrier-link.ts';
import type { LinkDuties } from './link-duties.ts';
import type { CostedPart, SentCosts } from './sent-costs.ts';
import { Waiting } from './waiting.ts';

export interface Seen extends CarrierStanding {
  /** Since when the carrier has no bound link at any node; null while a link is bound. */
  readonly unboundSince: Instant | null;
}

/** A claim that the store refused is made again after this pause. */
const claimAgainMs = secondMs;

/** Without a bound link for so long, a carrier is not up: lower ranks get its messages. Usual reconnects are faster. */
const unboundMaxMs = 3 * secondMs;

export class RunningCarrier {
  readonly #needs;
  readonly #isDebug: boolean;
  #carrier: Carrier;
  #links: readonly CarrierLink[];
  /** Claims by the number of the link. A group of messages shares them, so that each is copied to the writing thread once. */
  #claims: LinkClaim[] = [];
  /** The last change of binds under way. Changes run one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  /** True once the carrier was removed or the process ends. No link is bound again then. */
  #isEnding = false;
  /** Whether the carrier may get messages. Only `look` changes it. */
  isUp = false;
  #unboundSince: Instant | null;
  readonly #waiting = new Waiting();
  #wakesSoon = false;
  /** Looks for due parts. Parts that become due after a look are found by the next. */
  readonly #due: WakeTimer;
  readonly handlers: LinkHandlers = {
    onDelivery: (delivery, answer) => this.#needs.receive(this.#carrier, delivery, answer),
    onRoom: () => this.#wake(),
    onLateAnswer: (part, answer) => this.#record(part, answer),
  };

  constructor(
    carrier: Carrier,
    needs: Pick<Tools, 'log' | 'clock'> & {
      readonly journal: Pick<Journal, 'append' | 'appendThen'>;
      readonly lease: number;
      readonly links: LinkOpener;
      readonly duties: Pick<LinkDuties, 'holds' | 'placed'>;
      readonly costs: Pick<SentCosts, 'costOf'>;
      /** The carriers that are up. Which parts a claim may take depends on them. */
      readonly up: () => readonly number[];
      /** Parts that became due before this instant are held; null if no part is held. */
      readonly heldFrom: () => Instant | null;
      /** Called when a part came back to the queue. Other carriers may take it from its due time. */
      readonly comesBack: (place: QueuePlace, due: Instant) => void;
      readonly receive: (carrier: Carrier, ...delivered: Parameters<DeliveryHandler>) => void;
      /** True once the process ends. Outcomes that the store refuses then stay in doubt. */
      readonly isOver: () => boolean;
      readonly traces: Pick<Traces, 'sending'> | undefined;
    },
  ) {
    this.#needs = { ...needs, carrier: carrier.id, idMax: kindOf(carrier.settings).idMax };
    this.#carrier = carrier;
    this.#isDebug = needs.log.isLevelEnabled?.('debug') ?? false;
    this.#unboundSince = needs.clock.now();
    this.#due = new WakeTimer(needs.clock, () => this.somethingWaits());
    this.#links = Array.from({ length: carrier.links }, (_, index) => this.#open(index + 1));
  }

  get carrier(): Carrier {
    return this.#carrier;
  }

  /** Whether parts are claimed. Links still send the parts that they have. */
  get #isOpen(): boolean {
    return this.#carrier.status === 'active' && !this.#isEnding;
  }

  get #isBound(): boolean {
    return this.#links.some((link) => link.isBound);
  }

  get boundLinks(): readonly number[] {
    return this.#links.filter(({ isBound }) => isBound).map(({ number }) => number);
  }

  get statuses(): readonly LinkStatus[] {
    const { id, status } = this.#carrier;
    const unbound = status === 'drained' || this.#isEnding ? 'stopped' : 'waiting';
    return this.#links.map((link) => this.#needs.duties.placed(id, link.status, unbound));
  }

  /** How the carrier stands for a new message. */
  seen(priority: number, numParts: number): Seen {
    return {
      isOpen: this.#isOpen,
      isUp: this.isUp,
      isBound: this.#isBound,
      isBehind: !this.#waiting.mayPass(priority),
      hasRoom: (this.#freest()?.room ?? 0) >= this.#requestsFor(numParts),
      unboundSince: this.#unboundSince,
    };
  }

  /** Updates whether the carrier is up. Returns whether that changed. */
  look(at: Instant, isBoundElsewhere: boolean): boolean {
    if (isBoundElsewhere || this.#isBound) this.#unboundSince = null;
    else this.#unboundSince ??= at;
    const before = this.isUp;
    this.isUp = this.#isOpen && (this.#unboundSince === null || at - this.#unboundSince < unboundMaxMs);
    return this.isUp !== before;
  }

  /** Uses changed settings. Links that must bind again first wait for their outstanding answers. */
  apply(carrier: Carrier): void {
    const before = this.#carrier;
    this.#carrier = carrier;
    if (carrier !== before) {
      this.#claims = [];
      const isAlike = bindsAlike(before, carrier);
      if (isAlike) for (const link of this.#links) link.use(carrier);
      if (!isAlike || carrier.links !== before.links)
        this.#changing = this.#changing.then(() => this.#arrange(isAlike));
    }
    if (!this.#isOpen) this.#due.forget();
    void this.share();
  }

  /** Binds links that this node has, and drains others. Resolves when the latter are unbound. */
  async share(): Promise<void> {
    const drained = this.#links.filter(({ number }) => !this.#binds(number)).map((link) => link.drain());
    if (!this.#isEnding) {
      for (const link of this.#links) if (this.#binds(link.number) && link.number <= this.#carrier.links) link.start();
      this.somethingWaits();
    }
    await Promise.all(drained);
  }

  /** Binds the links again, one after the other. Stops at the first link that cannot be bound, and returns it. */
  rebind(wanted: number | null): Promise<Rebound> {
    const { id } = this.#carrier;
    const links = this.#links.filter(
      ({ number }) => (wanted ?? number) === number && this.#needs.duties.holds(id, number),
    );
    if (links.length === 0) return Promise.resolve('none');
    const rebound = this.#changing.then(() => this.#rebindInTurn(links));
    this.#changing = rebound;
    return rebound;
  }

  /** Resolves when no link is connecting or draining. */
  async settled(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.settled()));
  }

  /** Unbinds for good, after outstanding answers. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#due.forget();
    await Promise.all(this.#links.map((link) => link.drain()));
  }

  /** Closes all links at once. Returns how many parts have no answer and are now in doubt. */
  destroy(): number {
    const unanswered = this.#links.reduce((sum, { status }) => sum + status.windowUsed, 0);
    for (const link of this.#links) link.destroy();
    return unanswered;
  }

  /** Reserves room for a new message, if no earlier message waits. */
  reserveParts(priority: number, numParts: number): Reservation | undefined {
    if (!this.#waiting.mayPass(priority) || !this.#isOpen) return undefined;
    const link = this.#freest();
    const requests = this.#requestsFor(numParts);
    if (!link || link.room < requests) return undefined;
    const turn = link.reserveRoom(requests);
    return {
      claim: this.#claimBy(link),
      send: (message) => {
        for (let number = 1; number <= requests; number++) {
          this.#send(link, turn, { ...message, message: message.id, number, attempt: 1, isWhole: requests < numParts });
        }
      },
      free: () => link.freeRoom(requests),
    };
  }

  /** Call this when a message waits for this carrier. */
  messageWaits(priority: number, numParts: number): void {
    this.#waiting.add(priority, numParts);
    this.#wake();
  }

  /** Call this when parts may wait and their number is unknown. */
  somethingWaits(): void {
    this.#waiting.addAny();
    this.#wake();
  }

  /** Call this when parts may wait that another node has accepted. */
  partsOfOthersWait(): void {
    this.#waiting.addOfOthers();
    this.#wake();
  }

  /** Call this with the time when a waiting part becomes due, or when this carrier may take it. */
  lookAt(due: Instant): void {
    const now = this.#needs.clock.now();
    if (this.#isOpen) this.#due.in(now, due - now);
  }

  #open(number: number): CarrierLink {
    return this.#needs.links.open(() => this.#carrier, number, this.handlers);
  }

  /** Whether the link shall be bound at this node. */
  #binds(link: number): boolean {
    const { id, status } = this.#carrier;
    return status !== 'drained' && this.#needs.duties.holds(id, link);
  }

  /** Opens and closes links one after the other, so that the carrier never sees more binds than agreed. */
  async #arrange(isAlike: boolean): Promise<void> {
    for (let number = 1; number <= Math.max(this.#links.length, this.#carrier.links); number++) {
      const link = this.#links[number - 1];
      if (number > this.#carrier.links) await link?.drain();
      else if (link) {
        link.use(this.#carrier);
        if (!isAlike) await link.rebind();
      } else {
        const added = this.#open(number);
        this.#links = [...this.#links, added];
        if (this.#binds(number)) added.start();
      }
      if (this.#isEnding) return;
    }
    this.#links = this.#links.slice(0, this.#carrier.links);
    this.#wake();
  }

  async #rebindInTurn(links: readonly CarrierLink[]): Promise<Rebound> {
    for (const link of links) {
      await link.rebind();
      const { state, lastError: error } = link.status;
      if (state === 'bound' || state === 'throttled') continue;
      this.#needs.log.warn(
        { link: link.number, state, error },
        'a link could not be bound again: the links after it are not rebound',
      );
      return { link: link.number, error: (state === 'waiting' ? error : null) ?? `it is ${state}` };
    }
    return 'done';
  }

  get #takesWhole(): boolean {
    const { settings } = this.#carrier;
    return kindOf(settings).takesWhole(settings);
  }

  /** How many requests a message needs: one if the carrier takes long messages whole. */
  #requestsFor(numParts: number): number {
    return this.#takesWhole ? 1 : numParts;
  }

  #freest(): CarrierLink | undefined {
    let best: CarrierLink | undefined;
    let bestRoom = 0;
    for (const link of this.#links) {
      const { room } = link;
      if (room <= bestRoom) continue;
      best = link;
      bestRoom = room;
    }
    return best;
  }

  #wake(): void {
    if (!this.#waiting.needsClaim || !this.#isOpen) return;
    const link = this.#freest();
    if (link) void this.#claim(link, this.#waiting.claimOf(link.room));
  }

  #claimBy({ number: link }: CarrierLink): LinkClaim {
    const { lease } = this.#needs;
    return (this.#claims[link] ??= { carrier: this.#carrier.id, link, lease, isWhole: this.#takesWhole });
  }

  async #claim(link: CarrierLink, max: number): Promise<void> {
    const { clock, journal, heldFrom, up, comesBack } = this.#needs;
    this.#waiting.beginClaim(max);
    const turn = link.reserveRoom(max);
    const from = heldFrom();
    const claimed = await journal.append<'claim'>({
      kind: 'claim',
      at: clock.now(),
      ...this.#claimBy(link),
      up: up(),
      ...(from !== null && { from }),
      max,
    });
    this.#waiting.endClaim(claimed.ok ? claimed.value.left : null);
    const parts = claimed.ok ? claimed.value.parts : [];
    for (const part of parts) this.#sendClaimed(link, turn, part);
    if (parts.length < max) link.freeRoom(max - parts.length);
    const now = clock.now();
    if (claimed.ok) {
      const { skipped, nextDue, moved = [] } = claimed.value;
      if (skipped > 0) this.#waiting.addAny();
      if (nextDue !== null) this.lookAt(nextDue);
      for (const place of moved) comesBack(place, now);
    } else this.lookAt(now + claimAgainMs);
    this.#wake();
  }

  #sendClaimed(link: CarrierLink, turn: number, part: ClaimedPart): void {
    const composed = composeAgain(part);
    if (composed?.numParts !== part.numParts) {
      // The parts that are sent must be those that were charged (A5). So a text that this version would split
      // differently is not sent.
      this.#needs.log.error(
        { message: part.message, part: part.number },
        'a part is not sent: this version splits its message into another number of parts than were charged',
      );
      link.freeRoom(1);
      return;
    }
    this.#send(link, turn, { ...part, composed });
  }

  #send(link: CarrierLink, turn: number, part: OutgoingPart & CostedPart): void {
    const { id, name } = this.#carrier;
    const cost = this.#needs.costs.costOf(id, part);
    const costed = cost === null ? part : { ...part, cost };
    if (this.#isDebug) this.#debug('part given to a link', part, { link: link.number });
    const ended = this.#needs.traces?.sending({ message: part.message, carrier: name, link: link.number });
    link.send(costed, turn, (answer) => {
      ended?.(outcomeOf(answer));
      this.#record(costed, answer, link);
      this.#wakeAfterAnswers();
    });
  }

  /** Waits until all answers of one read are recorded, so that parts which they put back are not overtaken (S6). */
  #wakeAfterAnswers(): void {
    if (this.#wakesSoon) return;
    this.#wakesSoon = true;
    process.nextTick(() => {
      this.#wakesSoon = false;
      this.#wake();
    });
  }

  #record(part: OutgoingPart, answer: Answer, link?: CarrierLink): void {
    const outcome = outcomeOf(answer);
    if (this.#isDebug) this.#debug('part has an outcome', part, { link: link?.number, outcome, code: answer.code });
    const goesBack = outcome === 'busy' || outcome === 'temporary' || outcome === 'in_doubt';
    if (goesBack) this.#waiting.goesBack();
    recordAnswer(this.#needs, { part, answer }, ({ due, place }) => {
      if (due !== null && place) this.#needs.comesBack(place, due);
      if (!goesBack && due === null) return;
      if (goesBack) this.#waiting.isBack();
      if (due === null) this.#wake();
      else if (due <= this.#needs.clock.now()) this.somethingWaits();
      else this.lookAt(due);
    });
  }

  #debug(event: string, part: OutgoingPart, more: object): void {
    const { message, number, attempt } = part;
    const fields = { message: String(message), part: number, attempt, carrier: this.#carrier.name, ...more };
    this.#needs.log.debug?.(fields, event);
  }
}
