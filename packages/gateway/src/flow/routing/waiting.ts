/* Counts the parts that may wait for one carrier, and so decides when they are claimed, and how many. */

import { priorityNumbers } from '../../core/message/priority.ts';

/** How many parts may wait, at most; infinite while the number is unknown. */
interface Count {
  urgent: number;
  other: number;
}

/** How many parts one claim takes at most, so that other commits do not wait long. */
const claimMax = 1_000;

/** An upper bound of the waiting parts. A new message may be claimed at once if it overtakes no earlier message. */
export class Waiting {
  /** The number is unknown at the start, until a claim has looked into the store. */
  readonly #count: Count = { urgent: Number.POSITIVE_INFINITY, other: Number.POSITIVE_INFINITY };
  /** How many parts the claim under way may leave in the store, at most. */
  readonly #leaves: Count = { urgent: 0, other: 0 };
  /** Parts of other nodes may wait. A new message of this node may pass them: nodes keep no order among them. */
  #ofOthers = false;
  #isClaiming = false;
  /** Parts on their way back to the head of the queue. Until they are there, no later part is claimed (S6). */
  #returning = 0;

  /** False during a claim, and if no part has been added since the last claim began. */
  get needsClaim(): boolean {
    return !this.#isClaiming && this.#returning === 0 && (this.#ofOthers || !this.#hasNoOwn);
  }

  /**
   * How many parts to claim for a link with this room. A claim reserves room until it has looked, so claims for other
   * nodes' parts leave half to new messages here.
   */
  claimOf(room: number): number {
    return Math.min(claimMax, this.#hasNoOwn ? Math.ceil(room / 2) : room);
  }

  get #hasNoOwn(): boolean {
    return this.#count.urgent === 0 && this.#count.other === 0;
  }

  add(priority: number, parts: number): void {
    this.#count[levelOf(priority)] += parts;
  }

  /** Parts of any priority may wait; their number is unknown. */
  addAny(): void {
    this.#count.urgent = Number.POSITIVE_INFINITY;
    this.#count.other = Number.POSITIVE_INFINITY;
  }

  addOfOthers(): void {
    this.#ofOthers = true;
  }

  /** Whether a new message of this priority can be sent at once without overtaking an earlier message. */
  mayPass(priority: number): boolean {
    if (this.#returning > 0 || this.#count.urgent + this.#leaves.urgent > 0) return false;
    return levelOf(priority) === 'urgent' || this.#count.other + this.#leaves.other === 0;
  }

  /** Messages added from now on may not be seen by this claim of up to `max` parts. */
  beginClaim(max: number): void {
    this.#isClaiming = true;
    const takesAll = this.#count.urgent + this.#count.other <= max;
    this.#leaves.urgent = takesAll ? 0 : this.#count.urgent;
    this.#leaves.other = takesAll ? 0 : this.#count.other;
    this.#count.urgent = 0;
    this.#count.other = 0;
    this.#ofOthers = false;
  }

  /** `left` is the most urgent priority that still has waiting parts; null if no part waits. */
  endClaim(left: number | null): void {
    this.#isClaiming = false;
    this.#leaves.urgent = 0;
    this.#leaves.other = 0;
    if (left === null) return;
    this.#count.other = Number.POSITIVE_INFINITY;
    if (levelOf(left) === 'urgent') this.#count.urgent = Number.POSITIVE_INFINITY;
  }

  goesBack(): void {
    this.#returning += 1;
  }

  isBack(): void {
    this.#returning -= 1;
  }
}

function levelOf(priority: number): keyof Count {
  return priority < priorityNumbers.normal ? 'urgent' : 'other';
}
