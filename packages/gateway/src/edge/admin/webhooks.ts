import { noticeKinds, noticeStates } from '../../core/notice.ts';
import type { Rejection } from '../../core/rejection.ts';
import { ok, refused } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import { name, oneOf, optional, readFields, wholeNumber } from '../../flow/operator-fields.ts';
import type { Fields } from '../../flow/operator-fields.ts';
import { webhookId } from '../../flow/webhook-fields.ts';
import * as flow from '../../flow/webhooks.ts';
import type { WebhooksNeeds } from '../../flow/webhooks.ts';
import type { NoticeSummary, NoticeView } from '../../store/views/notice-list.ts';
import type { WebhookView } from '../../store/views/webhooks.ts';
import type { LastOutcome } from '../webhook/webhooks.ts';
import type { Json } from './exact-json.ts';
import { time, timeOrNull } from './present.ts';
import { askAccount, shown } from './questions.ts';
import type { Answer, QuestionNeeds } from './questions.ts';

/* What the operator asks of webhooks and notices, and does to them. */

export interface WebhookDoorNeeds extends QuestionNeeds, Omit<WebhooksNeeds, 'reader'> {
  readonly webhooks: WebhooksNeeds['webhooks'] & { last(webhook: number): LastOutcome | undefined };
}

const limitMax = 1_000;
const limitDefault = 50;
const noticeMax = Number.MAX_SAFE_INTEGER;
const noticeId = wholeNumber(1, noticeMax);

type Operation = (needs: WebhookDoorNeeds, fields: Fields) => Answer;

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
    return shown(await oneWebhook(needs, id), (webhook) => ({ ...showWebhook(needs, webhook), secret }));
  },
  setWebhook: async (needs, fields) => after(needs, await flow.setWebhook(needs, fields)),
  testWebhook: async (needs, fields) =>
    shown(await flow.testWebhook(needs, fields), (trial) => ({
      ...trial,
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
  notices: askNotices,
  notice: askNotice,
  replayNotices: async (needs, fields) =>
    shown(await flow.replayNotices(needs, fields), ({ replayed, left, next }) => ({
      replayed,
      left,
      next: next === null ? null : String(next),
    })),
} satisfies { readonly [name: string]: Operation };

async function after(needs: WebhookDoorNeeds, step: Result<{ id: number }, Rejection>): Answer {
  return step.ok ? askWebhook(needs, step.value.id) : step;
}

async function askWebhooks(needs: WebhookDoorNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  const found = await needs.reader.ask('webhooks', { account, webhook: null });
  return shown(found, (webhooks) => webhooks.map((webhook) => showWebhook(needs, webhook)));
}

async function askWebhook(needs: WebhookDoorNeeds, id: number): Answer {
  return shown(await oneWebhook(needs, id), (webhook) => showWebhook(needs, webhook));
}

async function oneWebhook(needs: WebhookDoorNeeds, id: number): Promise<Result<WebhookView, Rejection>> {
  const found = await needs.reader.ask('webhooks', { account: null, webhook: id });
  if (!found.ok) return found;
  const [webhook] = found.value;
  return webhook ? ok(webhook) : refused({ code: 'does_not_exist', detail: `there is no webhook ${id}` });
}

const noticeFields = {
  account: optional(name, null),
  webhook: optional(webhookId, null),
  state: optional(oneOf(noticeStates), null),
  kind: optional(oneOf(noticeKinds), null),
  before: optional(noticeId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** What accounts are told, the newest first and without texts, and where to go on as `before` if there may be more. */
async function askNotices(needs: WebhookDoorNeeds, fields: Fields): Answer {
  const read = readFields(noticeFields, fields);
  if (!read.ok) return read;
  const { account: wanted, webhook } = read.value;
  const owner = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  if (wanted !== null && !owner) {
    return refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
  }
  if (webhook !== null) {
    const known = await needs.reader.ask('webhooks', { account: null, webhook, isRemovedToo: true });
    if (!known.ok) return known;
    if (known.value.length === 0) return refused({ code: 'does_not_exist', detail: `there is no webhook ${webhook}` });
  }
  return shown(await needs.reader.ask('notices', { ...read.value, account: owner?.id ?? null }), (found) => ({
    notices: found.notices.map(showNotice),
    next: found.next === null ? null : String(found.next),
  }));
}

async function askNotice(needs: WebhookDoorNeeds, fields: Fields): Answer {
  const read = readFields({ notice: noticeId }, fields);
  if (!read.ok) return read;
  const { notice } = read.value;
  const found = await needs.reader.ask('notice', notice);
  if (!found.ok) return found;
  return found.value
    ? ok(showOneNotice(found.value))
    : refused({ code: 'does_not_exist', detail: `there is no notice ${notice}` });
}

/** Never what signs, nor the values of constants. The query of its address may be a key: it is not shown whole. */
function showWebhook({ webhooks }: WebhookDoorNeeds, webhook: WebhookView): { readonly [member: string]: Json } {
  const last = webhooks.last(webhook.id);
  const { template, number } = webhook;
  return {
    id: String(webhook.id),
    account: webhook.accountName,
    url: withoutQuery(webhook.url),
    method: webhook.method,
    on: [...webhook.kinds],
    number: number?.kind === 'number' ? number.digits : null,
    prefix: number?.kind === 'prefix' ? number.digits : null,
    keyword: webhook.keyword,
    fields: template && template.fields.map(({ name: theirs, field }) => `${theirs}=${field}`),
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

function showNotice(notice: NoticeSummary): { readonly [member: string]: Json } {
  return {
    id: String(notice.id),
    account: notice.account,
    kind: notice.kind,
    msgId: notice.msgId === null ? null : String(notice.msgId),
    event: notice.event,
    webhook: notice.webhook === null ? null : String(notice.webhook),
    bySession: notice.bySession,
    state: notice.state,
    due: timeOrNull(notice.due),
    tries: notice.tries,
    createdAt: time(notice.createdAt),
    endedAt: timeOrNull(notice.endedAt),
    triedBy: notice.triedBy,
    outcome: notice.outcome,
  };
}

function showOneNotice(notice: NoticeView): Json {
  return {
    ...showNotice(notice),
    replayedAt: timeOrNull(notice.replayedAt),
    failures: notice.failures.map(({ number, at, by, outcome }) => ({ try: number, at: time(at), by, outcome })),
  };
}
