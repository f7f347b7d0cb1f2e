import type { NoticeKind } from './notice.ts';
import { ownersOf } from './owned-number.ts';
import type { NumberKind } from './owned-number.ts';

/** What a webhook is told: kinds of notices and, of messages from phones, those to a number or a keyword. */
export interface WebhookMatch {
  readonly id: number;
  readonly kinds: readonly NoticeKind[];
  readonly number: { readonly kind: NumberKind; readonly digits: string } | null;
  /** Case-folded, as `core/keyword.ts` reads it. */
  readonly keyword: string | null;
}

/** Something to be told, as far as it decides who is. */
interface Question {
  readonly kind: NoticeKind;
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
