import type { Decimal } from './amount.ts';
import { present, readEcho, type Echo, type Fields } from './fields.ts';

/** The results of calls. The fields have the same names and meanings as in the HTTP interface of the gateway. */

/** Events of a message. */
export type KnownEvent = PendingEvent | FinalEvent;
export type PendingEvent = 'scheduled' | 'queued' | 'sent' | 'buffered';
export type FinalEvent = (typeof finalEvents)[number];
/** An event of a message. Newer gateways may have more events; treat an unknown event as not final. */
export type DeliveryEvent = KnownEvent | (string & {});

const finalEvents = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled'] as const;

/** Whether an event is final, so that it never changes again. */
export function isFinal(event: DeliveryEvent): event is FinalEvent {
  return finalEvents.some((each) => each === event);
}

export interface SendResult {
  /** The id of the message. */
  readonly msgId: string;
  /** The number of parts of the message. Each part is charged. */
  readonly numParts: number;
  /** The cost of all parts. */
  readonly totalCost: number;
  /** The balance immediately after the cost was deducted. */
  readonly clientBalance: number;
  /** The currency of the account as three letters, such as `EUR`; may be missing. */
  readonly clientCurrency?: string;
  /** The exact amounts, because numbers may be rounded. */
  readonly exact: { readonly totalCost: Decimal; readonly clientBalance: Decimal };
  /** The idempotency key of the message. */
  readonly idempotencyKey: string;
  /**
   * Whether the gateway had already accepted an earlier request with this idempotency key, in this call or another
   * call.
   */
  readonly isReplay: boolean;
}

/** What a report and a receipt both have. */
export interface MessageReport extends Echo {
  readonly msgId: string;
  readonly event: DeliveryEvent;
  readonly numParts: number;
  /** When the message was accepted, or when a scheduled message is due, such as `2026-01-31T12:00:00Z`. */
  readonly sendTime: string;
  /** When the gateway recorded `event`. */
  readonly dlrTime: string;
  /** The carrier's error code. */
  readonly errorCode?: string;
}

export interface DeliveryReport extends MessageReport {
  /** The report of each part, if the request had `details`. */
  readonly parts?: readonly PartReport[];
}

export interface PartReport {
  /** The number of the part, from 1. */
  readonly part: number;
  readonly event: DeliveryEvent;
  readonly dlrTime: string;
  readonly errorCode?: string;
}

export interface Balance {
  readonly clientBalance: number;
  readonly clientCurrency?: string;
  readonly exact: { readonly clientBalance: Decimal };
}

export interface Quote {
  readonly numParts: number;
  /** The encoding that the text needs. */
  readonly encoding: 'GSM' | 'UCS' | (string & {});
  /**
   * `ucsCount` is the number of characters outside the GSM alphabet. `ucsCharacters` lists the first characters outside
   * the GSM alphabet, with their positions in code points from 0.
   */
  readonly ucsCount: number;
  readonly ucsCharacters: readonly { readonly character: string; readonly position: number }[];
  readonly unitPrice: number;
  readonly totalCost: number;
  readonly clientBalance: number;
  /** The balance that the account would have after sending the message. */
  readonly balanceAfter: number;
  /** Whether the balance and the credit of the account are enough for the message. */
  readonly isCovered: boolean;
  /**
   * Whether the idempotency key was already used for this message. If true, a `send` would be a replay and charge
   * nothing.
   */
  readonly isReplay: boolean;
  readonly clientCurrency?: string;
  /** The prefix of the route that the message would take. */
  readonly routePrefix: string;
  readonly exact: {
    readonly unitPrice: Decimal;
    readonly totalCost: Decimal;
    readonly clientBalance: Decimal;
    readonly balanceAfter: Decimal;
  };
}

export function readSendResult(fields: Fields): Omit<SendResult, 'idempotencyKey' | 'isReplay'> {
  const totalCost = fields.amount('totalCost');
  const clientBalance = fields.amount('clientBalance');
  return present({
    msgId: fields.text('msgId'),
    numParts: fields.count('numParts'),
    totalCost: totalCost.number,
    clientBalance: clientBalance.number,
    clientCurrency: fields.optionalText('clientCurrency'),
    exact: { totalCost: totalCost.exact, clientBalance: clientBalance.exact },
  });
}

export function readReport(fields: Fields): MessageReport {
  return present({
    msgId: fields.text('msgId'),
    event: fields.text('event'),
    numParts: fields.count('numParts'),
    sendTime: fields.text('sendTime'),
    dlrTime: fields.text('dlrTime'),
    errorCode: fields.optionalText('errorCode'),
    ...readEcho(fields),
  });
}

export function readDeliveryReport(fields: Fields): DeliveryReport {
  return present({
    ...readReport(fields),
    parts: fields.optionalList('parts')?.map((part) =>
      present({
        part: part.count('part'),
        event: part.text('event'),
        dlrTime: part.text('dlrTime'),
        errorCode: part.optionalText('errorCode'),
      }),
    ),
  });
}

export function readBalance(fields: Fields): Balance {
  const clientBalance = fields.amount('clientBalance');
  return present({
    clientBalance: clientBalance.number,
    clientCurrency: fields.optionalText('clientCurrency'),
    exact: { clientBalance: clientBalance.exact },
  });
}

export function readQuote(fields: Fields): Quote {
  const unitPrice = fields.amount('unitPrice');
  const totalCost = fields.amount('totalCost');
  const clientBalance = fields.amount('clientBalance');
  const balanceAfter = fields.amount('balanceAfter');
  return present({
    numParts: fields.count('numParts'),
    encoding: fields.text('encoding'),
    ucsCount: fields.count('ucsCount'),
    ucsCharacters: fields.list('ucsCharacters').map((each) => ({
      character: each.text('character'),
      position: each.count('position'),
    })),
    unitPrice: unitPrice.number,
    totalCost: totalCost.number,
    clientBalance: clientBalance.number,
    balanceAfter: balanceAfter.number,
    isCovered: fields.flag('isCovered'),
    isReplay: fields.flag('isReplay'),
    clientCurrency: fields.optionalText('clientCurrency'),
    routePrefix: fields.text('routePrefix'),
    exact: {
      unitPrice: unitPrice.exact,
      totalCost: totalCost.exact,
      clientBalance: clientBalance.exact,
      balanceAfter: balanceAfter.exact,
    },
  });
}
