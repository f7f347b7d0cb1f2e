/* Views of webhooks. */

import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { numberText } from '../../../core/number/owners.ts';
import type { Webhook } from '../../../core/notification/webhook.ts';
import { integer, named, text } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { webhookSecretTable, webhookTable } from '../../../state/tables/webhook.ts';
import { eachOf, pageOf, type ListInput, type Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { openerOf } from '../sealed.ts';
import { Where } from '../where.ts';
import type { WebhookReachInput } from './webhook-reach.ts';

/** The highest number to which notifications are counted. */
const countMax = 100_000;

const { removedAt: _removed, ...members } = webhookTable.members;
const { createdAt: _made, failingSince: _since, failedAt: _at, failure: _failure, ...settings } = members;
const settingsShape = shape(settings);
const signingShape = shape(pick(webhookSecretTable, 'id', 'webhook', 'secret'));

export async function readWebhookSettings(queries: Queries): Promise<Webhook[]> {
  const present = 'select id, webhook, secret from webhook_secret where removed_at is null order by id desc';
  const secrets = Map.groupBy(await queries.rows(signingShape, present), ({ webhook: id }) => id);
  const rows = await queries.rows(settingsShape, 'select * from webhook where removed_at is null');
  return eachOf(rows, async (row) => {
    const open = await openerOf(queries, row.account);
    const opened = (secrets.get(row.id) ?? []).map(
      ({ id, secret }) => secret && open({ column: 'webhook_secret.secret', id }, secret)?.toString(),
    );
    return { ...row, secrets: opened.filter((secret) => typeof secret === 'string') };
  });
}

/** A webhook without its secrets and the values of its constants. */
export type WebhookView = AnswerOf<typeof webhook.operations.pause> & {
  readonly match: WebhookReachInput['number'];
};

const rowShape = shape({ ...members, account: named('account_name', text) });
const secretShape = shape(pick(webhookSecretTable, 'id', 'createdAt'));

const columns =
  'select webhook.*, account.name as account_name from webhook join account on account.id = webhook.account';

export async function readWebhooks(
  queries: Queries,
  { account, after = '/0', limit }: ListInput & { readonly account: string | null },
): Promise<Page<WebhookView>> {
  const [name = '', id] = after.split('/');
  // A comparison of both columns at once would find no index: they are of two tables.
  const where = new Where('removed_at is null and account.name >= ?', name);
  where.and('(account.name > ? or webhook.id > ?)', name, Number(id)).given('account.name = ?', account);
  const rows = await queries.rows(
    rowShape,
    `${columns} ${where.sql} order by account.name, webhook.id limit ?`,
    ...where.values,
    limit + 1,
  );
  const page = pageOf(rows, limit, (row) => `${row.account}/${row.id}`);
  return { ...page, items: await eachOf(page.items, (row) => viewFrom(queries, row)) };
}

export async function readWebhook(
  queries: Queries,
  { webhook: id, isRemovedToo = false }: { readonly webhook: number; readonly isRemovedToo?: boolean },
): Promise<WebhookView | undefined> {
  const wanted = `${columns} where webhook.id = ? and (removed_at is null or ? = 1)`;
  const row = await queries.row(rowShape, wanted, id, isRemovedToo ? 1 : 0);
  return row && (await viewFrom(queries, row));
}

async function viewFrom(queries: Queries, row: ShapeOf<typeof rowShape>): Promise<WebhookView> {
  const { kinds, number, template, allowed, failedAt: lastAt, failure: lastOutcome, ...shown } = row;
  const count = async (where: string) =>
    (await queries.value(
      integer,
      `select count(*) from (select 1 from notification where webhook = ? and ${where} limit ${countMax}) as counted`,
      row.id,
    )) ?? 0;
  return {
    ...shown,
    url: withoutQuery(row.url),
    on: kinds,
    number: number?.kind === 'number' ? numberText(number) : null,
    prefix: number?.kind === 'prefix' ? numberText(number) : null,
    match: number,
    fields: template?.fields.length ? template.fields.map(({ name: theirs, field }) => `${theirs}=${field}`) : 'any',
    constants: template && template.constants.map(({ name: theirs }) => theirs),
    allow: allowed,
    waiting: await count('due is not null'),
    dead: await count("state = 'dead'"),
    lastAt,
    lastOutcome,
    secrets: await queries.rows(
      secretShape,
      'select id, created_at from webhook_secret where webhook = ? and removed_at is null order by id',
      row.id,
    ),
  };
}

/** The query of a URL may contain a secret key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}
