import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { parseMessageId } from '../../../../core/base/message-id.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { accountNamed, carrierNamed } from '../../../../core/named.ts';
import { parseReceiver, parseSender } from '../../../../core/number/address.ts';
import { cancel } from '../../../../flow/message/cancel.ts';
import { wayWhenDue } from '../../../../flow/message/due.ts';
import { quoteMessage, sendMessage } from './send.ts';
import { readWaitingFilter } from './waiting.ts';
import type { Handlers } from '../../bind.ts';
import { bulk } from '../../bulk.ts';
import { statusOf } from '../../../carriers/smpp/answer.ts';
import { decideOperation, viewed } from '../../direct.ts';
import { notificationRow } from '../notification/notification.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of messages. An operation that changes a message returns the message after the change. */

const notFound = refused({ code: 'message_not_found' } as const);

export const messageHandlers: Handlers<'message'> = {
  send: sendMessage,
  quote: quoteMessage,
  show: messageRow,
  cancel: async (needs, { id }) => {
    const canceled = await cancel(needs, undefined, id);
    return canceled.ok ? messageRow(needs, { id }) : canceled;
  },
  cancelMany: bulk('message.cancelMany', readWaitingFilter),
  reroute: rerouteMessage,
  rerouteMany: bulk('message.rerouteMany', (needs, input) => {
    const filter = readWaitingFilter(needs, input);
    return filter.ok ? ok({ ...filter.value, state: 'queued' }) : filter;
  }),
  settle: async (needs, input) => {
    const settled = await decideOperation(needs, 'message.settle', { input, made: undefined });
    if (!settled.ok) return settled;
    if (input.as === 'resend') needs.control.lookForWaiting();
    return messageRow(needs, input);
  },
  settleMany: bulk('message.settleMany', (needs, { as, carrier: through, account: owner, all }) => {
    const isNarrowed = through !== undefined || owner !== undefined;
    if (isNarrowed === all)
      return invalid('all', all ? 'must not be combined with filters' : 'must be given if there is no filter');
    const account = accountNamed(needs.snapshot(), owner);
    if (!account.ok) return account;
    const carrier = through === undefined ? ok(undefined) : carrierNamed(needs.snapshot(), through);
    if (!carrier.ok) return carrier;
    const ids = { carrier: carrier.value?.id ?? null, account: account.value?.id ?? null };
    return ok({ as, ...ids, until: needs.clock.now() });
  }),
  // Converts the numbers to the form in which they are stored, so that every way of writing a number finds its messages.
  find: viewed('message.find', ({ sender, receiver, ...rest }) => {
    const from = sender === undefined ? ok(sender) : parseSender(sender);
    if (!from.ok) return from;
    const to = receiver === undefined ? ok(receiver) : parseReceiver(receiver);
    return to.ok ? ok({ ...rest, sender: from.value, receiver: to.value }) : to;
  }),
};

/** Moves a message to the route that it would take now. Does nothing if it does not wait. */
async function rerouteMessage(needs: OperatorNeeds, { id }: { readonly id: string }): ReturnType<typeof messageRow> {
  const known = parseMessageId(id);
  if (known === undefined) return notFound;
  const at = needs.clock.now();
  const waiting = await needs.reader.ask('waitingMessage', known);
  if (!waiting.ok) return waiting;
  const way = waiting.value && wayWhenDue(needs.snapshot(), waiting.value, at);
  if (way) {
    const messages = [{ message: known, ...way }];
    const done = await needs.journal.append<'reroute'>({ kind: 'reroute', at, messages, forgets: 'all' });
    if (!done.ok) return done;
    needs.control.lookForWaiting();
  }
  return messageRow(needs, { id });
}

async function messageRow(
  needs: OperatorNeeds,
  { id }: { readonly id: string },
): Promise<Result<AnswerOf<typeof message.operations.show>, Rejection>> {
  const known = parseMessageId(id);
  if (known === undefined) return notFound;
  const found = await needs.reader.ask('message', known);
  if (!found.ok) return found;
  if (!found.value) return notFound;
  const { parts, notifications, ...rest } = found.value;
  return ok({
    ...rest,
    parts: parts.map(({ attempts, ...part }) => ({
      ...part,
      attempts: attempts.map((attempt) => ({ ...attempt, ...statusOf(attempt) })),
    })),
    notifications: notifications.map((each) => notificationRow(needs, each)),
  });
}
