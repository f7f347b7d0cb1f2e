import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { parseMessageId } from '../../../../core/base/message-id.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { parseReceiver, parseSender } from '../../../../core/number/address.ts';
import { cancel } from '../../../../flow/message/cancel.ts';
import { quoteMessage, sendMessage } from './send.ts';
import { cancelMessages, rerouteMessages } from './waiting.ts';
import type { Handlers } from '../../bind.ts';
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
  cancelMany: cancelMessages,
  reroute: rerouteMessages,
  settle: async (needs, input) => {
    const settled = await decideOperation(needs, 'message.settle', { input, made: undefined });
    if (!settled.ok) return settled;
    if (input.as === 'resend') needs.control.lookForWaiting();
    return messageRow(needs, input);
  },
  // Converts the numbers to the form in which they are stored, so that every way of writing a number finds its messages.
  find: viewed('message.find', ({ sender, receiver, ...rest }) => {
    const from = sender === undefined ? ok(sender) : parseSender(sender);
    if (!from.ok) return from;
    const to = receiver === undefined ? ok(receiver) : parseReceiver(receiver);
    return to.ok ? ok({ ...rest, sender: from.value, receiver: to.value }) : to;
  }),
};

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
