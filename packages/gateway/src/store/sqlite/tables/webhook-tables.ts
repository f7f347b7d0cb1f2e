/* Rows of webhooks and their secrets: reading and writing them. */

import { parseRange } from '@morsel/api/values/address-range.ts';
import { notificationKinds, webhookMethods, webhookStatuses } from '@morsel/api/values/notification.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import type { Webhook, WebhookMatch } from '../../../core/notification/webhook.ts';
import { parseTemplate, templateText } from '../../../core/notification/template.ts';
import type { Template } from '../../../core/notification/template.ts';
import type { WebhookRow, WebhookSecretRow } from '../../tables/webhook.ts';
import type { Rows } from '../../tables/rows.ts';
import { integer, integerOrNull, text, textOrNull } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

export function loadWebhook({ webhooks }: Rows, id: number, statements: Statements): void {
  if (webhooks.byId.has(id)) return;
  const row = statements.get('select * from webhook where id = ? and removed_at is null', id);
  if (row) webhooks.byId.set(id, webhookRowFrom(row));
}

export function writeWebhooks({ webhooks }: Rows, statements: Statements): void {
  for (const row of webhooks.byId.values()) if (row.change !== 'none') writeWebhook(row, statements);
  for (const list of webhooks.secrets.values()) for (const row of list) writeSecret(row, statements);
}

function writeWebhook(row: WebhookRow, statements: Statements): void {
  const { webhook } = row;
  const settings = [
    webhook.url,
    webhook.method,
    webhook.kinds.join(','),
    webhook.number?.kind ?? null,
    webhook.number?.digits ?? null,
    webhook.keyword,
    webhook.template && templateText(webhook.template),
    webhook.concurrency,
    webhook.allowed.map((range) => range.text).join(','),
    webhook.status,
    row.failingSince,
    row.failedAt,
    row.failure,
    row.removedAt,
  ];
  if (row.change === 'new') {
    statements.run(
      `insert into webhook (url, method, kinds, number_kind, digits, keyword, template, concurrency, allowed, status,
        failing_since, failed_at, failure, removed_at, id, account, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...settings,
      webhook.id,
      webhook.account,
      row.createdAt,
    );
    return;
  }
  statements.run(
    `update webhook set url = ?, method = ?, kinds = ?, number_kind = ?, digits = ?, keyword = ?, template = ?,
      concurrency = ?, allowed = ?, status = ?, failing_since = ?, failed_at = ?, failure = ?, removed_at = ?
      where id = ?`,
    ...settings,
    webhook.id,
  );
}

function writeSecret(row: WebhookSecretRow, statements: Statements): void {
  const { id, webhook, secret, createdAt, removedAt } = row;
  if (row.change === 'new') {
    statements.run('insert into webhook_secret values (?, ?, ?, ?, ?)', id, webhook, secret, createdAt, removedAt);
  } else if (row.change === 'changed') {
    // A removed secret could only help a thief.
    statements.run("update webhook_secret set removed_at = ?, secret = '' where id = ?", removedAt, id);
  }
}

/** The match of a webhook, from its row. */
export function webhookMatchFrom(row: Record): WebhookMatch {
  const kinds = text(row, 'kinds').split(',');
  const kind = numberKinds.find((each) => each === row['number_kind']);
  return {
    id: integer(row, 'id'),
    kinds: notificationKinds.filter((each) => kinds.includes(each)),
    number: kind ? { kind, digits: text(row, 'digits') } : null,
    keyword: textOrNull(row, 'keyword'),
  };
}

export function webhookFrom(row: Record): Omit<Webhook, 'secrets'> {
  return {
    ...webhookMatchFrom(row),
    account: integer(row, 'account'),
    url: text(row, 'url'),
    method: webhookMethods.find((method) => method === row['method']) ?? 'post-json',
    template: templateFrom(textOrNull(row, 'template')),
    concurrency: integer(row, 'concurrency'),
    allowed: text(row, 'allowed')
      .split(',')
      .flatMap((range) => parseRange(range) ?? []),
    status: webhookStatuses.find((status) => status === row['status']) ?? 'paused',
  };
}

function templateFrom(stored: string | null): Template | null {
  const template = stored === null ? undefined : parseTemplate(JSON.parse(stored));
  return template?.ok ? template.value : null;
}

function webhookRowFrom(row: Record): WebhookRow {
  return {
    change: 'none',
    webhook: webhookFrom(row),
    createdAt: integer(row, 'created_at'),
    failingSince: integerOrNull(row, 'failing_since'),
    failedAt: integerOrNull(row, 'failed_at'),
    failure: textOrNull(row, 'failure'),
    removedAt: integerOrNull(row, 'removed_at'),
  };
}

export function secretRowFrom(row: Record): WebhookSecretRow {
  return {
    change: 'none',
    id: integer(row, 'id'),
    webhook: integer(row, 'webhook'),
    secret: text(row, 'secret'),
    createdAt: integer(row, 'created_at'),
    removedAt: integerOrNull(row, 'removed_at'),
  };
}
