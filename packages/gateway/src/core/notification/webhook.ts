/* Webhooks of accounts: which notifications each gets, and which one gets a given event. */

import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { NotificationKind, WebhookMethod, WebhookStatus } from '@morsel/api/values/notification.ts';
import { ownersOf } from '../number/owners.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Template } from './template.ts';

/** What a webhook gets: kinds of notifications and, of inbound messages, those to a number or a keyword. */
export interface WebhookMatch {
  readonly id: number;
  readonly kinds: readonly NotificationKind[];
  readonly number: { readonly kind: NumberKind; readonly digits: string } | null;
  /** Case-folded, as in `core/number/keyword.ts`. */
  readonly keyword: string | null;
}

/** The part of an event that decides which webhook gets it. */
interface Question {
  readonly kind: NotificationKind;
  /** The receiver of an inbound message. */
  readonly receiver?: string;
  readonly keyword?: string | null;
}

/**
 * The webhook that gets an event: of the matching ones, a keyword comes before a number, a longer number before a
 * shorter one, and the webhook for everything last. Undefined if none matches.
 */
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

/** More than the rank of any number, which is at most 16. */
const keywordScore = 100;

/** How closely a webhook matches: -1 if it does not. */
function scoreOf(webhook: WebhookMatch, owners: ReturnType<typeof ownersOf>, keyword: string | null): number {
  if (webhook.keyword !== null && webhook.keyword !== keyword) return -1;
  const ofKeyword = webhook.keyword === null ? 0 : keywordScore;
  const { number } = webhook;
  if (number === null) return ofKeyword;
  const place = owners.findIndex((owner) => owner.kind === number.kind && owner.digits === number.digits);
  return place === -1 ? -1 : ofKeyword + owners.length - place;
}

/** An address that the operator registered for an account, with how it is called. */
export interface Webhook extends WebhookMatch {
  readonly account: number;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly template: Template | null;
  /** Most requests at once. */
  readonly concurrency: number;
  /** Private ranges that it may lead to. */
  readonly allowed: readonly AddressRange[];
  readonly status: WebhookStatus;
  /** Signing keys, the newest first. */
  readonly secrets: readonly string[];
}

/** A webhook with nothing but failures for this long is paused. */
export const failingMaxMs = 72 * hourMs;

/** Why a webhook can never get what it asks for; undefined if it can. */
export function reasonAgainst({ kinds, number, keyword }: Omit<WebhookMatch, 'id'>): string | undefined {
  if (kinds.length === 0) return 'name at least one kind of notification';
  if (number === null && keyword === null) return undefined;
  return kinds.some((kind) => kind !== 'inbound')
    ? 'only inbound messages have a number or a keyword: add a second webhook for receipts and alerts'
    : undefined;
}

/** Two webhooks that match alike: chance would decide which gets an event. */
export function areRivals(one: Omit<WebhookMatch, 'id'>, other: Omit<WebhookMatch, 'id'>): boolean {
  return (
    one.kinds.some((kind) => other.kinds.includes(kind)) &&
    one.keyword === other.keyword &&
    one.number?.kind === other.number?.kind &&
    one.number?.digits === other.number?.digits
  );
}
