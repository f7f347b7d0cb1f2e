import { numberText } from '../../core/number/owners.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { name, optional, readFields } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import { webhookId } from '../../operator/notification/webhook-fields.ts';
import * as flow from '../../operator/notification/webhooks.ts';
import type { WebhooksNeeds } from '../../operator/notification/webhooks.ts';
import type { WebhookView } from '../../store/views/notification/webhooks.ts';
import type { LastOutcome } from '../webhook/webhooks.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { askNotification, askNotifications } from './notifications.ts';
import type { NotificationNeeds } from './notifications.ts';
import { time, timeOrNull } from './present.ts';
import { knownAccount } from './known-account.ts';
import { shown } from './questions.ts';
import type { Answer } from './answer.ts';
import { stoppedWarning, warningsOf } from './webhook-warnings.ts';

/* What the operator asks of webhooks, and does to them and to notifications. */

export interface WebhookApiNeeds extends NotificationNeeds, Omit<WebhooksNeeds, 'reader'> {
  readonly webhooks: WebhooksNeeds['webhooks'] & { last(webhook: number): LastOutcome | undefined };
}

type Operation = (needs: WebhookApiNeeds, fields: Fields) => Answer;

export const webhookOperations = {
  webhooks: askWebhooks,
  webhook: async (needs, fields) => {
    const read = readFields({ webhook: webhookId }, fields);
    return read.ok ? askWebhook(needs, read.value.webhook) : read;
  },
  addWebhook: async (needs, fields) => {
    const added = await flow.addWebhook(needs, fields);
    if (!added.ok) return added;
    const { id, secret } = added.value;
    return shown(await askOne(needs, id), (webhook) => ({ ...webhook, secret }));
  },
  setWebhook: async (needs, fields) => after(needs, await flow.setWebhook(needs, fields)),
  testWebhook: async (needs, fields) =>
    shown(await flow.testWebhook(needs, fields), ({ webhook, ...trial }) => ({
      id: String(webhook.id),
      ...trial,
      warnings: stoppedWarning(webhook),
      tookMs: String(trial.tookMs),
      status: trial.status === null ? null : String(trial.status),
    })),
  pauseWebhook: async (needs, fields) => after(needs, await flow.pauseWebhook(needs, fields)),
  resumeWebhook: async (needs, fields) => after(needs, await flow.resumeWebhook(needs, fields)),
  removeWebhook: flow.removeWebhook,
  webhookSecrets: async (needs, fields) => {
    const read = readFields({ webhook: webhookId }, fields);
    if (!read.ok) return read;
    return shown(await oneWebhook(needs, read.value.webhook), ({ secrets }) => secrets.map(showSecret));
  },
  addWebhookSecret: flow.addWebhookSecret,
  removeWebhookSecret: flow.removeWebhookSecret,
  notifications: askNotifications,
  notification: askNotification,
  replayNotifications: async (needs, fields) =>
    shown(await flow.replayNotifications(needs, fields), ({ replayed, left, stopped, next }) => ({
      replayed,
      left,
      stopped: stopped.map(({ id, status }) => ({ webhook: String(id), status })),
      next: next === null ? null : String(next),
    })),
} satisfies { readonly [name: string]: Operation };

async function after(needs: WebhookApiNeeds, step: Result<{ id: number }, Rejection>): Answer {
  return step.ok ? askWebhook(needs, step.value.id) : step;
}

async function askWebhooks(needs: WebhookApiNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owner = await knownAccount(needs, account ?? undefined);
  if (!owner.ok) return owner;
  const found = await needs.reader.ask('webhooks', { account, webhook: null });
  return shown(found, (webhooks) => webhooks.map((webhook) => showWebhook(needs, webhook)));
}

async function askWebhook(needs: WebhookApiNeeds, id: number): Answer {
  return askOne(needs, id);
}

async function askOne(
  needs: WebhookApiNeeds,
  id: number,
): Promise<Result<{ readonly [member: string]: Json }, Rejection>> {
  const found = await oneWebhook(needs, id);
  if (!found.ok) return found;
  const warnings = await warningsOf(needs.reader, found.value);
  return warnings.ok ? ok({ ...showWebhook(needs, found.value), warnings: warnings.value }) : warnings;
}

async function oneWebhook(needs: WebhookApiNeeds, id: number): Promise<Result<WebhookView, Rejection>> {
  const found = await needs.reader.ask('webhooks', { account: null, webhook: id });
  if (!found.ok) return found;
  const [webhook] = found.value;
  return webhook ? ok(webhook) : refused({ code: 'does_not_exist', detail: `there is no webhook ${id}` });
}

/** Never what signs, nor the values of constants. The query of its address may be a key: it is not shown whole. */
function showWebhook({ webhooks }: WebhookApiNeeds, webhook: WebhookView): { readonly [member: string]: Json } {
  const last = webhooks.last(webhook.id);
  const { template, number } = webhook;
  return {
    id: String(webhook.id),
    account: webhook.accountName,
    url: withoutQuery(webhook.url),
    method: webhook.method,
    on: [...webhook.kinds],
    number: number?.kind === 'number' ? numberText(number) : null,
    prefix: number?.kind === 'prefix' ? numberText(number) : null,
    keyword: webhook.keyword,
    fields: template?.fields.length ? template.fields.map(({ name: theirs, field }) => `${theirs}=${field}`) : 'any',
    constants: template && template.constants.map(({ name: theirs }) => theirs),
    concurrency: webhook.concurrency,
    allow: webhook.allowed.map(({ text }) => text),
    status: webhook.status,
    waiting: webhook.waiting,
    dead: webhook.dead,
    failingSince: timeOrNull(webhook.failingSince),
    lastAt: last ? time(last.at) : timeOrNull(webhook.failedAt),
    lastOutcome: last ? outcomeOf(last) : webhook.failure,
    secrets: webhook.secrets.map(showSecret),
    createdAt: time(webhook.createdAt),
  };
}

function outcomeOf({ outcome }: LastOutcome): string | null {
  return outcome.kind === 'untried' ? null : outcome.detail;
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}

function showSecret(secret: WebhookView['secrets'][number]): Json {
  return { id: String(secret.id), createdAt: time(secret.createdAt) };
}
