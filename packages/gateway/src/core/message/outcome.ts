/* What a carrier answers to a part, in words that every kind of carrier translates its answers into. */

import type { UnitCost } from '../routing/carrier-cost.ts';
import type { Reason } from './reason.ts';

/** The outcome of an attempt to send a part, as it is stored. */
export type Outcome =
  /** The carrier accepted the part. */
  | 'accepted'
  /** The carrier throttles: back to the head of the queue, without counting as a failed try (S6). */
  | 'busy'
  /** The gateway tries the part again until its validity ends. */
  | 'temporary'
  | 'refused'
  | 'in_doubt';

export interface Answer {
  readonly outcome:
    | Outcome
    /** No octet of the request left the gateway. The part goes back, as after `busy`. */
    | 'unsent'
    /** The carrier's form cannot express the part. The gateway refuses it for the carrier. */
    | 'unsendable';
  /**
   * What a refusal or `busy` is about. After a refusal with scope `carrier`, another carrier may accept the part; with
   * scope `sender`, the carrier may accept it from its default sender. `busy` with scope `message` is about the receiver.
   */
  readonly scope: 'message' | 'sender' | 'carrier';
  /** Null if the kind of carrier does not know it. */
  readonly reason: Reason | null;
  /** The carrier's own code of a refusal, which reports show. */
  readonly code: string | null;
  /** The carrier's ids of the message. A request with several parts may have several. */
  readonly carrierIds: readonly string[];
  /** How many parts the carrier counts. */
  readonly parts?: number;
  /** The carrier's charge, if its answer names the charge. */
  readonly cost?: UnitCost;
  /** The network of the receiver: its MCC and MNC. */
  readonly network?: string;
}

/** The outcome that is stored. */
export function outcomeOf({ outcome }: Pick<Answer, 'outcome'>): Outcome {
  return outcome === 'unsent' ? 'busy' : outcome === 'unsendable' ? 'refused' : outcome;
}
