import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { NotificationKind } from './notification.ts';
import { ownersOf } from '../number/owned-number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Template } from './template.ts';

/** What a webhook is told: kinds of notifications and, of messages from phones, those to a number or a keyword. */
export interface WebhookMatch {
  readonly id: number;
  readonly kinds: readonly NotificationKind[];
  readonly number: { readonly kind: NumberKind; readonly digits: string } | null;
  /** Case-folded, as `core/number/keyword.ts` reads it. */
  readonly keyword: string | null;
}

/** Something to be told, as far as it decides who is. */
interface Question {
  readonly kind: NotificationKind;
  /** Of a message from a phone: the number that it was sent to. */
  readonly receiver?: string;
  readonly keyword?: string | null;
}

/**
 * The one webhook of an account that is told: of those that fit, one for a keyword before one for a number, the longest
 * number before others, and last the one for everything. Undefined if none fits.
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

/** More than the place of any number, which are at most 16. */
const keywordScore = 100;

/** How closely a webhook fits: -1 if it does not. */
function scoreOf(webhook: WebhookMatch, owners: ReturnType<typeof ownersOf>, keyword: string | null): number {
  if (webhook.keyword !== null && webhook.keyword !== keyword) return -1;
  const ofKeyword = webhook.keyword === null ? 0 : keywordScore;
  const { number } = webhook;
  if (number === null) return ofKeyword;
  const place = owners.findIndex((owner) => owner.kind === number.kind && owner.digits === number.digits);
  return place === -1 ? -1 : ofKeyword + owners.length - place;
}

/** How a webhook is called. */
export const webhookMethods = ['post-json', 'post-form', 'get'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

/**
 * `paused`: what it is to be told waits, because a person or days of failure stopped it. `off`: the same, because its
 * receiver answered that it is gone (410). Both end by a person's word.
 */
export const webhookStatuses = ['active', 'paused', 'off'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** An address that the operator registered for an account, with how it is called. */
export interface Webhook extends WebhookMatch {
  readonly account: number;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly template: Template | null;
  /** Notifications under way to it at once. */
  readonly concurrency: number;
  /** Ranges of addresses that it may lead to, though they are no public ones. */
  readonly allowed: readonly AddressRange[];
  readonly status: WebhookStatus;
  /** What signs, the newest first. */
  readonly secrets: readonly string[];
}

/** A webhook at which nothing but failures were seen for so long is paused. */
export const failingMaxMs = 72 * hourMs;

/** Why a webhook can have nothing of what it asks for; undefined if it can. */
export function reasonAgainst({ kinds, number, keyword }: Omit<WebhookMatch, 'id'>): string | undefined {
  if (kinds.length === 0) return 'a webhook has to be told something';
  if (number === null && keyword === null) return undefined;
  return kinds.some((kind) => kind !== 'inbound')
    ? 'only messages from phones have a number or a keyword: make a webhook of its own for receipts and alerts'
    : undefined;
}

/** Two that fit the same with the same closeness would make chance of who is told. */
export function areRivals(one: Omit<WebhookMatch, 'id'>, other: Omit<WebhookMatch, 'id'>): boolean {
  return (
    one.kinds.some((kind) => other.kinds.includes(kind)) &&
    one.keyword === other.keyword &&
    one.number?.kind === other.number?.kind &&
    one.number?.digits === other.number?.digits
  );
}
