import type { webhookSecret } from '@morsel/api/admin/notification/webhook-secret.ts';
import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { NotificationContent } from '../../core/notification/notification.ts';
import { sampleOf } from '../../core/notification/sample.ts';
import { keyOfSecret, makeSecret, secretBytes } from '../../core/notification/signature.ts';
import { changeTemplate } from '../../core/notification/template-change.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import { expireNotifications } from '../../flow/notification/expire.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import type { Reader } from '../../store/reader.ts';
import { accountNamed } from '../account/known-account.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';
import { invalid } from '../../state/decide/decided.ts';
import { templateChangeOf, templateFieldOf, webhookSettingsOf } from './webhook-settings.ts';

/* The operator's actions on webhooks, and on undelivered notifications. */

/** The result of a test request. */
export interface Trial {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Whether the answer would have counted as an acknowledgement. */
  readonly isGood: boolean;
  /** The result in words. */
  readonly detail: string;
  readonly tookMs: number;
}

export interface WebhooksNeeds extends ChangeNeeds {
  readonly reader: Pick<Reader, 'ask'>;
  readonly snapshot: () => Snapshot;
  readonly notifier: Pick<Notifier, 'wake'>;
  readonly webhooks: { tryOut(webhook: Webhook, content: NotificationContent): Promise<Trial> };
}

/** The most dead letters that one commit replays. Other commits wait some milliseconds for such a commit. */
const replayMax = 500;
type Operations = typeof webhook.operations;
type Secrets = typeof webhookSecret.operations;
type Done<O> = Promise<Result<O, Rejection>>;

/** Makes a webhook. A secret that was generated is shown only in this answer. */
export async function addWebhook(
  needs: WebhooksNeeds,
  { account, secret: given, ...input }: InputOf<Operations['add']>,
): Done<{ readonly id: number; readonly secret: string }> {
  const settings = webhookSettingsOf(input);
  if (!settings.ok) return settings;
  const templateChange = templateChangeOf(input);
  if (!templateChange.ok) return templateChange;
  const template = templateChange.value ? changeTemplate(null, templateChange.value) : ok(null);
  if (!template.ok) return invalid(templateFieldOf(input), template.error);
  const secret = secretFrom(needs, given);
  if (!secret.ok) return secret;
  const { url, method, on: kinds, concurrency, allow: allowed } = input;
  const all = { url, method, kinds, number: null, keyword: null, concurrency, allowed, ...settings.value };
  const added = await change<'add-webhook'>(needs, {
    kind: 'add-webhook',
    at: needs.clock.now(),
    account,
    secret: secret.value,
    template: template.value,
    ...all,
  });
  return added.ok ? ok({ id: added.value.id, secret: secret.value }) : added;
}

/**
 * Changes the given settings of a webhook. Requests in progress still use the former settings. Waiting notifications
 * are tried soon.
 */
export async function setWebhook(needs: WebhooksNeeds, input: InputOf<Operations['set']>): Done<null> {
  const settings = webhookSettingsOf(input);
  if (!settings.ok) return settings;
  const template = templateChangeOf(input);
  if (!template.ok) return template;
  const set = await change<'set-webhook'>(needs, {
    kind: 'set-webhook',
    at: needs.clock.now(),
    webhook: input.webhook,
    settings: settings.value,
    template: template.value,
  });
  if (set.ok) {
    wake(needs, input.webhook);
    return set;
  }
  const { error } = set;
  const isOfTemplate = error.code === 'invalid_parameter' && error.field === 'template';
  return isOfTemplate ? invalid(templateFieldOf(input), error.detail) : set;
}

/** Makes waiting notifications due now, because the change may have corrected the reason why they failed. */
function wake({ snapshot, notifier }: WebhooksNeeds, id: number): void {
  const found = snapshot().webhooks.get(id);
  if (found?.status === 'active') void notifier.wake({ kind: 'webhook', account: found.account, webhook: id });
}

/** Pauses or resumes a webhook. After resume, waiting notifications are tried at once. */
export async function setWebhookStatus(needs: WebhooksNeeds, id: number, status: 'active' | 'paused'): Done<null> {
  const at = needs.clock.now();
  const set = await change<'set-webhook-status'>(needs, { kind: 'set-webhook-status', at, webhook: id, status });
  if (set.ok && status === 'active') wake(needs, id);
  return set;
}

/**
 * Removes a webhook. Notifications that wait for a removed webhook become dead letters, which can be replayed to
 * another webhook. After a crash, the next start continues this.
 */
export async function removeWebhook(
  needs: WebhooksNeeds,
  { webhook: id }: InputOf<Operations['remove']>,
): Done<AnswerOf<Operations['remove']>> {
  const at = needs.clock.now();
  const removed = await change<'remove-webhook'>(needs, { kind: 'remove-webhook', at, webhook: id });
  if (!removed.ok) return removed;
  for (let isMore = true; isMore;) isMore = await expireNotifications(needs, null);
  return ok({ id });
}

/**
 * Sends a sample event to a webhook. The event is of the given kind, or by default of the first kind that the webhook
 * gets.
 */
export async function testWebhook(
  needs: WebhooksNeeds,
  { webhook: id, kind: wanted }: InputOf<Operations['test']>,
): Done<AnswerOf<Operations['test']>> {
  const { webhooks, accounts } = needs.snapshot();
  const found = webhooks.get(id);
  const currency = found && accounts.get(found.account)?.currency;
  if (!found || currency === undefined) return missing(`there is no webhook ${id}`);
  const { kinds } = found;
  const kind = wanted ?? kinds[0] ?? 'inbound';
  if (!kinds.includes(kind)) {
    const more = [...kinds, kind].join(',');
    return invalid(
      'kind',
      `webhook ${id} gets ${kinds.join(', ')} and not ${kind}: name another kind, or use webhook set ${id} --on ${more}`,
    );
  }
  const trial = await needs.webhooks.tryOut(found, sampleOf(kind, { now: needs.clock.now(), currency }));
  return ok({ id, kind, ...trial, warning: stoppedWarning(found) });
}

/** The warning that a webhook gets no notifications because it is not active. */
export function stoppedWarning({ id, status }: Pick<Webhook, 'id' | 'status'>): string | undefined {
  return status === 'active'
    ? undefined
    : `webhook ${id} is ${status} and gets no notifications: use webhook resume ${id}`;
}

/** Adds a signing secret. A secret that was generated is shown only in this answer. */
export async function addWebhookSecret(
  needs: WebhooksNeeds,
  { webhook: id, secret: given }: InputOf<Secrets['add']>,
): Done<AnswerOf<Secrets['add']>> {
  const secret = secretFrom(needs, given);
  if (!secret.ok) return secret;
  const command = { kind: 'add-webhook-secret', at: needs.clock.now(), webhook: id, secret: secret.value } as const;
  const added = await change<'add-webhook-secret'>(needs, command);
  if (!added.ok) return added;
  wake(needs, id);
  return ok({ webhook: id, id: added.value.id, secret: secret.value });
}

/** The given secret, or a generated secret. Errors never quote a secret. */
function secretFrom({ random }: WebhooksNeeds, given: string | undefined): Result<string, Rejection> {
  if (given === undefined) return ok(makeSecret(random.bytes(secretBytes)));
  const key = keyOfSecret(given);
  return key.ok ? ok(given) : invalid('secret', key.error);
}

/** Removes a signing secret. */
export async function removeWebhookSecret(
  needs: WebhooksNeeds,
  { webhook: id, secret }: InputOf<Secrets['remove']>,
): Done<AnswerOf<Secrets['remove']>> {
  const at = needs.clock.now();
  const removed = await change<'remove-webhook-secret'>(needs, {
    kind: 'remove-webhook-secret',
    at,
    webhook: id,
    secret,
  });
  if (!removed.ok) return removed;
  wake(needs, id);
  return ok({ webhook: id, id: secret });
}

/** One step of a replay of some hundred dead letters. `next` in the answer is the `after` of the following step. */
export async function replayNotifications(
  needs: WebhooksNeeds,
  { after, all, ...input }: InputOf<Operations['replay']>,
): Done<AnswerOf<Operations['replay']>> {
  const { since = null, until = null, notification = null, kind = null } = input;
  const isNarrowed = Object.values(input).some((value) => value !== undefined);
  if (!isNarrowed && !all) return invalid('all', 'must be given if no other option says which dead letters to replay');
  if (isNarrowed && all)
    return invalid('all', 'must not be combined with other options that say which dead letters to replay');
  if (since !== null && until !== null && until <= since) return invalid('until', 'must be after since');
  const whose = await knownOwner(needs, input);
  if (!whose.ok) return whose;
  const done = await needs.journal.append<'replay-notifications'>({
    kind: 'replay-notifications',
    at: needs.clock.now(),
    wanted: { ...whose.value, notification, kind, since, until },
    after: Number(after),
    max: replayMax,
  });
  if (!done.ok) return done;
  const { webhooks, next, ...counts } = done.value;
  const stopped = webhooks.flatMap((each) => {
    const { status = 'active' } = needs.snapshot().webhooks.get(each) ?? {};
    return status === 'active' ? [] : [{ webhook: each, status }];
  });
  return ok({ ...counts, stopped, next: next === null ? null : String(next) });
}

/**
 * Finds the account and the webhook that own notifications. Unknown owners are refused, but removed webhooks still have
 * notifications.
 */
export async function knownOwner(
  { reader, snapshot }: Pick<WebhooksNeeds, 'reader' | 'snapshot'>,
  { account: wanted, webhook: id }: { readonly account?: string | undefined; readonly webhook?: number | undefined },
): Done<{ readonly account: number | null; readonly webhook: number | null }> {
  const account = accountNamed({ snapshot }, wanted);
  if (!account.ok) return account;
  const found = id === undefined ? undefined : await reader.ask('webhook', { webhook: id, isRemovedToo: true });
  if (found?.ok === false) return found;
  if (found && !found.value) return missing(`there is no webhook ${id}`);
  return ok({ account: account.value?.id ?? null, webhook: id ?? null });
}

function missing(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'does_not_exist', detail });
}
