/* Decisions of the operations on webhooks and their secrets. */

import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { keyOfSecret } from '../../../core/notification/signature.ts';
import { areRivals, reasonAgainst, type WebhookMatch } from '../../../core/notification/webhook.ts';
import { parseWebhookUrl } from '../../../core/notification/webhook-url.ts';
import { noAccount, noWebhook } from '../../../core/named.ts';
import { seal, unseal } from '../../rows/keys.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { accountByName } from '../../tables/account.ts';
import {
  secretsOfWebhook,
  webhookById,
  webhooksOfAccount,
  webhookSecretTable,
  webhookTable,
  type WebhookRow,
  type WebhookSecretRow,
} from '../../tables/webhook.ts';
import { conflict, exists, inUse, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import {
  changedTemplate,
  templateChangeOf,
  webhookSettingsOf,
  type ReadWebhookNumber,
  type WebhookSettings,
} from './webhook-settings.ts';

/** The most webhooks of one account. Each inbound message is compared with all webhooks of its account. */
const webhooksMax = 100;
/** The most secrets of one webhook. A rotation needs two at once. */
const secretsMax = 5;

interface MadeWebhook {
  /** A generated secret, for a request that has none. */
  readonly secret: string;
  readonly number: ReadWebhookNumber;
}

/** Only this answer ever shows the secret. */
const add: Decision<'webhook.add', MadeWebhook> = (rows, input, { at, made }) => {
  const given = webhookSettingsOf(input, made.number);
  if (!given.ok) return given;
  const change = templateChangeOf(input);
  if (!change.ok) return change;
  const template = changedTemplate(null, input, change.value);
  if (!template.ok) return template;
  const secret = secretFrom(input, made.secret);
  if (!secret.ok) return secret;
  const account = rows.one(accountByName, input.account);
  if (!account) return noAccount(input.account);
  const others = rows.all(webhooksOfAccount, account.id);
  if (others.length >= webhooksMax) return conflict(`account ${account.name} has ${webhooksMax} webhooks already`);
  const { url, method, on: kinds, concurrency, allow: allowed } = input;
  const all = { url, method, kinds, number: null, keyword: null, concurrency, allowed, ...given.value };
  const checked = check(all, others);
  if (!checked.ok) return checked;
  const { id } = rows.add(webhookTable, {
    ...checked.value,
    template: template.value ?? null,
    id: rows.nextId(webhookTable),
    account: account.id,
    status: 'active',
    createdAt: at,
    failingSince: null,
    failedAt: null,
    failure: null,
    removedAt: null,
  });
  addSecret(rows, account.id, { webhook: id, secret: secret.value, at });
  return ok({ shows: { webhook: id }, secret: secret.value });
};

/** Requests to the webhook that are in progress still use the former settings. */
const set: Decision<'webhook.set', ReadWebhookNumber> = (rows, input, { made }) => {
  const given = webhookSettingsOf(input, made);
  if (!given.ok) return given;
  const change = templateChangeOf(input);
  if (!change.ok) return change;
  const row = webhookOf(rows, input.webhook);
  if (!row) return noWebhook(input.webhook);
  const template = changedTemplate(row.template, input, change.value);
  if (!template.ok) return template;
  const others = rows.all(webhooksOfAccount, row.account).filter(({ id }) => id !== row.id);
  const checked = check({ ...row, ...given.value }, others);
  if (!checked.ok) return checked;
  rewrite(row, { ...checked.value, template: template.value });
  return ok(null);
};

/** Sets the status of a webhook. When it is enabled again, its former failures no longer count. */
function become(status: WebhookStatus): Decision<'webhook.pause' | 'webhook.resume'> {
  return (rows, { webhook }) => {
    const row = webhookOf(rows, webhook);
    if (!row) return noWebhook(webhook);
    row.status = status;
    if (status === 'active') row.failingSince = null;
    touch(row);
    return ok(null);
  };
}

/** Removes a webhook. The command `expire-notifications` handles the notifications that wait for it. */
const remove: Decision<'webhook.remove'> = (rows, { webhook: id }, { at }) => {
  const row = webhookOf(rows, id);
  if (!row) return noWebhook(id);
  row.removedAt = at;
  touch(row);
  for (const secret of rows.all(secretsOfWebhook, id)) removeSecret(secret, at);
  return ok({ id });
};

/** A secret that was generated is shown only in this answer. */
const addSecretTo: Decision<'webhookSecret.add', string> = (rows, input, { at, made }) => {
  const { webhook } = input;
  const secret = secretFrom(input, made);
  if (!secret.ok) return secret;
  const row = webhookOf(rows, webhook);
  if (!row) return noWebhook(webhook);
  const present = rows.all(secretsOfWebhook, webhook);
  if (present.length >= secretsMax) return conflict(`webhook ${webhook} has ${secretsMax} secrets: remove one first`);
  const isKnown = present.some((each) => openSecret(rows, row.account, each) === secret.value);
  if (isKnown) return exists(`webhook ${webhook} has this secret already`);
  const { id } = addSecret(rows, row.account, { webhook, secret: secret.value, at });
  return ok({ webhook, id, secret: secret.value });
};

const removeSecretFrom: Decision<'webhookSecret.remove'> = (rows, { webhook, secret: id }, { at }) => {
  if (!webhookOf(rows, webhook)) return noWebhook(webhook);
  const present = rows.all(secretsOfWebhook, webhook);
  const row = present.find((each) => each.id === id);
  if (!row) return missing(`webhook ${webhook} has no secret ${id}`);
  if (present.length === 1)
    return inUse(`secret ${id} is the only secret of webhook ${webhook}: add another secret first`);
  removeSecret(row, at);
  return ok({ webhook, id });
};

export const webhookDecisions = {
  'webhook.add': add,
  'webhook.set': set,
  'webhook.pause': become('paused'),
  'webhook.resume': become('active'),
  'webhook.remove': remove,
  'webhookSecret.add': addSecretTo,
  'webhookSecret.remove': removeSecretFrom,
};

/** The secret of the request, or the generated one. Errors never quote a secret. */
function secretFrom(
  { secret }: Pick<InputOf<OperationNamed<'webhookSecret.add'>>, 'secret'>,
  generated: string,
): Decided<string> {
  if (secret === undefined) return ok(generated);
  const key = keyOfSecret(secret);
  return key.ok ? ok(secret) : invalid('secret', key.error);
}

interface NewSecret {
  readonly at: Instant;
  readonly webhook: number;
  readonly secret: string;
}

function addSecret(rows: Rows, account: number, { webhook, secret, at }: NewSecret): WebhookSecretRow {
  const id = rows.nextId(webhookSecretTable);
  const sealed = seal(rows, { account, column: 'webhook_secret.secret', id }, secret);
  return rows.add(webhookSecretTable, { id, webhook, secret: sealed, createdAt: at, removedAt: null });
}

function openSecret(rows: Rows, account: number, { id, secret }: WebhookSecretRow): string | undefined {
  return secret ? unseal(rows, { account, column: 'webhook_secret.secret', id }, secret)?.toString() : undefined;
}

function removeSecret(row: WebhookSecretRow, at: Instant): void {
  row.removedAt ??= at;
  row.secret = null;
  touch(row);
}

function webhookOf(rows: Rows, id: number): WebhookRow | undefined {
  const row = rows.one(webhookById, id);
  return row?.removedAt === null ? row : undefined;
}

/** Checks the settings of a webhook. Returns them with the URL in its normal form. */
function check<S extends WebhookSettings>(settings: S, others: readonly WebhookMatch[]): Result<S, Rejection> {
  const url = parseWebhookUrl(settings.url, settings.allowed);
  if (!url.ok) return invalid('url', url.error);
  const reason = reasonAgainst(settings);
  if (reason !== undefined) return invalid('on', reason);
  const rival = others.find((other) => areRivals(settings, other));
  if (!rival) return ok({ ...settings, url: url.value.text });
  const both = rival.kinds.filter((kind) => settings.kinds.includes(kind)).join(' and ');
  return exists(`webhook ${rival.id} gets the same notifications (${both}): change or remove it first`);
}
