import type { NoticeContent } from './notification.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';

/** One member of what a webhook is told: its value as text, and whether JSON has it between quotation marks. */
export interface NoticeField {
  readonly name: FieldName;
  readonly value: string;
  readonly isText: boolean;
}

/** Every field that a notice may have, of whatever kind (decisions, sections 3 and 6). */
export const fieldNames = [
  'type',
  'test',
  'msgId',
  'sender',
  'receiver',
  'text',
  'dcs',
  'data',
  'udh',
  'numParts',
  'receivedTime',
  'complete',
  'event',
  'sendTime',
  'dlrTime',
  'errorCode',
  'clientRef',
  'alert',
  'threshold',
  'clientBalance',
  'clientCurrency',
  'time',
] as const;
export type FieldName = (typeof fieldNames)[number];

/** What an account is told, in order: times to the second, amounts exact, what is not known left out. */
export function fieldsOf(notice: NoticeContent): NoticeField[] {
  const fields = [text('type', notice.kind)];
  switch (notice.kind) {
    case 'inbound':
      fields.push(
        text('msgId', String(notice.msgId)),
        text('sender', notice.sender),
        text('receiver', notice.receiver),
      );
      if (notice.text !== null && notice.octets === null) fields.push(text('text', notice.text));
      fields.push(text('dcs', notice.dcs));
      if (notice.octets !== null) fields.push(text('data', hex(notice.octets)));
      if (notice.octets !== null && notice.header !== null) fields.push(text('udh', hex(notice.header)));
      fields.push(
        plain('numParts', String(notice.numParts)),
        text('receivedTime', formatInstant(notice.receivedAt)),
        plain('complete', String(notice.complete)),
      );
      return fields;
    case 'receipt':
      fields.push(
        text('msgId', String(notice.msgId)),
        text('event', notice.event),
        plain('numParts', String(notice.numParts)),
        text('sendTime', formatInstant(notice.sendTime)),
        text('dlrTime', formatInstant(notice.eventAt)),
      );
      if (notice.errorCode !== null) fields.push(text('errorCode', notice.errorCode));
      if (notice.clientRef !== null) fields.push(text('clientRef', notice.clientRef));
      return fields;
    case 'alert':
      fields.push(
        text('alert', notice.alert),
        plain('threshold', formatMicros(notice.threshold)),
        plain('clientBalance', formatMicros(notice.balance)),
        text('clientCurrency', notice.currency),
        text('time', formatInstant(notice.at)),
      );
      return fields;
  }
}

/** That it is no real one. */
export const testField: NoticeField = { name: 'test', value: 'true', isText: false };

function text(name: FieldName, value: string): NoticeField {
  return { name, value, isText: true };
}

/** A number, true or false. */
function plain(name: FieldName, value: string): NoticeField {
  return { name, value, isText: false };
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
