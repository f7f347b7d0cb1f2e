/* The fields of each kind of notification, with their values as text, ready for JSON, a form or a query. */

import type { NotificationContent } from './notification.ts';
import type { FieldName } from '@morsel/api/values/notification.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';

/** One field of a notification: its value as text, and whether JSON quotes it. */
export interface NotificationField {
  readonly name: FieldName;
  readonly value: string;
  readonly isText: boolean;
}

/** The fields of a notification in the order in which they are sent. A field without a value is left out. */
export function fieldsOf(notification: NotificationContent): NotificationField[] {
  const fields = [text('type', notification.kind)];
  switch (notification.kind) {
    case 'inbound':
      fields.push(
        text('msgId', String(notification.msgId)),
        text('sender', notification.sender),
        text('receiver', notification.receiver),
      );
      if (notification.text !== null && notification.octets === null) fields.push(text('text', notification.text));
      fields.push(text('dcs', notification.dcs));
      if (notification.octets !== null) fields.push(text('data', hex(notification.octets)));
      if (notification.octets !== null && notification.header !== null)
        fields.push(text('udh', hex(notification.header)));
      fields.push(
        plain('numParts', String(notification.numParts)),
        text('receivedTime', formatInstant(notification.receivedAt)),
        plain('complete', String(notification.complete)),
      );
      return fields;
    case 'receipt':
      fields.push(
        text('msgId', String(notification.msgId)),
        text('event', notification.event),
        plain('numParts', String(notification.numParts)),
        text('sendTime', formatInstant(notification.sendTime)),
        text('dlrTime', formatInstant(notification.eventAt)),
      );
      if (notification.errorCode !== null) fields.push(text('errorCode', notification.errorCode));
      if (notification.clientRef !== null) fields.push(text('clientRef', notification.clientRef));
      return fields;
    case 'alert':
      fields.push(
        text('alert', notification.alert),
        plain('threshold', formatMicros(notification.threshold)),
        plain('clientBalance', formatMicros(notification.balance)),
        text('clientCurrency', notification.currency),
        text('time', formatInstant(notification.at)),
      );
      return fields;
  }
}

/** The field that marks a sample notification. */
export const testField: NotificationField = { name: 'test', value: 'true', isText: false };

function text(name: FieldName, value: string): NotificationField {
  return { name, value, isText: true };
}

/** A number, true or false. */
function plain(name: FieldName, value: string): NotificationField {
  return { name, value, isText: false };
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
