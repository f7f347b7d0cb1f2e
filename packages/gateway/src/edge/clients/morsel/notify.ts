/* Writes notifications for webhooks: their fields under the names of a template, as JSON, a form or a query. */

import type { ClientDialect, NotificationForm, WebhookRequest } from '../dialect.ts';
import type { MessageReport } from '../../../core/message/content.ts';
import type { NotificationContent } from '../../../core/notification/notification.ts';
import type { Template } from '../../../core/notification/template.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { typedText, type FieldTable, type Values } from '@morsel/api/fields/field.ts';
import { shapes } from '@morsel/api/shapes.ts';

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
  return applyTemplate(template, fieldsOf(notification, isTest));
}

interface NotificationField {
  readonly name: string;
  readonly value: string;
  readonly json: string;
}

/** The fields of a notification, in the order in which they are sent. */
export function fieldsOf(notification: NotificationContent, isTest = false): NotificationField[] {
  const test = isTest || null;
  switch (notification.kind) {
    case 'inbound': {
      const { kind: type, msgId, octets, header, receivedAt: receivedTime } = notification;
      const binary = { text: null, data: hex(octets), udh: hex(header) };
      const content = octets === null ? { text: notification.text } : binary;
      const own = { type, test, msgId: String(msgId), receivedTime, ...content };
      return written(shapes.InboundMessage, { ...notification, ...own });
    }
    case 'receipt':
      return written(shapes.ReceiptNotification, { ...reportOf(notification), type: notification.kind, test });
    case 'alert': {
      const { kind: type, balance: clientBalance, currency: clientCurrency, at: time } = notification;
      return written(shapes.AlertNotification, { ...notification, type, test, clientBalance, clientCurrency, time });
    }
  }
}

export function reportFields(report: MessageReport): NotificationField[] {
  return written(shapes.DeliveryReport, reportOf(report));
}

function reportOf(report: MessageReport) {
  return { ...report, msgId: String(report.msgId), dlrTime: report.eventAt };
}

/** Writes values by their declared fields. A field without a value is left out. */
function written<T extends FieldTable>(table: T, values: OrNull<Values<T>>): NotificationField[] {
  const row: { readonly [field: string]: unknown } = values;
  const fields: NotificationField[] = [];
  for (const name in table) {
    const value = row[name] ?? null;
    const json = value === null ? null : (table[name]?.json(value) ?? null);
    if (json !== null) fields.push({ name, value: typedText(json), json: writeJson(json) });
  }
  return fields;
}

type OrNull<T> = { readonly [K in keyof T]: T[K] | null };

function hex(octets: Uint8Array | null): string | null {
  return octets && Buffer.from(octets).toString('hex');
}

type TemplateContent = readonly NotificationField[];

/** A sample keeps its mark, the field `test`, even if the template leaves it out. */
export function applyTemplate(template: Template | null, fields: readonly NotificationField[]): TemplateContent {
  if (template === null) return fields;
  const { fields: named, constants } = template;
  const content: NotificationField[] = [];
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
