import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../flow/receive.ts';

/**
 * What is kept of a PDU that nobody could make sense of: more than all of a deliver_sm but its TLVs, and 100 MB for the
 * 200,000 that a carrier may have parked.
 */
export const keptOctetsMax = 512;

/** The octets that are kept: copies, as those of a PDU are views of what was read. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/**
 * A deliver_sm or data_sm whose body cannot be read: kept as a receipt that says nothing, for a person to look at, so that the
 * carrier need not send it for ever (smpp-in-the-wild, 4 and 24).
 */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { id: '', state: null, errorCode: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/** A carrier that cannot write a PDU writes many: the log is told of the first, and then how many there were in a minute. */
const toldEveryMs = 60_000;

/** Counts what a link could not read, and says when it is time to tell. */
export class UnreadableCount {
  #all = 0;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  get all(): number {
    return this.#all;
  }

  /** How many there were since it was told last, if it is to be told now. `now` is monotonic. */
  add(now: number): number | undefined {
    this.#all += 1;
    if (now - this.#toldAt < toldEveryMs) return undefined;
    const count = this.#all - this.#told;
    this.#told = this.#all;
    this.#toldAt = now;
    return count;
  }
}

/** For `carrier show`; of the PDU it says only what was wrong with it. */
export function unreadableWords({ reason }: Fault): string {
  return `what it sent could not be read (${reason}): it is kept, see receipt parked --why unreadable`;
}
