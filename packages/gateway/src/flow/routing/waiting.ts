/* Counts what may wait for one carrier, so that dispatch knows when to claim. */

import { priorityNumbers } from '../../core/message/priority.ts';

/** Parts that may wait: an upper bound, infinite when nobody has counted. */
interface Count {
  urgent: number;
  other: number;
}

/**
 * What may wait in the store for one carrier, as far as this process knows: never less than what does. A few numbers,
 * however much waits. It tells whether a new message may be claimed at once without passing one that is before it.
 */
export class Waiting {
  /** Nothing is known at the start: a claim has to look. */
  readonly #count: Count = { urgent: Number.POSITIVE_INFINITY, other: Number.POSITIVE_INFINITY };
  /** What the claim under way may leave behind. */
  readonly #leaves: Count = { urgent: 0, other: 0 };

  /** Nothing waits that no claim has looked for. */
  get isEmpty(): boolean {
    return this.#count.urgent === 0 && this.#count.other === 0;
  }

  add(priority: number, parts: number): void {
    this.#count[levelOf(priority)] += parts;
  }

  /** Something waits, of whichever priority. */
  addAny(): void {
    this.#count.urgent = Number.POSITIVE_INFINITY;
    this.#count.other = Number.POSITIVE_INFINITY;
  }

  /** Whether nothing waits that goes before a new message of this priority. */
  mayPass(priority: number): boolean {
    if (this.#count.urgent + this.#leaves.urgent > 0) return false;
    return levelOf(priority) === 'urgent' || this.#count.other + this.#leaves.other === 0;
  }

  /** A claim of up to `max` parts is under way. Messages that wait from here on may be too late for it. */
  beginClaim(max: number): void {
    const takesAll = this.#count.urgent + this.#count.other <= max;
    this.#leaves.urgent = takesAll ? 0 : this.#count.urgent;
    this.#leaves.other = takesAll ? 0 : this.#count.other;
    this.#count.urgent = 0;
    this.#count.other = 0;
  }

  /** It came back, and left this priority and what comes after it behind; nothing, if null. */
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
