/* Counts the parts that may wait for one carrier, so that dispatch knows when to claim. */

import { priorityNumbers } from '../../core/message/priority.ts';

/** How many parts may wait, at most; infinite while the number is unknown. */
interface Count {
  urgent: number;
  other: number;
}

/** An upper bound of the waiting parts. Dispatch may claim a new message at once if it overtakes no earlier message. */
export class Waiting {
  /** The number is unknown at the start, until a claim has looked into the store. */
  readonly #count: Count = { urgent: Number.POSITIVE_INFINITY, other: Number.POSITIVE_INFINITY };
  /** How many parts the claim under way may leave in the store, at most. */
  readonly #leaves: Count = { urgent: 0, other: 0 };
  /** Parts of other nodes may wait. A new message of this node may pass them: nodes keep no order among them. */
  #ofOthers = false;

  /** True if no claim is needed: no part has been added since the last claim began. */
  get isEmpty(): boolean {
    return this.hasNoOwn && !this.#ofOthers;
  }

  get hasNoOwn(): boolean {
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
    if (this.#count.urgent + this.#leaves.urgent > 0) return false;
    return levelOf(priority) === 'urgent' || this.#count.other + this.#leaves.other === 0;
  }

  /** Messages added from now on may not be seen by this claim of up to `max` parts. */
  beginClaim(max: number): void {
    const takesAll = this.#count.urgent + this.#count.other <= max;
    this.#leaves.urgent = takesAll ? 0 : this.#count.urgent;
    this.#leaves.other = takesAll ? 0 : this.#count.other;
    this.#count.urgent = 0;
    this.#count.other = 0;
    this.#ofOthers = false;
  }

  /** `left` is the most urgent priority that still has waiting parts; null if no part waits. */
  endClaim(left: number | null): void {
    this.#leaves.urgent = 0;
    this.#leaves.other = 0;
    if (left === null) return;
    this.#count.other = Number.POSITIVE_INFINITY;
    if (levelOf(left) === 'urgent') this.#count.urgent = Number.POSITIVE_INFINITY;
  }
}

function levelOf(priority: number): keyof Count {
  return priority < priorityNumbers.normal ? 'urgent' : 'other';
}
