import { statusName } from '@morsel/smpp';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { InDoubtView } from '../../store/views/message/in-doubt.ts';
import type { AttemptView, MessageSummary, MessageView, PartView } from '../../store/views/message/messages.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';

/* How views are shown to the operator: ids as text, times in ISO 8601 to the millisecond, amounts as bigints until they are spliced. */

export function showInDoubt(part: InDoubtView): Json {
  return {
    msgId: String(part.message),
    part: part.number,
    numParts: part.numParts,
    account: part.account,
    receiver: part.receiver,
    carrier: part.carrier,
    since: time(part.since),
    times: part.times,
    until: part.until === null ? null : time(part.until),
  };
}

export function showSummary(message: MessageSummary): { readonly [member: string]: Json } {
  return {
    msgId: String(message.id),
    account: message.account,
    sender: message.sender,
    receiver: message.receiver,
    encoding: message.encoding,
    numParts: message.numParts,
    totalCost: message.totalCost,
    currency: message.currency,
    event: message.event,
    acceptedAt: time(message.acceptedAt),
    eventAt: time(message.eventAt),
    errorCode: message.errorCode,
    clientRef: message.clientRef,
  };
}

export function showMessage(message: MessageView): { readonly [member: string]: Json } {
  return {
    ...showSummary(message),
    source: message.source,
    submitter: message.submitter,
    address: message.address,
    session: message.session,
    dcs: message.dcs,
    text: message.text,
    data: hexOrNull(message.octets),
    header: hexOrNull(message.header),
    flash: message.flash,
    dueAt: time(message.dueAt),
    expiresAt: time(message.expiresAt),
    unitPrice: message.unitPrice,
    priceList: message.priceList,
    priceVersion: message.priceVersion,
    balanceAfter: message.balanceAfter,
    entry: message.entry,
    refunded: message.refunded,
    cost: showCost(message.cost),
    margin: message.margin,
    route: message.route,
    parts: message.parts.map(showPart),
    notes: message.notes.map((note) => ({ at: time(note.at), part: note.part, kind: note.kind, detail: note.detail })),
  };
}

function hexOrNull(octets: Uint8Array | null): string | null {
  return octets === null ? null : Buffer.from(octets).toString('hex');
}

function showPart(part: PartView): Json {
  return {
    part: part.number,
    state: part.state,
    changedAt: time(part.changedAt),
    deadline: timeOrNull(part.deadline),
    due: timeOrNull(part.due),
    carrier: part.carrier,
    carrierState: part.carrierState,
    errorCode: part.errorCode,
    refundEntry: part.refundEntry,
    price: part.price,
    cost: showCost(part.cost),
    margin: part.margin,
    attempts: part.attempts.map(showAttempt),
  };
}

function showAttempt(attempt: AttemptView): Json {
  return {
    attempt: attempt.number,
    carrier: attempt.carrier,
    link: attempt.link,
    claimedAt: time(attempt.claimedAt),
    answeredAt: timeOrNull(attempt.answeredAt),
    outcome: attempt.outcome,
    commandStatus: attempt.commandStatus,
    commandStatusName: attempt.commandStatus === null ? null : statusName(attempt.commandStatus),
    carrierId: attempt.carrierId,
    cost: showCost(attempt.cost),
  };
}

/** An amount with its currency: carriers may be paid in another than accounts pay in. */
function showCost(cost: UnitCost | null): Json {
  return cost && { amount: cost.amount, currency: cost.currency };
}

export function time(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function timeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : time(instant);
}
