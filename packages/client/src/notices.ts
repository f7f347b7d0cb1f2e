/* Types of the notifications that a webhook gets, and the code that reads them. */

import type { Decimal } from './amount.ts';
import { FieldError, Fields, present } from './fields.ts';
import { readReport, type MessageReport } from './results.ts';

/** A notification: an inbound message, a receipt, or an alert about the account. */
export type Notice = InboundNotice | ReceiptNotice | AlertNotice | UnknownNotice;

/** `fields` contains all fields unchanged, including fields that only a newer gateway sends. */
interface WithFields {
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface InboundNotice extends WithFields {
  readonly type: 'inbound';
  readonly msgId: string;
  readonly sender: string;
  readonly receiver: string;
  /** The text of the message; empty if `dcs` is `BIN`. */
  readonly text: string;
  readonly dcs: 'GSM' | 'UCS' | 'BIN' | (string & {});
  /** If `dcs` is `BIN`: the octets in hexadecimal. */
  readonly data?: string;
  readonly numParts: number;
  /** `2026-01-31T12:00:00Z`. */
  readonly receivedTime: string;
  /** Whether all parts of the message arrived. Parts that arrive later become a separate message. */
  readonly complete: boolean;
  /** The `clientRef` of the message that this message answers, if known. */
  readonly clientRef?: string;
}

/** A delivery receipt. The fields of the receipt have the same meaning as in the report of `dlr`. */
export interface ReceiptNotice extends MessageReport, WithFields {
  readonly type: 'receipt';
}

export interface AlertNotice extends WithFields {
  readonly type: 'alert';
  readonly alert: 'low-balance' | (string & {});
  readonly threshold?: number;
  readonly clientBalance?: number;
  readonly clientCurrency?: string;
  readonly time?: string;
  /** The exact amounts. */
  readonly exact: { readonly threshold?: Decimal; readonly clientBalance?: Decimal };
}

/**
 * A notification of a type that this version does not know. Also a notification whose field `type` was renamed by the
 * operator.
 */
export interface UnknownNotice extends WithFields {
  readonly type: 'unknown';
  readonly named?: string;
}

/**
 * Reads a notification from a JSON object, a form, or the query of a GET. Throws FieldError if a notification of a
 * known type has no value for a required field. Returns undefined if the text has no fields.
 */
export function readNotice(text: string): Notice | undefined {
  const fields = /^\s*[{[]/.test(text) ? Fields.ofJson(text) : Fields.ofForm(text);
  if (!fields || Object.keys(fields.all).length === 0) return undefined;
  const named = fields.optionalText('type');
  if (named === 'inbound') return readInbound(fields);
  if (named === 'receipt') return readReceipt(fields);
  if (named === 'alert') return readAlert(fields);
  return present({ type: 'unknown' as const, named, fields: fields.all });
}

function readInbound(fields: Fields): InboundNotice {
  const dcs = fields.text('dcs');
  const text = fields.optionalText('text');
  if (text === undefined && dcs !== 'BIN') throw new FieldError('text');
  return present({
    type: 'inbound' as const,
    msgId: fields.text('msgId'),
    sender: fields.text('sender'),
    receiver: fields.text('receiver'),
    text: text ?? '',
    dcs,
    data: fields.optionalText('data'),
    numParts: fields.count('numParts'),
    receivedTime: fields.text('receivedTime'),
    complete: fields.flag('complete'),
    clientRef: fields.optionalText('clientRef'),
    fields: fields.all,
  });
}

function readReceipt(fields: Fields): ReceiptNotice {
  return { type: 'receipt', ...readReport(fields), fields: fields.all };
}

function readAlert(fields: Fields): AlertNotice {
  const threshold = fields.optionalAmount('threshold');
  const clientBalance = fields.optionalAmount('clientBalance');
  return present({
    type: 'alert' as const,
    alert: fields.text('alert'),
    threshold: threshold?.number,
    clientBalance: clientBalance?.number,
    clientCurrency: fields.optionalText('clientCurrency'),
    time: fields.optionalText('time'),
    exact: present({ threshold: threshold?.exact, clientBalance: clientBalance?.exact }),
    fields: fields.all,
  });
}
