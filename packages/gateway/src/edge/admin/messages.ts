import { jsonOf } from '@morsel/api/admin/field.ts';
import { notificationFields } from '@morsel/api/admin/notification/notification.ts';
import { parseReceiver, parseSender } from '../../core/number/address.ts';
import { messageEvents } from '@morsel/api/values/message.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { instant, messageId, name, oneOf, optional, readFields, sentence, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { FindInput } from '../../store/views/message/find-messages.ts';
import { carrierRow } from './carrier-rows.ts';
import { notificationRow } from './notification-row.ts';
import type { NotificationNeeds } from './notification-row.ts';
import { showMessage, showSummary } from './present.ts';
import { knownAccount } from './known-account.ts';
import { limitDefault, limitMax, shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of messages. */

const clientRefMax = 64;
/** Characters of a message_id (SMPP 3.4, section 5.2.23). */
const carrierIdMax = 64;

/** All that is known of one message, and how its account was notified of it. */
export async function askMessage(needs: QuestionNeeds & NotificationNeeds, fields: Fields): Answer {
  const read = readFields({ id: sentence(limitMax) }, fields);
  if (!read.ok) return read;
  const id = parseMessageId(read.value.id);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await needs.reader.ask('message', id);
  if (!found.ok) return found;
  if (!found.value) return refused({ code: 'message_not_found' });
  const notifications = found.value.notifications.map((each) =>
    jsonOf(notificationFields, notificationRow(needs, each)),
  );
  return ok({ ...showMessage(found.value), notifications });
}

const findFields = {
  account: optional(name, null),
  sender: optional(sentence(clientRefMax), null),
  receiver: optional(sentence(clientRefMax), null),
  clientRef: optional(sentence(clientRefMax), null),
  event: optional(oneOf(messageEvents), null),
  carrier: optional(name, null),
  carrierMessageId: optional(sentence(carrierIdMax), null),
  since: optional(instant, null),
  until: optional(instant, null),
  after: optional(messageId, null),
  /** What `after` was called before. */
  before: optional(messageId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** Messages, the newest first, and where to go on if there may be more: as `after` of the next question. */
export async function askMessages(needs: QuestionNeeds, fields: Fields): Answer {
  const wanted = readFind(fields);
  if (!wanted.ok) return wanted;
  const { account, carrier } = wanted.value;
  const owner = await knownAccount(needs, account ?? undefined);
  if (!owner.ok) return owner;
  const known = carrier === null ? ok(null) : await carrierRow(needs, carrier);
  if (!known.ok) return known;
  return shown(await needs.reader.ask('messages', wanted.value), ({ messages, next }) => ({
    messages: messages.map(showSummary),
    next: next === null ? null : String(next),
  }));
}

/** Numbers are looked for in the form in which they are stored, however they were typed. */
function readFind(fields: Fields): Result<FindInput, Rejection> {
  const read = readFields(findFields, fields);
  if (!read.ok) return read;
  const { sender, receiver, after, ...rest } = read.value;
  const from = sender === null ? ok(null) : parseSender(sender);
  if (!from.ok) return from;
  const to = receiver === null ? ok(null) : parseReceiver(receiver);
  if (!to.ok) return to;
  return ok({ ...rest, before: after ?? rest.before, sender: from.value, receiver: to.value });
}
