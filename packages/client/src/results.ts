import type { Decimal } from './amount.ts';
import { present } from './fields.ts';
import type { Fields } from './fields.ts';

/** The answers of the gateway, with the names and meanings of its HTTP interface. */

/** Events of a message. */
export type KnownEvent = PendingEvent | FinalEvent;
export type PendingEvent = 'scheduled' | 'queued' | 'sent' | 'buffered';
export type FinalEvent = (typeof finalEvents)[number];
/** New events may come: an event that this version does not know is not final. */
export type DeliveryEvent = KnownEvent | (string & {});

const finalEvents = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled'] as const;

/** Whether an event is final. */
export function isFinal(event: DeliveryEvent): event is FinalEvent {
  return finalEvents.some((each) => each === event);
}

export interface SendResult {
  /** The id of the message. */
  readonly msgId: string;
  /** Parts of the message; each is charged. */
  readonly numParts: number;
  /** Cost of all parts. */
  readonly totalCost: number;
  /** The balance right after the cost was deducted. */
  readonly clientBalance: number;
  /** Three letters, such as `EUR`; may be absent. */
  readonly clientCurrency?: string;
  /** The exact amounts, because numbers may be rounded. */
  readonly exact: { readonly totalCost: Decimal; readonly clientBalance: Decimal };
  /** The idempotency key of the message. */
  readonly idempotencyKey: string;
  /** Whether an earlier request with this key had been accepted, in this call or another. */
  readonly isReplay: boolean;
}

export interface DeliveryReport {
  readonly msgId: string;
  readonly event: DeliveryEvent;
  readonly numParts: number;
  /** When the message was accepted, or is due if it was scheduled: `2026-01-31T12:00:00Z`. */
  readonly sendTime: string;
  /** When `event` was recorded. */
  readonly dlrTime: string;
  /** The carrier's error code. */
  readonly errorCode?: string;
  /** As given to `send`. */
  readonly clientRef?: string;
  /** With `details`: one entry a part. */
  readonly parts?: readonly PartReport[];
}

export interface PartReport {
  /** Its number, from 1. */
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
  /** The encoding of the text. */
  readonly encoding: 'GSM' | 'UCS' | (string & {});
  /** Count of characters outside the GSM alphabet, and the first of them with their positions in code points from 0. */
  readonly ucsCount: number;
  readonly ucsCharacters: readonly { readonly character: string; readonly position: number }[];
  readonly unitPrice: number;
  readonly totalCost: number;
  readonly clientBalance: number;
  /** The balance after the message. */
  readonly balanceAfter: number;
  /** Whether the balance and the account's credit suffice. */
  readonly isCovered: boolean;
  /** The idempotency key was already used for this request: a `send` would be a replay and charge nothing. */
  readonly isReplay: boolean;
  readonly clientCurrency?: string;
  /** Prefix of the route. */
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

export function readDeliveryReport(fields: Fields): DeliveryReport {
  return present({
    msgId: fields.text('msgId'),
    event: fields.text('event'),
    numParts: fields.count('numParts'),
    sendTime: fields.text('sendTime'),
    dlrTime: fields.text('dlrTime'),
    errorCode: fields.optionalText('errorCode'),
    clientRef: fields.optionalText('clientRef'),
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
