import { numberText } from '../../core/number/owners.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Reader } from '../../store/reader.ts';
import type { WebhookReach } from '../../store/views/notification/webhook-reach.ts';
import type { WebhookView } from '../../store/views/notification/webhooks.ts';

/**
 * What an operator has to know of a webhook that is told nothing as numbers and keywords are now. It is no refusal: who sets
 * things up may begin with either.
 */
export async function warningsOf(
  reader: Pick<Reader, 'ask'>,
  webhook: WebhookView,
): Promise<Result<readonly string[], Rejection>> {
  const { number, keyword, accountName: account } = webhook;
  const stopped = stoppedWarning(webhook);
  if (number === null && keyword === null) return ok(stopped);
  const reach = await reader.ask('webhookReach', { account, number, keyword });
  if (!reach.ok) return reach;
  return ok(reach.value === 'reached' ? stopped : [...stopped, sentenceOf(webhook, reach.value)]);
}

/** That what is told to it waits, however well it is set up. */
export function stoppedWarning({ id, status }: Pick<WebhookView, 'id' | 'status'>): readonly string[] {
  return status === 'active' ? [] : [`webhook ${id} is ${status} and told nothing: use webhook resume ${id}`];
}

function sentenceOf({ id, number, keyword, accountName: account }: WebhookView, reach: WebhookReach): string {
  const nothing = `webhook ${id} is told nothing yet: `;
  const word = keyword === null ? 'no keyword' : `no keyword "${keyword}"`;
  if (number === null) {
    return `${nothing}${account} has no number of its own, and ${word} on another: use number add or keyword add`;
  }
  const shown = number.kind === 'prefix' ? `numbers that begin with ${numberText(number)}` : numberText(number);
  if (reach === 'nobody') return `${nothing}nobody has ${shown}: use number add`;
  return `${nothing}${account} does not have ${shown}, and ${word} there: see number list, or use keyword add`;
}
