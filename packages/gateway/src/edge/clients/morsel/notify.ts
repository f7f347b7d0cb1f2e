/* Writes notifications for webhooks: their fields under the names of a template, as JSON, a form or a query. */

import type { ClientDialect, NotificationForm, WebhookRequest } from '../dialect.ts';
import type { MessageReport } from '../../../core/message/content.ts';
import type { NotificationContent } from '../../../core/notification/notification.ts';
import type { Template } from '../../../core/notification/template.ts';
import { echoNames, type Echo } from '@morsel/api/values/message.ts';
import type { FieldName } from '@morsel/api/shapes.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';

/** Morsel's own forms of a notification. */
export const forms: ClientDialect<'http'>['forms'] = {
  'post-json': { write: (notification, to) => posted('application/json', asJson(contentOf(notification, to)), to) },
  'post-form': {
    write: (notification, to) => posted('application/x-www-form-urlencoded', asForm(contentOf(notification, to)), to),
  },
  get: {
    write: (notification, to) => {
      const { path, query } = to;
      const whole = [query, asForm(contentOf(notification, to))].filter((each) => each !== '').join('&');
      return { path: `${path}?${whole}`, body: null, type: null, signed: whole };
    },
  },
};

type To = Parameters<NotificationForm['write']>[1];

function posted(type: string, body: string, { path, query }: To): WebhookRequest {
  return { path: query === '' ? path : `${path}?${query}`, body, type, signed: body };
}

function contentOf(notification: NotificationContent, { template, isTest }: To): TemplateContent {
  return applyTemplate(template, isTest ? sampleFields(notification) : fieldsOf(notification));
}

interface NotificationField {
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

const testField: NotificationField = { name: 'test', value: 'true', json: 'true' };

/** A sample has the mark `test` behind its type. */
export function sampleFields(content: NotificationContent): NotificationField[] {
  const [type, ...rest] = fieldsOf(content);
  return type ? [type, testField, ...rest] : [testField];
}

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

type TemplateContent = readonly Member[];
interface Member extends Omit<NotificationField, 'name'> {
  readonly name: string;
}

/** A sample keeps its mark, the field `test`, even if the template leaves it out. */
export function applyTemplate(template: Template | null, fields: readonly NotificationField[]): TemplateContent {
  if (template === null) return fields;
  const { fields: named, constants } = template;
  const content: Member[] = [];
  if (named.length === 0) content.push(...fields);
  for (const { name, field: own } of named) {
    const found = fields.find((each) => each.name === own);
    if (found) content.push({ ...found, name });
  }
  const trial = fields.find(({ name }) => name === 'test');
  const isSaid =
    named.length === 0 ||
    named.some((each) => each.field === 'test') ||
    [...named, ...constants].some(({ name }) => name === 'test');
  if (trial && !isSaid) content.push(trial);
  for (const { name, value } of constants) content.push({ name, value, json: JSON.stringify(value) });
  return content;
}

export function asJson(content: TemplateContent): string {
  const members = content.map(({ name, json }) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(',')}}`;
}

/** Writes the members as a form or query string (WHATWG URL, application/x-www-form-urlencoded). */
export function asForm(content: TemplateContent): string {
  const form = new URLSearchParams();
  for (const { name, value } of content) form.append(name, value);
  return form.toString();
}
