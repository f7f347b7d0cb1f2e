/* Webhooks and their secrets, and what one group of commands does to them. */

import { notificationKinds } from '@morsel/api/values/notification.ts';
import type { NotificationKind, WebhookMethod, WebhookStatus } from '@morsel/api/values/notification.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Template } from '../../core/notification/template.ts';
import { ranges } from './account.ts';
import { integer, json, nullable, text, word } from './column.ts';
import type { NotificationRow } from './notification.ts';
import { nullableGroup, table } from './table.ts';
import type { RowOf } from './table.ts';

export const webhookTable = table('webhook', {
  key: ['id'],
  fixed: {
    id: integer,
    account: integer,
    url: text,
    method: word<WebhookMethod>(),
    /** In one order, however the operator named them. */
    kinds: json<readonly NotificationKind[]>({
      read: (stored: readonly string[]) => notificationKinds.filter((kind) => stored.includes(kind)),
    }),
    /** Of inbound messages, it gets only those to this number or prefix, or with this keyword; null for all. */
    number: nullableGroup({ kind: word<NumberKind>(), digits: text }),
    keyword: nullable(text),
    /** The receiver's names for our fields; null for our names. */
    template: nullable(json<Template>()),
    /** Requests to it at once. */
    concurrency: integer,
    /** Networks of private addresses that it may resolve to. */
    allowed: ranges,
    createdAt: integer,
  },
  moving: {
    status: word<WebhookStatus>(),
    /** When its present series of failures began; null after a success. */
    failingSince: nullable(integer),
    failedAt: nullable(integer),
    failure: nullable(text),
    removedAt: nullable(integer),
  },
});
export type WebhookRow = RowOf<typeof webhookTable>;

export const webhookSecretTable = table('webhook_secret', {
  key: ['id'],
  fixed: { id: integer, webhook: integer, createdAt: integer },
  // Empty once it is removed: a removed secret could only help a thief.
  moving: { secret: text, removedAt: nullable(integer) },
});
export type WebhookSecretRow = RowOf<typeof webhookSecretTable>;

/** Webhooks that one group has loaded and made. */
export class WebhookRows {
  readonly byId = new Map<number, WebhookRow>();
  /** The valid secrets of webhooks whose secrets a command names. */
  readonly secrets = new Map<number, WebhookSecretRow[]>();
  /** Webhooks with failures only: a success of any other needs no look at its row. */
  failing: ReadonlySet<number> = new Set();
  /** Notifications that wait for removed webhooks. */
  readonly swept: NotificationRow[] = [];
  /** Dead letters that a replay looks at, in order, each with what decides its destination. */
  readonly dead = new Map<ReplayKey, readonly DeadLetter[]>();
}

/** The command itself, as a unique key. */
type ReplayKey = object;

export interface DeadLetter {
  readonly row: NotificationRow;
  /** Set for an inbound message. */
  readonly about: { readonly receiver: string; readonly text: string | null } | undefined;
}
