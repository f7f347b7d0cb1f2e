import { portsOf } from '../../core/message/inbound.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { messageId, optional, readFields, sentence, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import { inboundFilterFields, readInboundFilter, replayInbound } from '../../operator/message/replay.ts';
import type { Journal } from '../../store/journal.ts';
import type { InboundNotificationView, InboundSummary, InboundView } from '../../store/views/message/inbound.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time, timeOrNull } from './present.ts';
import { shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of messages from phones, and does with them. */

/** Messages of one page: what a person looks through. */
const limitMax = 1_000;
const limitDefault = 50;
const wordMax = 64;

const findFields = {
  ...inboundFilterFields,
  before: optional(messageId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** Messages from phones, the newest first and without their texts, and where to go on as `before` if there may be more. */
export async function askInbound(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields(findFields, fields);
  if (!read.ok) return read;
  const { before: beyond, limit, ...filter } = read.value;
  const wanted = await readInboundFilter(needs, filter);
  if (!wanted.ok) return wanted;
  const found = await needs.reader.ask('inbound', { ...wanted.value, order: 'newest', beyond, limit });
  return shown(found, ({ messages, next }) => ({
    messages: messages.map(showInboundSummary),
    next: next === null ? null : String(next),
  }));
}

/** One message from a phone, with what it says and what became of it. */
export async function askInboundMessage(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ id: sentence(wordMax) }, fields);
  if (!read.ok) return read;
  const id = parseMessageId(read.value.id);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await needs.reader.ask('inboundMessage', id);
  if (!found.ok) return found;
  return found.value ? ok(showInbound(found.value)) : refused({ code: 'message_not_found' });
}

/** Tells accounts anew of some messages, and says how many there were of each kind, and where to go on as `after`. */
export async function replay(
  needs: QuestionNeeds & { readonly journal: Pick<Journal, 'append'> },
  fields: Fields,
): Answer {
  return shown(await replayInbound(needs, fields), ({ next, until, ...counts }) => ({
    ...counts,
    next: next === null ? null : String(next),
    until: timeOrNull(until),
  }));
}

/** The words of section 6 of the decisions, who brought it to whom and why, and whether it was told. */
function showInboundSummary(message: InboundSummary): { readonly [member: string]: Json } {
  return {
    msgId: String(message.id),
    account: message.account,
    matchedBy: message.matchedBy,
    keyword: message.keyword,
    delivery: message.delivery,
    carrier: message.carrier,
    sender: message.sender,
    receiver: message.receiver,
    dcs: message.dcs,
    numParts: message.numParts,
    partsReceived: message.partsReceived,
    complete: message.complete,
    receivedTime: time(message.receivedAt),
  };
}

function showInbound(message: InboundView): Json {
  const ports = portsOf(message.header);
  return {
    ...showInboundSummary(message),
    ...(message.octets === null ? { text: message.text } : { data: hex(message.octets) }),
    dataCoding: message.dataCoding,
    header: message.header === null ? null : hex(message.header),
    destinationPort: ports?.destination ?? null,
    sourcePort: ports?.source ?? null,
    notifications: message.notifications.map(showNotification),
  };
}

function showNotification(notification: InboundNotificationView): Json {
  return {
    id: String(notification.id),
    account: notification.account,
    bySession: notification.bySession,
    webhook: notification.webhook === null ? null : String(notification.webhook),
    state: notification.state,
    tries: notification.tries,
    createdAt: time(notification.createdAt),
    due: timeOrNull(notification.due),
    endedAt: timeOrNull(notification.endedAt),
    triedBy: notification.triedBy,
    outcome: notification.outcome,
    failures: notification.failures.map(({ at, triedBy, outcome }) => ({ at: time(at), triedBy, outcome })),
  };
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
