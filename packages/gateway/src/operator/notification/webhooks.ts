import { notificationKinds } from '@morsel/api/values/notification.ts';
import type { NotificationContent } from '../../core/notification/notification.ts';
import type { NotificationKind } from '@morsel/api/values/notification.ts';
import { sampleOf } from '../../core/notification/sample.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import { makeSecret, secretBytes } from '../../core/notification/signature.ts';
import type { Reader } from '../../store/reader.ts';
import type { Replayed } from '../../store/commands/webhook.ts';
import type { AdministerNeeds } from '../administer.ts';
import { change } from '../administer.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import { flag, instant, invalid, name, oneOf, optional, readFields, wholeNumber } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { readNewWebhook, readWebhookChange, secretField, webhookId } from './webhook-fields.ts';

/* What the operator does to webhooks and to undelivered notifications. */

/** What came of a request that was only a trial. */
export interface Trial {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** It would have counted as an acknowledgement. */
  readonly isGood: boolean;
  /** In words. */
  readonly detail: string;
  readonly tookMs: number;
}

export interface WebhooksNeeds extends AdministerNeeds {
  readonly reader: Pick<Reader, 'ask'>;
  readonly snapshot: () => Snapshot;
  readonly notifier: Pick<Notifier, 'wake'>;
  readonly webhooks: { tryOut(webhook: Webhook, content: NotificationContent): Promise<Trial> };
}

/** Dead letters that one commit brings back: other commits wait some milliseconds for it. */
const replayMax = 500;
const sweepMax = 500;
const notificationMax = Number.MAX_SAFE_INTEGER;

/** Makes a webhook. This answer is the only place where a secret that we made is shown. */
export async function addWebhook(
  needs: WebhooksNeeds,
  fields: Fields,
): Promise<Result<{ id: number; secret: string }, Rejection>> {
  const read = readNewWebhook(fields);
  if (!read.ok) return read;
  const { account, settings } = read.value;
  const secret = read.value.secret ?? makeSecret(needs.random(secretBytes));
  const at = needs.clock.now();
  const added = await change<'add-webhook'>(needs, { kind: 'add-webhook', at, account, secret, ...settings });
  return added.ok ? ok({ id: added.value.id, secret }) : added;
}

/** Changes what is given of a webhook; what is under way to it ends as it began, and what waits for its next try is tried soon. */
export async function setWebhook(needs: WebhooksNeeds, fields: Fields): Promise<Result<{ id: number }, Rejection>> {
  const read = readWebhookChange(fields);
  if (!read.ok) return read;
  const at = needs.clock.now();
  const set = await change<'set-webhook'>(needs, { kind: 'set-webhook', at, ...read.value });
  if (!set.ok) return set;
  wake(needs, read.value.webhook);
  return ok({ id: read.value.webhook });
}

/** Has what waits for its next try be tried now: what made it fail may be mended. */
function wake({ snapshot, notifier }: WebhooksNeeds, id: number): void {
  const webhook = snapshot().webhooks.get(id);
  if (webhook?.status === 'active') void notifier.wake({ kind: 'webhook', account: webhook.account, webhook: id });
}

/** Tells it nothing until it is resumed; what there is to tell waits. */
export async function pauseWebhook(needs: WebhooksNeeds, fields: Fields): Promise<Result<{ id: number }, Rejection>> {
  return setStatus(needs, fields, 'paused');
}

/** Tells it at once what waits, whenever its next try would have been. */
export async function resumeWebhook(needs: WebhooksNeeds, fields: Fields): Promise<Result<{ id: number }, Rejection>> {
  const set = await setStatus(needs, fields, 'active');
  if (!set.ok) return set;
  wake(needs, set.value.id);
  return set;
}

async function setStatus(
  needs: WebhooksNeeds,
  fields: Fields,
  status: 'active' | 'paused',
): Promise<Result<{ id: number }, Rejection>> {
  const read = readFields({ webhook: webhookId }, fields);
  if (!read.ok) return read;
  const at = needs.clock.now();
  const set = await change<'set-webhook-status'>(needs, { kind: 'set-webhook-status', at, ...read.value, status });
  return set.ok ? ok({ id: read.value.webhook }) : set;
}

/** Removes a webhook: what waits for it is dead letters, which can be replayed to another. */
export async function removeWebhook(needs: WebhooksNeeds, fields: Fields): Promise<Result<{ id: string }, Rejection>> {
  const read = readFields({ webhook: webhookId }, fields);
  if (!read.ok) return read;
  const at = needs.clock.now();
  const removed = await change<'remove-webhook'>(needs, { kind: 'remove-webhook', at, ...read.value });
  if (!removed.ok) return removed;
  await sweepNotifications(needs);
  return ok({ id: String(read.value.webhook) });
}

/** Makes dead letters of what waits for webhooks that were removed: after a crash by the next start. */
export async function sweepNotifications({ journal, clock }: Pick<WebhooksNeeds, 'journal' | 'clock'>): Promise<void> {
  for (let isMore = true; isMore;) {
    const swept = await journal.append<'sweep-notifications'>({
      kind: 'sweep-notifications',
      at: clock.now(),
      max: sweepMax,
    });
    isMore = swept.ok && swept.value.isMore;
  }
}

/** Sends a made-up event of a kind that the webhook gets, its first one unless `kind` names another; what its receiver answers. */
export async function testWebhook(
  needs: WebhooksNeeds,
  fields: Fields,
): Promise<Result<Trial & { webhook: Webhook; kind: NotificationKind }, Rejection>> {
  const read = readFields({ webhook: webhookId, kind: optional(oneOf(notificationKinds), null) }, fields);
  if (!read.ok) return read;
  const { webhook: id } = read.value;
  const { webhooks, accounts } = needs.snapshot();
  const webhook = webhooks.get(id);
  const currency = webhook && accounts.get(webhook.account)?.currency;
  if (!webhook || currency === undefined) return missing(`there is no webhook ${id}`);
  const { kinds } = webhook;
  const kind = read.value.kind ?? kinds[0] ?? 'inbound';
  if (!kinds.includes(kind)) {
    const more = [...kinds, kind].join(',');
    return invalid(
      'kind',
      `webhook ${id} gets ${kinds.join(', ')} and not ${kind}: name what it gets, or change that with webhook set ${id} --on ${more}`,
    );
  }
  const trial = await needs.webhooks.tryOut(webhook, sampleOf(kind, { now: needs.clock.now(), currency }));
  return ok({ webhook, kind, ...trial });
}

/** From now on this secret signs, too. This answer is the only place where one that we made is shown. */
export async function addWebhookSecret(
  needs: WebhooksNeeds,
  fields: Fields,
): Promise<Result<{ webhook: string; id: string; secret: string }, Rejection>> {
  const read = readFields({ webhook: webhookId, secret: optional(secretField, null) }, fields);
  if (!read.ok) return read;
  const { webhook } = read.value;
  const secret = read.value.secret ?? makeSecret(needs.random(secretBytes));
  const at = needs.clock.now();
  const added = await change<'add-webhook-secret'>(needs, { kind: 'add-webhook-secret', at, webhook, secret });
  if (!added.ok) return added;
  wake(needs, webhook);
  return ok({ webhook: String(webhook), id: String(added.value.id), secret });
}

/** From now on this secret signs no more. */
export async function removeWebhookSecret(
  needs: WebhooksNeeds,
  fields: Fields,
): Promise<Result<{ webhook: string; id: string }, Rejection>> {
  const read = readFields({ webhook: webhookId, secret: webhookId }, fields);
  if (!read.ok) return read;
  const { webhook, secret } = read.value;
  const at = needs.clock.now();
  const removed = await change<'remove-webhook-secret'>(needs, { kind: 'remove-webhook-secret', at, ...read.value });
  if (!removed.ok) return removed;
  wake(needs, webhook);
  return ok({ webhook: String(webhook), id: String(secret) });
}

const replayFields = {
  notification: optional(wholeNumber(1, notificationMax), null),
  account: optional(name, null),
  webhook: optional(webhookId, null),
  kind: optional(oneOf(notificationKinds), null),
  since: optional(instant, null),
  until: optional(instant, null),
  /** Without any filter, this must be given. */
  all: optional(flag, false),
  after: optional(wholeNumber(0, notificationMax), 0),
};

/**
 * Has dead letters told again, some hundred at a time: `next` is where to go on, as `after`. At webhooks that are `stopped`
 * they wait until these are resumed.
 */
export async function replayNotifications(
  needs: WebhooksNeeds,
  fields: Fields,
): Promise<Result<Omit<Replayed, 'webhooks'> & { readonly stopped: readonly Webhook[] }, Rejection>> {
  const read = readFields(replayFields, fields);
  if (!read.ok) return read;
  const { account: wantedName, after, all, ...rest } = read.value;
  const isNarrowed = wantedName !== null || Object.values(rest).some((value) => value !== null);
  if (!isNarrowed && !all) return invalid('all', 'say which dead letters are meant, or that all are');
  if (isNarrowed && all) return invalid('all', 'say that all are meant, or which: give one of the two');
  const { since, until } = rest;
  if (since !== null && until !== null && until <= since) return invalid('until', 'it has to be after since');
  const account = [...needs.snapshot().accounts.values()].find((each) => each.name === wantedName);
  if (wantedName !== null && !account) return missing(`there is no account named ${wantedName}`);
  if (rest.webhook !== null) {
    // One that was removed has dead letters still.
    const known = await needs.reader.ask('webhooks', { account: null, webhook: rest.webhook, isRemovedToo: true });
    if (!known.ok) return known;
    if (known.value.length === 0) return missing(`there is no webhook ${rest.webhook}`);
  }
  const wanted = { ...rest, account: account?.id ?? null };
  const at = needs.clock.now();
  const done = await needs.journal.append<'replay-notifications'>({
    kind: 'replay-notifications',
    at,
    wanted,
    after,
    max: replayMax,
  });
  if (!done.ok) return done;
  const { webhooks, ...counts } = done.value;
  const told = webhooks.flatMap((id) => needs.snapshot().webhooks.get(id) ?? []);
  return ok({ ...counts, stopped: told.filter(({ status }) => status !== 'active') });
}

function missing(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'does_not_exist', detail });
}
