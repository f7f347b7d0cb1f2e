/* The fields of each kind of notification, ready for JSON, a form or a query. */

import type { MessageReport } from '../message/content.ts';
import type { NotificationContent } from './notification.ts';
import { echoNames, type Echo } from '@morsel/api/values/message.ts';
import type { FieldName } from '@morsel/api/values/notification.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';

export interface NotificationField {
  readonly name: FieldName;
  readonly value: string;
  readonly json: string;
}

/** The fields of a notification, in the order in which they are sent. A field without a value is left out. */
export function fieldsOf(notification: NotificationContent): NotificationField[] {
  return [...field('type', notification.kind), ...contentFields(notification)];
}

function contentFields(notification: NotificationContent): NotificationField[] {
  switch (notification.kind) {
    case 'inbound': {
      const { octets, header } = notification;
      return [
        ...field('msgId', String(notification.msgId)),
        ...field('sender', notification.sender),
        ...field('receiver', notification.receiver),
        ...field('text', octets === null ? notification.text : null),
        ...field('dcs', notification.dcs),
        ...field('data', hex(octets)),
        ...field('udh', octets === null ? null : hex(header)),
        ...field('numParts', notification.numParts),
        ...field('receivedTime', formatInstant(notification.receivedAt)),
        ...field('complete', notification.complete),
      ];
    }
    case 'receipt':
      return reportFields(notification);
    case 'alert':
      return [
        ...field('alert', notification.alert),
        ...field('threshold', notification.threshold),
        ...field('clientBalance', notification.balance),
        ...field('clientCurrency', notification.currency),
        ...field('time', formatInstant(notification.at)),
      ];
  }
}

export function reportFields(report: MessageReport): NotificationField[] {
  return [
    ...field('msgId', String(report.msgId)),
    ...field('event', report.event),
    ...field('numParts', report.numParts),
    ...field('sendTime', formatInstant(report.sendTime)),
    ...field('dlrTime', formatInstant(report.eventAt)),
    ...field('errorCode', report.errorCode),
    ...echoNames.flatMap((name) => field(name, report[name])),
  ];
}

export const testField: NotificationField = { name: 'test', value: 'true', json: 'true' };

type Value = string | number | boolean | Micros | Echo[keyof Echo];

/** The field of a value; none for null. */
function field(name: FieldName, value: Value): NotificationField[] {
  if (value === null) return [];
  if (typeof value !== 'bigint') return [{ name, value: String(value), json: JSON.stringify(value) }];
  const exact = formatMicros(value);
  return [{ name, value: exact, json: exact }];
}

function hex(octets: Uint8Array | null): string | null {
  return octets && Buffer.from(octets).toString('hex');
}
