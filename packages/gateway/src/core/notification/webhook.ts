/* Webhooks of accounts: which notifications a webhook gets, and how the webhook for an event is chosen. */

import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { WebhookMethod } from '@morsel/api/client-apis.ts';
import type { NotificationKind, WebhookStatus } from '@morsel/api/values/notification.ts';
import { ownersOf } from '../number/owners.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Template } from './template.ts';

/** The notifications that a webhook gets, by their kind. For inbound messages also by number or keyword. */
export interface WebhookMatch {
  readonly id: number;
  readonly kinds: readonly NotificationKind[];
  readonly number: { readonly kind: NumberKind; readonly digits: string } | null;
  /** The keyword in its folded form (`core/number/keyword.ts`). */
  readonly keyword: string | null;
}

interface Question {
  readonly kind: NotificationKind;
  readonly receiver?: string;
  readonly keyword?: string | null;
}

/** Undefined if no webhook matches. A keyword comes before a number, a longer number before a shorter one. */
export function chooseWebhook(webhooks: readonly WebhookMatch[], question: Question): WebhookMatch | undefined {
  const fitting = webhooks.filter((each) => each.kinds.includes(question.kind));
  const first = fitting[0];
  if (first === undefined || (fitting.length === 1 && isForAll(first))) return first;
  const owners = question.receiver === undefined ? [] : ownersOf(question.receiver);
  let best: WebhookMatch | undefined;
  let bestScore = -1;
  for (const each of fitting) {
    const score = scoreOf(each, owners, question.keyword ?? null);
    if (score > bestScore) {
      best = each;
      bestScore = score;
    }
  }
  return best;
}

function isForAll({ number, keyword }: WebhookMatch): boolean {
  return number === null && keyword === null;
}

/** The score of a matching keyword: more than the score of any number, which is at most 16. */
const keywordScore = 100;

/** How narrowly a webhook matches an event; -1 if it does not match. */
function scoreOf(webhook: WebhookMatch, owners: ReturnType<typeof ownersOf>, keyword: string | null): number {
  if (webhook.keyword !== null && webhook.keyword !== keyword) return -1;
  const ofKeyword = webhook.keyword === null ? 0 : keywordScore;
  const { number } = webhook;
  if (number === null) return ofKeyword;
  const place = owners.findIndex((owner) => owner.kind === number.kind && owner.digits === number.digits);
  return place === -1 ? -1 : ofKeyword + owners.length - place;
}

/** How requests to an account's systems are signed, and which private addresses they may lead to. */
export interface OutwardCalls {
  readonly account: number;
  /** The most requests at the same time. */
  readonly concurrency: number;
  readonly allowed: readonly AddressRange[];
  /** Signing keys, the newest first. */
  readonly secrets: readonly string[];
}

export interface Webhook extends WebhookMatch, OutwardCalls {
  readonly url: string;
  readonly method: WebhookMethod;
  readonly template: Template | null;
  readonly status: WebhookStatus;
}

/**
 * The most requests to the callback URLs of one account at the same time. It is the default of webhooks, and few enough
 * for a small system that gets a long campaign's receipts.
 */
export const callbacksAtOnce = 64;

/** The warning that a webhook gets no notifications because it is not active. */
export function stoppedWarning({ id, status }: Pick<Webhook, 'id' | 'status'>): string | undefined {
  return status === 'active'
    ? undefined
    : `webhook ${id} is ${status} and gets no notifications: use webhook resume ${id}`;
}

/** If all tries of a webhook fail for this long, the gateway pauses it. */
export const failingMaxMs = 72 * hourMs;

/** The reason why these settings contradict each other; undefined if they make sense. */
export function reasonAgainst({ kinds, number, keyword }: Omit<WebhookMatch, 'id'>): string | undefined {
  if (kinds.length === 0) return 'name at least one kind of notification';
  if (number === null && keyword === null) return undefined;
  return kinds.some((kind) => kind !== 'inbound')
    ? 'only inbound messages have a number or a keyword: add a second webhook for receipts and alerts'
    : undefined;
}

/** Whether two webhooks match the same events with the same score, so that chance would decide between them. */
export function areRivals(one: Omit<WebhookMatch, 'id'>, other: Omit<WebhookMatch, 'id'>): boolean {
  return (
    one.kinds.some((kind) => other.kinds.includes(kind)) &&
    one.keyword === other.keyword &&
    one.number?.kind === other.number?.kind &&
    one.number?.digits === other.number?.digits
  );
}
