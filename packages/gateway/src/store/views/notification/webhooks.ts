/* Views of webhooks. */

import { ok } from '@morsel/api/values/result.ts';
import { numberText } from '../../../core/number/owners.ts';
import {
  callbacksAtOnce,
  stoppedWarning,
  type OutwardCalls,
  type Webhook,
} from '../../../core/notification/webhook.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { integer, named, text } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { webhookSecretTable, webhookTable } from '../../../state/tables/webhook.ts';
import { accountIdOf } from '../account/ids-of-names.ts';
import { eachOf, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import { openerOf } from '../sealed.ts';
import { Where } from '../where.ts';
import type { View } from '../view.ts';
import { readWebhookReach, unreachedWarning } from './webhook-reach.ts';
import { noWebhook } from '../../../core/named.ts';

/** Notifications are counted up to this number. */
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

const callbacksShape = shape(pick(accountTable, 'id', 'callbackAllow', 'callbackSecret'));

export async function readCallbackSettings(queries: Queries): Promise<OutwardCalls[]> {
  const where = "where callback_secret is not null and status <> 'removed'";
  const rows = await queries.rows(callbacksShape, `select id, callback_allow, callback_secret from account ${where}`);
  return eachOf(rows, async ({ id: account, callbackAllow: allowed, callbackSecret: secret }) => {
    const open = await openerOf(queries, account);
    const opened = secret && open({ column: 'account.callback_secret', id: account }, secret)?.toString();
    return { account, concurrency: callbacksAtOnce, allowed, secrets: opened ? [opened] : [] };
  });
}

const rowShape = shape({ ...members, account: named('account_name', text) });
type Row = ShapeOf<typeof rowShape>;
const secretShape = shape(pick(webhookSecretTable, 'id', 'createdAt'));

const columns =
  'select webhook.*, account.name as account_name from webhook join account on account.id = webhook.account';

const list: View<'webhook.list'> = async (queries, { account, after = '/0', limit }) => {
  const known = await accountIdOf(queries, account);
  if (!known.ok) return known;
  const [name = '', id] = after.split('/');
  // One comparison of both columns would use no index, because they are of two tables.
  const where = new Where('removed_at is null and account.name >= ?', name);
  where.and('(account.name > ? or webhook.id > ?)', name, Number(id)).given('account.name = ?', account);
  const rows = await queries.rows(
    rowShape,
    `${columns} ${where.sql} order by account.name, webhook.id limit ?`,
    ...where.values,
    limit + 1,
  );
  const page = pageOf(rows, limit, (row) => `${row.account}/${row.id}`);
  return ok({ ...page, items: await eachOf(page.items, (row) => shownRow(queries, row)) });
};

/**
 * Warns of a webhook that gets no inbound messages with the current numbers and keywords. A webhook for an unknown number or
 * keyword is not refused, because the operator may add the number or keyword later.
 */
const show: View<'webhook.show'> = async (queries, { webhook: id }) => {
  const row = await presentRow(queries, id);
  if (!row) return noWebhook(id);
  const { number, keyword, account } = row;
  const reach =
    number === null && keyword === null ? 'reached' : await readWebhookReach(queries, { account, number, keyword });
  const warnings = [stoppedWarning(row), reach === 'reached' ? undefined : unreachedWarning(row, reach)];
  const warning = warnings.filter((each) => each !== undefined).join('; ') || undefined;
  return ok({ ...(await shownRow(queries, row)), warning });
};

const listSecrets: View<'webhookSecret.list'> = async (queries, { webhook: id, after = '0', limit }) => {
  if (!(await presentRow(queries, id))) return noWebhook(id);
  const rest = (await secretsOf(queries, id)).filter((each) => each.id > Number(after));
  return ok(pageOf(rest, limit, (each) => String(each.id)));
};

export const webhookViews = { 'webhook.list': list, 'webhook.show': show, 'webhookSecret.list': listSecrets };

function presentRow(queries: Queries, id: number): Promise<Row | undefined> {
  return queries.row(rowShape, `${columns} where webhook.id = ? and removed_at is null`, id);
}

/** A webhook's row without its secrets, and without the values of its constants. */
async function shownRow(queries: Queries, row: Row) {
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
    fields: template?.fields.length
      ? template.fields.map(({ name: theirs, field }) => `${theirs}=${field}`)
      : ('any' as const),
    constants: template && template.constants.map(({ name: theirs }) => theirs),
    allow: allowed,
    waiting: await count('due is not null'),
    dead: await count("state = 'dead'"),
    lastAt,
    lastOutcome,
    secrets: await secretsOf(queries, row.id),
  };
}

function secretsOf(queries: Queries, webhook: number): Promise<ShapeOf<typeof secretShape>[]> {
  return queries.rows(
    secretShape,
    'select id, created_at from webhook_secret where webhook = ? and removed_at is null order by id',
    webhook,
  );
}

/** A URL without its query, which may contain a secret key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}
