/* Decides commands about webhooks and their secrets, and disables a webhook after too many failures. */

import { accountByName } from '../../tables/account.ts';
import { changeTemplate } from '../../../core/notification/template-change.ts';
import { areRivals, failingMaxMs, reasonAgainst } from '../../../core/notification/webhook.ts';
import type { WebhookMatch } from '../../../core/notification/webhook.ts';
import { parseWebhookUrl } from '../../../core/notification/webhook-url.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { NotificationTried } from '../../commands/notification.ts';
import { rewrite, touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import type {
  AddWebhook,
  AddWebhookSecret,
  RemoveWebhook,
  RemoveWebhookSecret,
  SetWebhook,
  SetWebhookStatus,
  WebhookSettings,
} from '../../commands/webhook.ts';
import type { WebhookRow, WebhookSecretRow } from '../../tables/webhook.ts';
import { raise } from './alert.ts';
import { conflict, exists, inUse, missing } from '../decided.ts';
import type { Decided } from '../decided.ts';
import type { Results } from '../../commands/commands.ts';

/** The most webhooks of one account. Each inbound message is compared with all webhooks of its account. */
const webhooksMax = 100;
/** The most secrets of one webhook. A rotation needs two at once. */
const secretsMax = 5;

export function decideAddWebhook(rows: Rows, command: AddWebhook): Decided<Results['add-webhook']> {
  const account = rows.one(accountByName, command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  const { kind: _kind, at, account: _name, secret, ...settings } = command;
  const id = rows.counters.webhook;
  const others = othersOf(rows, account.id, id);
  if (others.length >= webhooksMax) return conflict(`account ${account.name} has ${webhooksMax} webhooks already`);
  const checked = check(settings, others);
  if (!checked.ok) return checked;
  rows.counters.webhook += 1;
  rows.webhooks.byId.set(id, {
    change: 'new',
    ...checked.value,
    id,
    account: account.id,
    status: 'active',
    createdAt: at,
    failingSince: null,
    failedAt: null,
    failure: null,
    removedAt: null,
  });
  rows.webhooks.secrets.set(id, [newSecret(rows, { webhook: id, secret, at })]);
  rows.notifications.haveDestinationsChanged = true;
  return ok({ id });
}

export function decideSetWebhook(rows: Rows, command: SetWebhook): Decided<Results['set-webhook']> {
  const row = webhookOf(rows, command.webhook);
  if (!row) return noWebhook(command.webhook);
  const template = command.template && changeTemplate(row.template, command.template);
  if (template?.ok === false) return refused({ code: 'invalid_parameter', field: 'template', detail: template.error });
  const changed = { ...row, ...command.settings, ...(template && { template: template.value }) };
  const checked = check(changed, othersOf(rows, row.account, row.id));
  if (!checked.ok) return checked;
  rewrite(row, checked.value);
  rows.notifications.haveDestinationsChanged = true;
  return ok(null);
}

/** Changes the status of a webhook. When a webhook is enabled again, its former failures no longer count. */
export function decideSetWebhookStatus(rows: Rows, command: SetWebhookStatus): Decided<Results['set-webhook-status']> {
  const row = webhookOf(rows, command.webhook);
  if (!row) return noWebhook(command.webhook);
  row.status = command.status;
  if (command.status === 'active') row.failingSince = null;
  touch(row);
  return ok(null);
}

export function decideRemoveWebhook(rows: Rows, command: RemoveWebhook): Decided<Results['remove-webhook']> {
  const row = webhookOf(rows, command.webhook);
  if (!row) return noWebhook(command.webhook);
  row.removedAt = command.at;
  touch(row);
  rows.notifications.haveDestinationsChanged = true;
  for (const secret of rows.webhooks.secrets.get(row.id) ?? []) removeSecret(secret, command.at);
  return ok(null);
}

export function decideAddWebhookSecret(rows: Rows, command: AddWebhookSecret): Decided<Results['add-webhook-secret']> {
  const secrets = secretsOf(rows, command.webhook);
  if (!secrets) return noWebhook(command.webhook);
  const { at, webhook, secret } = command;
  const present = secrets.filter(({ removedAt }) => removedAt === null);
  if (present.length >= secretsMax) return conflict(`webhook ${webhook} has ${secretsMax} secrets: remove one first`);
  if (present.some((each) => each.secret === secret)) return exists(`webhook ${webhook} has this secret already`);
  const row = newSecret(rows, { webhook, secret, at });
  secrets.push(row);
  return ok({ id: row.id });
}

export function decideRemoveWebhookSecret(
  rows: Rows,
  command: RemoveWebhookSecret,
): Decided<Results['remove-webhook-secret']> {
  const { webhook, secret, at } = command;
  const present = secretsOf(rows, webhook)?.filter(({ removedAt }) => removedAt === null);
  if (!present) return noWebhook(webhook);
  const row = present.find(({ id }) => id === secret);
  if (!row) return missing(`webhook ${webhook} has no secret ${secret}`);
  if (present.length === 1)
    return inUse(`secret ${secret} is the only secret of webhook ${webhook}: add another secret first`);
  removeSecret(row, at);
  return ok(null);
}

function newSecret(rows: Rows, { webhook, secret, at }: Omit<AddWebhookSecret, 'kind'>): WebhookSecretRow {
  return { change: 'new', id: rows.counters.webhookSecret++, webhook, secret, createdAt: at, removedAt: null };
}

function removeSecret(row: WebhookSecretRow, at: Instant): void {
  row.removedAt ??= at;
  row.secret = '';
  touch(row);
}

/**
 * Records since when all tries to a webhook have failed. If that is too long, or the receiver answered that it is gone,
 * disables the webhook and returns it.
 */
export function noteHealth(rows: Rows, command: NotificationTried): WebhookRow | undefined {
  const row = command.webhook === undefined ? undefined : webhookOf(rows, command.webhook);
  if (!row) return undefined;
  const { at, isDelivered, detail, isHeld } = command;
  if (isDelivered) {
    if (row.failingSince !== null) touch(row);
    row.failingSince = null;
    return undefined;
  }
  row.failingSince ??= at;
  row.failedAt = at;
  row.failure = detail;
  touch(row);
  const hasFailedLong = isHeld !== true && at - row.failingSince >= failingMaxMs;
  const status = command.isGone ? 'off' : hasFailedLong ? 'paused' : undefined;
  if (status === undefined || row.status !== 'active') return undefined;
  row.status = status;
  const { id, account } = row;
  raise(rows, { kind: status === 'off' ? 'webhook-off' : 'webhook-paused', account, at, webhook: id });
  return row;
}

function webhookOf(rows: Rows, id: number): WebhookRow | undefined {
  const row = rows.webhooks.byId.get(id);
  return row?.removedAt === null ? row : undefined;
}

function secretsOf(rows: Rows, webhook: number) {
  return webhookOf(rows, webhook) ? rows.webhooks.secrets.get(webhook) : undefined;
}

/** The other webhooks of the account, with the changes by earlier commands of the same commit. */
function othersOf(rows: Rows, account: number, id: number): WebhookMatch[] {
  const others = new Map((rows.notifications.destinations.get(account)?.webhooks ?? []).map((each) => [each.id, each]));
  for (const row of rows.webhooks.byId.values()) {
    if (row.removedAt !== null) others.delete(row.id);
    else if (row.account === account) others.set(row.id, row);
  }
  others.delete(id);
  return [...others.values()];
}

/** Checks the settings of a webhook. Returns them with the URL in its normal form. */
function check<S extends WebhookSettings>(settings: S, others: readonly WebhookMatch[]): Result<S, Rejection> {
  const url = parseWebhookUrl(settings.url, settings.allowed);
  if (!url.ok) return refused({ code: 'invalid_parameter', field: 'url', detail: url.error });
  const reason = reasonAgainst(settings);
  if (reason !== undefined) return refused({ code: 'invalid_parameter', field: 'on', detail: reason });
  const rival = others.find((other) => areRivals(settings, other));
  if (!rival) return ok({ ...settings, url: url.value.text });
  const both = rival.kinds.filter((kind) => settings.kinds.includes(kind)).join(' and ');
  return exists(`webhook ${rival.id} gets the same notifications (${both}): change or remove it first`);
}

function noWebhook(id: number): { ok: false; error: Rejection } {
  return missing(`there is no webhook ${id}`);
}
