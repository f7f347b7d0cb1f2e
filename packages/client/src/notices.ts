/* Types of the notifications that a webhook gets, and the code that reads them. */

import * as contract from './contract.ts';
import { isSent, readJson, type Decimal, type Members } from './amount.ts';
import type { DeliveryEvent } from './results.ts';
import { WebhookError } from './webhook-error.ts';

/** A notification: an inbound message, a receipt, or an alert about the account. */
export type Notice = InboundNotice | ReceiptNotice | AlertNotice | UnknownNotice;

/** A notification with all its `fields` unchanged, also those that only a newer gateway sends. */
interface WithFields {
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface InboundNotice extends contract.InboundMessage, WithFields {
  /** The text of the message; empty if `dcs` is `BIN`. */
  readonly text: string;
}

/** A delivery receipt. The fields of the receipt have the same meaning as in the report of `dlr`. */
export interface ReceiptNotice extends Omit<contract.ReceiptNotification, 'event'>, WithFields {
  readonly event: DeliveryEvent;
}

/** An alert. If the alert is not `low-balance`, the members may be missing. */
export interface AlertNotice extends Partial<Omit<contract.AlertNotification, 'type' | 'alert'>>, WithFields {
  readonly type: 'alert';
  readonly alert: 'low-balance' | (string & {});
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
 * The fields that each type of notification has. If a field is missing, the operator has renamed fields or left fields
 * out.
 */
const needed = new Map<unknown, readonly string[]>([
  ['inbound', ['msgId', 'sender', 'receiver', 'text', 'dcs', 'numParts', 'receivedTime', 'complete']],
  ['receipt', ['msgId', 'event', 'numParts', 'sendTime', 'dlrTime']],
  ['alert', ['alert']],
]);

/** The fields that are no text in JSON, with their conversions. In a form, all values are text. */
const conversions = new Map<string, (value: string) => unknown>([
  ...contract.numberFields.map((name) => [name, Number] as const),
  ...contract.flagFields.map((name) => [name, (value: string) => value === 'true'] as const),
  ...contract.listFields.map((name) => [name, (value: string) => value.split(',')] as const),
]);

/**
 * Reads a notification from a JSON object, a form, or the query of a GET. Throws WebhookError if the payload is no
 * notification.
 */
export function readNotice(octets: Uint8Array): Notice {
  const text = textOf(octets);
  const given = /^\s*[{[]/.test(text) ? readJson(text) : readForm(text);
  if (!given || Object.keys(given.all).length === 0)
    throw new WebhookError('unreadable', 'the payload is neither a JSON object nor a form in UTF-8');
  const { all: fields, exact } = given;
  const { type, dcs } = fields;
  const names = needed.get(type);
  if (!names) return { type: 'unknown', ...(typeof type === 'string' && { named: type }), fields };
  const converted = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? (conversions.get(name)?.(value) ?? value) : value,
  ]);
  const members = { ...(dcs === 'BIN' && { text: '' }), ...Object.fromEntries(converted) };
  const notice = { ...members, ...(type === 'alert' && { exact }), fields };
  const missing = names.find((name) => !Object.hasOwn(notice, name));
  if (missing === undefined && isSent<Notice>(notice, 'type')) return notice;
  throw new WebhookError('unreadable', `the field ${missing} is missing`);
}

function textOf(octets: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return '';
  }
}

/** Reads the fields of a form or query. If a name is repeated, the first value counts. */
function readForm(text: string): Members {
  const all: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) if (!Object.hasOwn(all, name)) all[name] = value;
  const amounts = contract.amountFields.filter((name) => Object.hasOwn(all, name));
  return { all, exact: Object.fromEntries(amounts.map((name) => [name, all[name] ?? ''])) };
}
