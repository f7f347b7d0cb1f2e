/* Webhooks and their secrets. */

import type { WebhookMethod } from '@morsel/api/client-apis.ts';
import { notificationKinds, type NotificationKind, type WebhookStatus } from '@morsel/api/values/notification.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Template } from '../../core/notification/template.ts';
import { by } from './lookup.ts';
import { isThere, ranges } from './account.ts';
import { idOf, integer, json, nullable, sealed, text, within, word } from './column.ts';
import { nullableGroup, table, type RowOf } from './table.ts';

export const webhookTable = table('webhook', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: { webhook_account: { on: ['account'] } },
  fixed: {
    id: integer,
    account: idOf('account'),
    url: text,
    method: word<WebhookMethod>(),
    /** The kinds are sorted, so that equal lists compare equal. */
    kinds: json<readonly NotificationKind[]>({
      read: (stored: readonly string[]) => notificationKinds.filter((kind) => stored.includes(kind)),
    }),
    /** Only inbound messages to this number or prefix, or with this keyword, are sent to the webhook; null for all. */
    number: nullableGroup({ kind: word<NumberKind>(), digits: text }),
    keyword: nullable(text),
    /** The names that the webhook's receiver uses for our fields; null for our names. */
    template: nullable(json<Template>()),
    /** The most requests to the webhook at the same time. */
    concurrency: within({ min: 1, max: 1000 }, integer),
    /** Networks of private addresses that the webhook's host may resolve to. */
    allowed: ranges,
    createdAt: integer,
  },
  moving: {
    status: word<WebhookStatus>(),
    /** When the present series of failures began; null after a success. */
    failingSince: nullable(integer),
    failedAt: nullable(integer),
    failure: nullable(text),
    removedAt: nullable(integer),
  },
});
export type WebhookRow = RowOf<typeof webhookTable>;
export const webhookById = by(webhookTable, ['id']);
export const webhooksOfAccount = by(webhookTable, ['account'], isThere);

export const webhookSecretTable = table('webhook_secret', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: { webhook_secret_webhook: { on: ['webhook'] } },
  fixed: { id: integer, webhook: idOf('webhook'), createdAt: integer },
  // Null once the secret is removed, because nobody needs a removed secret but a thief.
  moving: { secret: nullable(sealed), removedAt: nullable(integer) },
});
export type WebhookSecretRow = RowOf<typeof webhookSecretTable>;
export const secretsOfWebhook = by(webhookSecretTable, ['webhook'], isThere);
