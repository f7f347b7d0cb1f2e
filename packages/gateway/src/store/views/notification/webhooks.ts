/* Views of webhooks. */

import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../../core/notification/webhook.ts';
import { integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { webhookFrom } from '../../sqlite/tables/webhook-tables.ts';
import type { Queries } from '../queries.ts';

/** Counts stop here. */
const countMax = 100_000;

/** The webhooks with their secrets, for a snapshot. */
export function readWebhookSettings(queries: Queries): Webhook[] {
  const secrets = Map.groupBy(
    queries.all('select webhook, secret from webhook_secret where removed_at is null order by id desc'),
    (row) => integer(row, 'webhook'),
  );
  return queries.all('select * from webhook where removed_at is null').map((row) => {
    const webhook = webhookFrom(row);
    return { ...webhook, secrets: (secrets.get(webhook.id) ?? []).map((each) => text(each, 'secret')) };
  });
}

export interface WebhookView extends Omit<Webhook, 'secrets'> {
  readonly accountName: string;
  /** The numbers of the valid secrets. */
  readonly secrets: readonly SecretView[];
  readonly createdAt: Instant;
  readonly failingSince: Instant | null;
  readonly failedAt: Instant | null;
  readonly failure: string | null;
  /** Counted up to the limit. */
  readonly waiting: number;
  readonly dead: number;
}

interface SecretView {
  readonly id: number;
  readonly createdAt: Instant;
}

export interface WebhooksInput {
  readonly account: string | null;
  readonly webhook: number | null;
  readonly isRemovedToo?: boolean;
}

/** The webhooks of an account, or one, or all. */
export function readWebhooks(queries: Queries, { account, webhook, isRemovedToo }: WebhooksInput): WebhookView[] {
  return queries
    .all(
      `select webhook.*, account.name as account_name from webhook join account on account.id = webhook.account
        where (removed_at is null or ?3) and (?1 is null or account.name = ?1) and (?2 is null or webhook.id = ?2)
        order by account.name, webhook.id`,
      account,
      webhook,
      isRemovedToo === true ? 1 : 0,
    )
    .map((row) => webhookViewFrom(queries, row));
}

function webhookViewFrom(queries: Queries, row: Record): WebhookView {
  const webhook = webhookFrom(row);
  const count = (where: string) =>
    integer(
      queries.get(
        `select count(*) as n from (select 1 from notification where webhook = ? and ${where} limit ${countMax})`,
        webhook.id,
      ) ?? {},
      'n',
    );
  const secrets = queries.all(
    'select id, created_at from webhook_secret where webhook = ? and removed_at is null order by id',
    webhook.id,
  );
  return {
    ...webhook,
    accountName: text(row, 'account_name'),
    secrets: secrets.map((each) => ({ id: integer(each, 'id'), createdAt: integer(each, 'created_at') })),
    createdAt: integer(row, 'created_at'),
    failingSince: integerOrNull(row, 'failing_since'),
    failedAt: integerOrNull(row, 'failed_at'),
    failure: textOrNull(row, 'failure'),
    waiting: count('due is not null'),
    dead: count("state = 'dead'"),
  };
}
