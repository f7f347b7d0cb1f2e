/* Commands about webhooks and their secrets. */

import { accountByName } from '../../tables/account.ts';
import { changeTemplate, type TemplateChange } from '../../../core/notification/template-change.ts';
import { areRivals, reasonAgainst, type Webhook, type WebhookMatch } from '../../../core/notification/webhook.ts';
import { parseWebhookUrl } from '../../../core/notification/webhook-url.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys, seal, unseal } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
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

/** The most webhooks of one account. Each inbound message is compared with all webhooks of its account. */
const webhooksMax = 100;
/** The most secrets of one webhook. A rotation needs two at once. */
const secretsMax = 5;

/** What the operator sets on a webhook. */
type WebhookSettings = Omit<Webhook, 'id' | 'account' | 'status' | 'secrets'>;

interface AddWebhook extends WebhookSettings {
  readonly at: Instant;
  /** By its name. */
  readonly account: string;
  readonly secret: string;
}

export const addWebhookCommand = {
  isSetting: true,
  reads(read: Reads, { account: name }: AddWebhook): void {
    const account = read.one(accountByName, name);
    if (!account) return;
    read.all(webhooksOfAccount, account.id);
    readKeys(read, account.id);
  },
  decide(rows: Rows, { at, account: name, secret, ...settings }: AddWebhook): Decided<{ readonly id: number }> {
    const account = rows.one(accountByName, name);
    if (!account) return missing(`there is no account named ${name}`);
    const others = rows.all(webhooksOfAccount, account.id);
    if (others.length >= webhooksMax) return conflict(`account ${account.name} has ${webhooksMax} webhooks already`);
    const checked = check(settings, others);
    if (!checked.ok) return checked;
    const { id } = rows.add(webhookTable, {
      ...checked.value,
      id: rows.nextId(webhookTable),
      account: account.id,
      status: 'active',
      createdAt: at,
      failingSince: null,
      failedAt: null,
      failure: null,
      removedAt: null,
    });
    addSecret(rows, account.id, { webhook: id, secret, at });
    return ok({ id });
  },
};

interface SetWebhook {
  readonly at: Instant;
  readonly webhook: number;
  readonly settings: Partial<Omit<WebhookSettings, 'template'>>;
  /** Undefined keeps the present one. */
  readonly template?: TemplateChange | undefined;
}

export const setWebhookCommand = {
  isSetting: true,
  reads(read: Reads, { webhook }: SetWebhook): void {
    const row = read.one(webhookById, webhook);
    if (row) read.all(webhooksOfAccount, row.account);
  },
  decide(rows: Rows, command: SetWebhook): Decided<null> {
    const row = webhookOf(rows, command.webhook);
    if (!row) return noWebhook(command.webhook);
    const template = command.template && changeTemplate(row.template, command.template);
    if (template?.ok === false)
      return refused({ code: 'invalid_parameter', field: 'template', detail: template.error });
    const changed = { ...row, ...command.settings, ...(template && { template: template.value }) };
    const others = rows.all(webhooksOfAccount, row.account).filter(({ id }) => id !== row.id);
    const checked = check(changed, others);
    if (!checked.ok) return checked;
    rewrite(row, checked.value);
    return ok(null);
  },
};

/** Disables a webhook, or enables it again. */
interface SetWebhookStatus {
  readonly at: Instant;
  readonly webhook: number;
  readonly status: WebhookStatus;
}

/** Changes the status of a webhook. When a webhook is enabled again, its former failures no longer count. */
export const setWebhookStatusCommand = {
  isSetting: true,
  reads(read: Reads, { webhook }: SetWebhookStatus): void {
    read.one(webhookById, webhook);
  },
  decide(rows: Rows, { webhook, status }: SetWebhookStatus): Decided<null> {
    const row = webhookOf(rows, webhook);
    if (!row) return noWebhook(webhook);
    row.status = status;
    if (status === 'active') row.failingSince = null;
    touch(row);
    return ok(null);
  },
};

/** `expire-notifications` handles what waits for it. */
interface RemoveWebhook {
  readonly at: Instant;
  readonly webhook: number;
}

export const removeWebhookCommand = {
  isSetting: true,
  reads: readSecrets,
  decide(rows: Rows, { webhook, at }: RemoveWebhook): Decided<null> {
    const row = webhookOf(rows, webhook);
    if (!row) return noWebhook(webhook);
    row.removedAt = at;
    touch(row);
    for (const secret of rows.all(secretsOfWebhook, webhook)) removeSecret(secret, at);
    return ok(null);
  },
};

interface AddWebhookSecret {
  readonly at: Instant;
  readonly webhook: number;
  readonly secret: string;
}

export const addWebhookSecretCommand = {
  isSetting: true,
  reads: readSecrets,
  decide(rows: Rows, { at, webhook, secret }: AddWebhookSecret): Decided<{ readonly id: number }> {
    const row = webhookOf(rows, webhook);
    if (!row) return noWebhook(webhook);
    const present = rows.all(secretsOfWebhook, webhook);
    if (present.length >= secretsMax) return conflict(`webhook ${webhook} has ${secretsMax} secrets: remove one first`);
    const isKnown = present.some((each) => openSecret(rows, row.account, each) === secret);
    if (isKnown) return exists(`webhook ${webhook} has this secret already`);
    return ok({ id: addSecret(rows, row.account, { webhook, secret, at }).id });
  },
};

interface RemoveWebhookSecret {
  readonly at: Instant;
  readonly webhook: number;
  /** Its number. */
  readonly secret: number;
}

export const removeWebhookSecretCommand = {
  isSetting: true,
  reads: readSecrets,
  decide(rows: Rows, { webhook, secret, at }: RemoveWebhookSecret): Decided<null> {
    if (!webhookOf(rows, webhook)) return noWebhook(webhook);
    const present = rows.all(secretsOfWebhook, webhook);
    const row = present.find(({ id }) => id === secret);
    if (!row) return missing(`webhook ${webhook} has no secret ${secret}`);
    if (present.length === 1)
      return inUse(`secret ${secret} is the only secret of webhook ${webhook}: add another secret first`);
    removeSecret(row, at);
    return ok(null);
  },
};

function readSecrets(read: Reads, { webhook }: RemoveWebhook): void {
  const row = read.one(webhookById, webhook);
  read.all(secretsOfWebhook, webhook);
  if (row) readKeys(read, row.account);
}

function addSecret(rows: Rows, account: number, { webhook, secret, at }: AddWebhookSecret): WebhookSecretRow {
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
