import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { numberText } from '../../../../core/number/owners.ts';
import {
  addWebhook,
  addWebhookSecret,
  removeWebhook,
  removeWebhookSecret,
  replayNotifications,
  setWebhook,
  setWebhookStatus,
  stoppedWarning,
  testWebhook,
} from '../../../../operator/notification/webhooks.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { WebhookReach } from '../../../../store/views/notification/webhook-reach.ts';
import type { WebhookView } from '../../../../store/views/notification/webhooks.ts';
import type { Handlers } from '../../bind.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of webhooks and their secrets. An operation that changes a webhook returns its new state. */

export const webhookHandlers: Handlers<'webhook'> = {
  add: async (needs, input) => {
    const added = await addWebhook(needs, input);
    if (!added.ok) return added;
    const { id, secret } = added.value;
    const found = await warned(needs, id);
    return found.ok ? ok({ ...found.value, secret }) : found;
  },
  set: async (needs, input) => {
    const set = await setWebhook(needs, input);
    return set.ok ? warned(needs, input.webhook) : set;
  },
  list: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    if (!owner.ok) return owner;
    const found = await needs.reader.ask('webhooks', { account: owner.value, ...page });
    return found.ok ? ok({ ...found.value, items: found.value.items.map((each) => withLast(needs, each)) }) : found;
  },
  show: (needs, { webhook }) => warned(needs, webhook),
  test: testWebhook,
  pause: async (needs, { webhook }) => {
    const set = await setWebhookStatus(needs, webhook, 'paused');
    return set.ok ? oneWebhook(needs, webhook) : set;
  },
  resume: async (needs, { webhook }) => {
    const set = await setWebhookStatus(needs, webhook, 'active');
    return set.ok ? warned(needs, webhook) : set;
  },
  replay: replayNotifications,
  remove: removeWebhook,
};

export const webhookSecretHandlers: Handlers<'webhookSecret'> = {
  add: addWebhookSecret,
  list: async (needs, { webhook, after = '0', limit }) => {
    const found = await oneWebhook(needs, webhook);
    if (!found.ok) return found;
    const rest = found.value.secrets.filter(({ id }) => id > Number(after));
    return ok(pageOf(rest, limit, ({ id }) => String(id)));
  },
  remove: removeWebhookSecret,
};

async function oneWebhook(needs: OperatorNeeds, id: number): Promise<Result<WebhookView, Rejection>> {
  const found = await needs.reader.ask('webhook', { webhook: id });
  if (!found.ok) return found;
  return found.value
    ? ok(withLast(needs, found.value))
    : refused({ code: 'does_not_exist', detail: `there is no webhook ${id}` });
}

/**
 * Adds to a webhook the result of its last try since the gateway started. The result of the last try is kept in memory, because
 * the store has only failed tries.
 */
function withLast({ webhooks }: OperatorNeeds, webhook: WebhookView): WebhookView {
  const last = webhooks.last(webhook.id);
  if (!last) return webhook;
  const { at, outcome } = last;
  return { ...webhook, lastAt: at, lastOutcome: outcome.kind === 'untried' ? null : outcome.detail };
}

type Warned = WebhookView & { readonly warning?: string | undefined };

/**
 * Adds a warning to a webhook that gets no inbound messages with the current numbers and keywords. A webhook for an unknown
 * number or keyword is not refused, because the operator may add the number or keyword later.
 */
async function warned(needs: OperatorNeeds, id: number): Promise<Result<Warned, Rejection>> {
  const found = await oneWebhook(needs, id);
  if (!found.ok) return found;
  const { match, keyword, account } = found.value;
  const warnings = [stoppedWarning(found.value)];
  if (match !== null || keyword !== null) {
    const reach = await needs.reader.ask('webhookReach', { account, number: match, keyword });
    if (!reach.ok) return reach;
    if (reach.value !== 'reached') warnings.push(unreachedWarning(found.value, reach.value));
  }
  return ok({ ...found.value, warning: warnings.filter((each) => each !== undefined).join('; ') || undefined });
}

function unreachedWarning({ id, match, keyword, account }: WebhookView, reach: WebhookReach): string {
  const nothing = `webhook ${id} gets no inbound messages yet: `;
  const word = keyword === null ? 'no keyword' : `no keyword "${keyword}"`;
  if (match === null) {
    return `${nothing}${account} has no number of its own, and ${word} on another number: use number add or keyword add`;
  }
  const shown = match.kind === 'prefix' ? `numbers that begin with ${numberText(match)}` : numberText(match);
  if (reach === 'nobody') return `${nothing}no account has ${shown}: use number add`;
  return `${nothing}${account} does not have ${shown}, and ${word} there: see number list, or use keyword add`;
}
