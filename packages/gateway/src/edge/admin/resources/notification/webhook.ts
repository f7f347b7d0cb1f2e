/* The handlers of webhooks, for work outside of the store: reading numbers, making secrets, sending test requests. */

import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { sampleOf } from '../../../../core/notification/sample.ts';
import { makeSecret, secretBytes } from '../../../../core/notification/signature.ts';
import { stoppedWarning } from '../../../../core/notification/webhook.ts';
import { parseOwnedNumber } from '../../../../core/number/owned-number.ts';
import { expireNotifications } from '../../../../flow/notification/expire.ts';
import type { ReadWebhookNumber } from '../../../../state/decide/notification/webhook-settings.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewed } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';
import { noWebhook } from '../../../../core/named.ts';

const newSecret = ({ random }: OperatorNeeds) => makeSecret(random.bytes(secretBytes));

export const webhookHandlers: Handlers<'webhook'> = {
  add: decided('webhook.add', (needs, input) => ({ secret: newSecret(needs), number: numberIn(input) })),
  set: tried(woken(decided('webhook.set', (_needs, input) => numberIn(input)))),
  list: async (needs, input) => {
    const found = await viewed('webhook.list')(needs, input);
    return found.ok ? ok({ ...found.value, items: found.value.items.map((each) => withLast(needs, each)) }) : found;
  },
  show: tried(viewed('webhook.show')),
  /** Sends a sample event, by default of the first kind of events that the webhook gets. */
  test: async (needs, { webhook: id, kind: wanted }) => {
    const { webhooks, accounts } = needs.snapshot();
    const found = webhooks.get(id);
    const currency = found && accounts.get(found.account)?.currency;
    if (!found || currency === undefined) return noWebhook(id);
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
  },
  pause: tried(decided('webhook.pause')),
  resume: tried(woken(decided('webhook.resume'))),
  /** The webhook's waiting notifications become dead letters at once. After a crash, the next start continues this. */
  remove: async (needs, input) => {
    const removed = await decided('webhook.remove')(needs, input);
    for (let isMore = removed.ok; isMore;) isMore = await expireNotifications(needs, null);
    return removed;
  },
};

export const webhookSecretHandlers: Handlers<'webhookSecret'> = {
  add: woken(decided('webhookSecret.add', newSecret)),
  remove: woken(decided('webhookSecret.remove')),
};

type Handler<Input, Answer> = (needs: OperatorNeeds, input: Input) => Promise<Result<Answer, Rejection>>;

/** Makes waiting notifications due now, because the change may have removed the cause of their failures. */
function woken<Input extends { readonly webhook: number }, Answer>(
  handle: Handler<Input, Answer>,
): Handler<Input, Answer> {
  return async (needs, input) => {
    const done = await handle(needs, input);
    const found = done.ok ? needs.snapshot().webhooks.get(input.webhook) : undefined;
    if (found?.status === 'active')
      void needs.notifier.wake({ kind: 'webhook', account: found.account, webhook: found.id });
    return done;
  };
}

interface Tried {
  readonly id: number;
  readonly lastAt: Instant | null;
  readonly lastOutcome: string | null;
}

/** Adds the result of the webhook's last try to the answer. */
function tried<Input, Answer extends Tried>(handle: Handler<Input, Answer>): Handler<Input, Answer> {
  return async (needs, input) => {
    const done = await handle(needs, input);
    return done.ok ? ok(withLast(needs, done.value)) : done;
  };
}

/** Adds the webhook's last try since the gateway started. Only the memory has it: the store has only failed tries. */
function withLast<Row extends Tried>({ webhooks }: OperatorNeeds, row: Row): Row {
  const last = webhooks.last(row.id);
  if (!last) return row;
  const { at, outcome } = last;
  return { ...row, lastAt: at, lastOutcome: outcome.kind === 'untried' ? null : outcome.detail };
}

type Given = Pick<InputOf<typeof webhook.operations.set>, 'number' | 'prefix'>;

/** Reads the number or prefix of a webhook. Returns undefined if the request has none; null means every number. */
function numberIn({ number, prefix }: Given): ReadWebhookNumber {
  if (typeof number === 'string' && typeof prefix === 'string') {
    return invalid('prefix', 'must not be combined with number: a webhook is for one number or for one prefix');
  }
  const kind = typeof prefix === 'string' ? 'prefix' : 'number';
  const text = prefix ?? number;
  if (typeof text !== 'string') return ok(number === undefined && prefix === undefined ? undefined : null);
  const owned = parseOwnedNumber(text, kind);
  return owned.ok ? ok({ kind, digits: owned.value.digits }) : invalid(kind, owned.error);
}
