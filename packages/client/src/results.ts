import type { Decimal } from './amount.ts';
import { present } from './fields.ts';
import type { Fields } from './fields.ts';

/** The answers of the service. Their names and meanings are those of its HTTP interface. */

/** What a carrier's network may say of a message. */
export type KnownEvent = PendingEvent | FinalEvent;
export type PendingEvent = 'scheduled' | 'queued' | 'sent' | 'buffered';
export type FinalEvent = (typeof finalEvents)[number];
/** More may come: an event that this version does not know is not final for it. */
export type DeliveryEvent = KnownEvent | (string & {});

const finalEvents = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled'] as const;

/** Whether a message has come to its end. */
export function isFinal(event: DeliveryEvent): event is FinalEvent {
  return finalEvents.some((each) => each === event);
}

export interface SendResult {
  /** Names the message from now on. */
  readonly msgId: string;
  /** What it was divided into; each part is charged. */
  readonly numParts: number;
  /** Cost of all parts. */
  readonly totalCost: number;
  /** The balance right after the cost was deducted. */
  readonly clientBalance: number;
  /** Three letters, such as `EUR`; a service may leave it out. */
  readonly clientCurrency?: string;
  /** The amounts to the digit, where a number has rounded them. */
  readonly exact: { readonly totalCost: Decimal; readonly clientBalance: Decimal };
  /** The key that the message was sent under. */
  readonly idempotencyKey: string;
  /** Whether the message had been accepted by an earlier request with this key, of this call or another. */
  readonly isReplay: boolean;
}

export interface DeliveryReport {
  readonly msgId: string;
  readonly event: DeliveryEvent;
  readonly numParts: number;
  /** When the message was accepted, or is to be sent if it was scheduled: `2026-01-31T12:00:00Z`. */
  readonly sendTime: string;
  /** When `event` was recorded. */
  readonly dlrTime: string;
  /** The carrier's own word for why. */
  readonly errorCode?: string;
  /** As it was given to `send`. */
  readonly clientRef?: string;
  /** With `details`: one entry a part. */
  readonly parts?: readonly PartReport[];
}

export interface PartReport {
  /** Its place among the parts, from 1. */
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
  /** How the text would be sent. */
  readonly encoding: 'GSM' | 'UCS' | (string & {});
  /** How many characters the GSM alphabet has not, and the first of them, with their place in code points from 0. */
  readonly ucsCount: number;
  readonly ucsCharacters: readonly { readonly character: string; readonly position: number }[];
  readonly unitPrice: number;
  readonly totalCost: number;
  readonly clientBalance: number;
  /** What the balance would be after it. */
  readonly balanceAfter: number;
  /** Whether the balance, with the credit of the account, suffices. */
  readonly isCovered: boolean;
  /** Its idempotency key stands for this very request already: a send would be answered again and charge nothing. */
  readonly isReplay: boolean;
  readonly clientCurrency?: string;
  /** How the numbers begin that go the same way. */
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
