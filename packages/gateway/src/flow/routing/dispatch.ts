/* Claims waiting parts for the links of one carrier, sends them, and records the outcomes (S1). */

import type { Carrier } from '../../core/routing/carrier.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import { carrierIdKey, keptCarrierId } from '../../core/message/carrier-id.ts';
import { outcomeOf, type Answer } from '../../core/message/outcome.ts';
import type { Composition } from '../../core/message/client-encoded-part.ts';
import { composeAgain, type MessageContent } from '../../core/message/content.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Claimed, ClaimedPart } from '../../state/decide/message/claim.ts';
import type { LinkClaim } from '../../state/tables/message.ts';
import type { QueuePlace } from '../../state/decide/message/part.ts';
import type { Recorded } from '../../state/decide/message/outcome.ts';
import type { CommandOf } from '../../state/commands.ts';
import { sleep } from '../../runtime/clock.ts';
import { WakeTimer } from '../../runtime/wake-timer.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Tools } from '../ports.ts';
import type { OutgoingPart, SendingLink } from './carrier-link.ts';
import type { CostedPart } from './sent-costs.ts';
import { Waiting } from './waiting.ts';

/** Room on a link for a new message, while its commit claims the parts for the link. */
export interface Reservation {
  readonly claim: LinkClaim;
  /** The commit succeeded and claimed the parts for the link. */
  send(message: ReservedMessage): void;
  /** Frees the room again; call this when the commit failed. */
  free(): void;
}

export interface ReservedMessage
  extends MessageContent, Pick<CommandOf<'accept'>, 'id' | 'expiresAt' | 'route' | 'account' | 'unitPrice'> {
  readonly composed: Composition;
}

export interface DispatchNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  readonly lease: number;
  /** The carriers that are up. Which parts a claim may take depends on them. */
  readonly up: () => readonly number[];
  /** Parts that became due before this instant are held; null if no part is held. */
  readonly heldFrom: () => Instant | null;
  /** Called when a part came back to the queue. Other carriers may take it from its due time. */
  readonly comesBack: (place: QueuePlace, due: Instant) => void;
  /** The carrier's charge for a part that is sent to it now; null if the charge is not known. */
  readonly costOf: (carrier: number, part: CostedPart) => UnitCost | null;
  readonly traces?: Pick<Traces, 'sending'> | undefined;
}

/** An outcome that the store refused is written again after this pause, until it succeeds. */
const recordAgainMs = secondMs;

/** How many parts one claim takes at most, so that other commits do not wait long. */
const claimMax = 1_000;

/** Gives parts to links. The commit that accepts a new message can claim it at once, if no earlier message waits. */
export class Dispatch {
  carrier: Carrier;
  readonly #needs: DispatchNeeds;
  readonly #isDebug: boolean;
  #links: readonly SendingLink[] = [];
  readonly #waiting = new Waiting();
  #claiming = false;
  #wakesSoon = false;
  /** Parts on their way back to the head of the queue. Until they are there, no later part is claimed (S6). */
  #returning = 0;
  /** Whether parts are claimed. False while the operator has paused the carrier, or while the process stops. */
  #isOpen = true;
  #isEnded = false;
  /** Looks for due parts. Parts that become due after a look are found by the next. */
  readonly #due: WakeTimer;

  constructor(carrier: Carrier, needs: DispatchNeeds) {
    this.carrier = carrier;
    this.#needs = needs;
    this.#due = new WakeTimer(needs.clock, () => this.somethingWaits());
    this.#isDebug = needs.log.isLevelEnabled?.('debug') ?? false;
  }

  use(links: readonly SendingLink[]): void {
    this.#links = links;
    this.wake();
  }

  /** Starts or stops claiming. Links still send the parts that they have. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (isOpen) this.somethingWaits();
    else this.#due.forget();
  }

  /** Call this when the process ends. Outcomes that the store refuses from now on stay in doubt. */
  end(): void {
    this.setOpen(false);
    this.#isEnded = true;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isBound(): boolean {
    return this.#links.some((link) => link.isBound);
  }

  /** Whether parts may wait that must be sent before a new message of this priority. */
  isBehind(priority: number): boolean {
    return !this.#waiting.mayPass(priority) || this.#returning > 0;
  }

  hasRoomFor(numParts: number): boolean {
    return (this.#freest()?.room ?? 0) >= this.#requestsFor(numParts);
  }

  /** Reserves room for a new message, if no earlier message waits. */
  reserveParts(priority: number, numParts: number): Reservation | undefined {
    if (this.isBehind(priority) || !this.#isOpen) return undefined;
    const link = this.#freest();
    const requests = this.#requestsFor(numParts);
    const isWhole = requests < numParts;
    if (!link || link.room < requests) return undefined;
    const turn = link.reserveRoom(requests);
    return {
      claim: this.#claimBy(link),
      send: (message) => {
        for (let number = 1; number <= requests; number++) {
          this.#send(link, turn, { ...message, message: message.id, number, attempt: 1, isWhole });
        }
      },
      free: () => link.freeRoom(requests),
    };
  }

  /** How many requests a message needs: one if the carrier takes long messages whole. */
  #requestsFor(numParts: number): number {
    return this.#takesWhole ? 1 : numParts;
  }

  /** Call this when a message waits for this carrier. */
  messageWaits(priority: number, numParts: number): void {
    this.#waiting.add(priority, numParts);
    this.wake();
  }

  /** Call this when parts may wait and their number is unknown. */
  somethingWaits(): void {
    this.#waiting.addAny();
    this.wake();
  }

  /** Call this when parts may wait that another node has accepted. */
  partsOfOthersWait(): void {
    this.#waiting.addOfOthers();
    this.wake();
  }

  wake(): void {
    if (this.#claiming || this.#waiting.isEmpty || this.#returning > 0 || !this.#isOpen) return;
    const link = this.#freest();
    const room = link?.room ?? 0;
    // A claim reserves room until it has looked. Claims for other nodes' parts leave half to new messages here.
    const max = Math.min(claimMax, this.#waiting.hasNoOwn ? Math.ceil(room / 2) : room);
    if (!link || max < 1) return;
    void this.#claim(link, max);
  }

  /** Records an answer that came after its part had been recorded as unanswered. */
  recordLate(part: OutgoingPart, answer: Answer): void {
    this.#record(part, answer);
  }

  async #claim(link: SendingLink, max: number): Promise<void> {
    this.#claiming = true;
    this.#waiting.beginClaim(max);
    const turn = link.reserveRoom(max);
    const from = this.#needs.heldFrom();
    const claimed = await this.#needs.journal.append<'claim'>({
      kind: 'claim',
      at: this.#needs.clock.now(),
      ...this.#claimBy(link),
      up: this.#needs.up(),
      ...(from !== null && { from }),
      max,
    });
    this.#claiming = false;
    this.#waiting.endClaim(claimed.ok ? claimed.value.left : null);
    const parts = claimed.ok ? claimed.value.parts : [];
    for (const part of parts) this.#sendClaimed(link, turn, part);
    if (parts.length < max) link.freeRoom(max - parts.length);
    const now = this.#needs.clock.now();
    if (claimed.ok) {
      this.#lookAgain(claimed.value);
      for (const place of claimed.value.moved ?? []) this.#needs.comesBack(place, now);
    } else this.lookAt(now + recordAgainMs);
    this.wake();
  }

  #lookAgain({ skipped, nextDue }: Claimed): void {
    if (skipped > 0) this.#waiting.addAny();
    if (nextDue !== null) this.lookAt(nextDue);
  }

  /** Call this with the time when a waiting part becomes due, or when this carrier may take it. */
  lookAt(due: Instant): void {
    const now = this.#needs.clock.now();
    this.#due.in(now, due - now);
  }

  #sendClaimed(link: SendingLink, turn: number, part: ClaimedPart): void {
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

  #send(link: SendingLink, turn: number, part: OutgoingPart & CostedPart): void {
    const { id, name } = this.carrier;
    const cost = this.#needs.costOf(id, part);
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
      this.wake();
    });
  }

  #record(part: OutgoingPart, answer: Answer, link?: SendingLink): void {
    const outcome = outcomeOf(answer);
    if (this.#isDebug) this.#debug('part has an outcome', part, { link: link?.number, outcome, code: answer.code });
    const goesBack = outcome === 'busy' || outcome === 'temporary' || outcome === 'in_doubt';
    if (goesBack) this.#returning += 1;
    void this.#write(this.#outcome(part, answer)).then(({ due, place }) => {
      if (due !== null && place) this.#needs.comesBack(place, due);
      if (!goesBack && due === null) return;
      if (goesBack) this.#returning -= 1;
      if (due === null) this.wake();
      else if (due <= this.#needs.clock.now()) this.somethingWaits();
      else this.lookAt(due);
    });
  }

  #debug(event: string, part: OutgoingPart, more: object): void {
    const { message, number, attempt } = part;
    this.#needs.log.debug?.(
      { message: String(message), part: number, attempt, carrier: this.carrier.name, ...more },
      event,
    );
  }

  #outcome(part: OutgoingPart, answer: Answer): CommandOf<'outcome'> {
    const [id] = answer.carrierIds;
    const carrierId = id === undefined ? null : keptCarrierId(id);
    const cost = answer.cost ?? part.cost;
    const command: CommandOf<'outcome'> = {
      kind: 'outcome',
      at: this.#needs.clock.now(),
      message: part.message,
      part: part.number,
      attempt: part.attempt,
      carrier: this.carrier.id,
      lease: this.#needs.lease,
      outcome: answer.outcome,
      scope: answer.scope,
      code: answer.code,
      carrierId,
      carrierIdKey: carrierId === null ? null : carrierIdKey(carrierId),
    };
    return cost ? { ...command, cost } : command;
  }

  /** Records an outcome; tries again while the store is unavailable. Returns when the part is due again, if it is. */
  async #write(command: CommandOf<'outcome'>): Promise<Recorded> {
    for (;;) {
      const recorded = await this.#needs.journal.append<'outcome'>(command);
      if (recorded.ok) return recorded.value;
      if (recorded.error.code !== 'unavailable' || this.#isEnded) return { due: null };
      await sleep(this.#needs.clock, recordAgainMs);
    }
  }

  get #takesWhole(): boolean {
    const { settings } = this.carrier;
    return kindOf(settings).takesWhole(settings);
  }

  #freest(): SendingLink | undefined {
    let best: SendingLink | undefined;
    let bestRoom = 0;
    for (const link of this.#links) {
      const { room } = link;
      if (room <= bestRoom) continue;
      best = link;
      bestRoom = room;
    }
    return best;
  }

  #claimBy(link: SendingLink): LinkClaim {
    return { carrier: this.carrier.id, link: link.number, lease: this.#needs.lease, isWhole: this.#takesWhole };
  }
}
