import * as contract from './contract.ts';
import type { Decimal } from './amount.ts';

/** The results of calls. The fields have the same names and meanings as in the HTTP interface of the gateway. */

/** Events of a message. */
export type KnownEvent = contract.DeliveryEvent;
export type FinalEvent = (typeof contract.finalEvents)[number];
export type PendingEvent = Exclude<KnownEvent, FinalEvent>;
/** An event of a message. Newer gateways may have more events; treat an unknown event as not final. */
export type DeliveryEvent = KnownEvent | (string & {});

/** Whether an event is final, so that it never changes again. */
export function isFinal(event: DeliveryEvent): event is FinalEvent {
  return contract.finalEvents.some((each) => each === event);
}

/** The result of `send`. `exact` has the amounts as text, because numbers may be rounded. */
export interface SendResult extends contract.SendResult {
  readonly exact: { readonly totalCost: Decimal; readonly clientBalance: Decimal };
  /** The idempotency key of the message. */
  readonly idempotencyKey: string;
  /**
   * Whether the gateway had already accepted an earlier request with this idempotency key, in this call or another
   * call.
   */
  readonly isReplay: boolean;
}

export interface DeliveryReport extends Omit<contract.DeliveryReport, 'event' | 'parts'> {
  readonly event: DeliveryEvent;
  /** The report of each part, if the request had `details`. */
  readonly parts?: readonly PartReport[];
}

export interface PartReport extends Omit<NonNullable<contract.DeliveryReport['parts']>[number], 'event'> {
  readonly event: DeliveryEvent;
}

export interface Balance extends contract.Balance {
  readonly exact: { readonly clientBalance: Decimal };
}

export interface Quote extends contract.Quote {
  readonly exact: {
    readonly unitPrice: Decimal;
    readonly totalCost: Decimal;
    readonly clientBalance: Decimal;
    readonly balanceAfter: Decimal;
  };
}
