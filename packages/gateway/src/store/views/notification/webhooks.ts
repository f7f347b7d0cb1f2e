/* Views of webhooks. */

import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { numberText } from '../../../core/number/owners.ts';
import type { Webhook } from '../../../core/notification/webhook.ts';
import { integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { webhookFrom } from '../../sqlite/tables/webhook-tables.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { WebhookReachInput } from './webhook-reach.ts';

/** The highest number to which notifications are counted. */
const countMax = 100_000;

/** Reads all webhooks with their secrets, for the snapshot. */
export function readWebhookSettings(queries: Queries): Webhook[] {
  const secrets = Map.groupBy(
    queries.all('select webhook, secret from webhook_secret where removed_at is null order by id desc'),
    (row) => integer(row, 'webhook'),
  );
  return queries.all('select * from webhook where removed_at is null').map((row) => {
    const settings = webhookFrom(row);
    return { ...settings, secrets: (secrets.get(settings.id) ?? []).map((each) => text(each, 'secret')) };
  });
}

/** A webhook as the operator sees it, without its secrets and the values of its constants. */
export type WebhookView = AnswerOf<typeof webhook.operations.pause> & {
  /** The number or prefix that inbound messages must have. */
  readonly match: WebhookReachInput['number'];
};

const columns =
  'select webhook.*, account.name as account_name from webhook join account on account.id = webhook.account';

/** Reads the webhooks of an account, or of all accounts, in the order of account names and ids. */
export function readWebhooks(
  queries: Queries,
  { account, after = '/0', limit }: ListInput & { readonly account: string | null },
): Page<WebhookView> {
  const [name = '', id] = after.split('/');
  const rows = queries.all(
    `${columns} where removed_at is null and (?1 is null or account.name = ?1) and (account.name, webhook.id) > (?2, ?3)
      order by account.name, webhook.id limit ?4`,
    account,
    name,
    Number(id),
    limit + 1,
  );
  const page = pageOf(rows, limit, (row) => `${text(row, 'account_name')}/${integer(row, 'id')}`);
  return { ...page, items: page.items.map((row) => viewFrom(queries, row)) };
}

/** Reads one webhook; undefined if it does not exist. */
export function readWebhook(
  queries: Queries,
  { webhook: id, isRemovedToo = false }: { readonly webhook: number; readonly isRemovedToo?: boolean },
): WebhookView | undefined {
  const row = queries.get(`${columns} where webhook.id = ? and (removed_at is null or ?)`, id, isRemovedToo ? 1 : 0);
  return row && viewFrom(queries, row);
}

function viewFrom(queries: Queries, row: Record): WebhookView {
  const { kinds, number, template, allowed, ...settings } = webhookFrom(row);
  const count = (where: string) =>
    integer(
      queries.get(
        `select count(*) as n from (select 1 from notification where webhook = ? and ${where} limit ${countMax})`,
        settings.id,
      ) ?? {},
      'n',
    );
  const secrets = queries.all(
    'select id, created_at from webhook_secret where webhook = ? and removed_at is null order by id',
    settings.id,
  );
  return {
    ...settings,
    account: text(row, 'account_name'),
    url: withoutQuery(settings.url),
    on: kinds,
    number: number?.kind === 'number' ? numberText(number) : null,
    prefix: number?.kind === 'prefix' ? numberText(number) : null,
    match: number,
    fields: template?.fields.length ? template.fields.map(({ name: theirs, field }) => `${theirs}=${field}`) : 'any',
    constants: template && template.constants.map(({ name: theirs }) => theirs),
    allow: allowed,
    waiting: count('due is not null'),
    dead: count("state = 'dead'"),
    failingSince: integerOrNull(row, 'failing_since'),
    lastAt: integerOrNull(row, 'failed_at'),
    lastOutcome: textOrNull(row, 'failure'),
    secrets: secrets.map((each) => ({ id: integer(each, 'id'), createdAt: integer(each, 'created_at') })),
    createdAt: integer(row, 'created_at'),
  };
}

/** Removes the query of a URL, because it may contain a secret key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}
