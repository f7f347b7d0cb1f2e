/*
 * Decides what happens to an inbound part: it waits for other parts, completes a message, or is a redelivery. Also
 * makes incomplete messages of parts that waited too long for the missing parts.
 */

import { readContent, repeatedWithinMs } from '../../../core/message/inbound.ts';
import { toMessageId, type MessageId } from '../../../core/base/message-id.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { search } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  inboundPartTable,
  inboundTable,
  joinedTable,
  joinedTogether,
  partsTogether,
  togetherOf,
  type InboundPartRow,
  type JoinedRow,
  type OpenInbound,
  type RecordInbound,
} from '../../tables/inbound.ts';
import { hashingKey, readKeys, seal, unseal } from '../../rows/keys.ts';
import { sealInbound } from '../../rows/inbound-content.ts';
import { decodeContent, encodeContent } from '../../sealing/content.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { seeUnread } from '../routing/dialect.ts';
import { findRepeat, readRepeats, takeRepeat } from './inbound-repeat.ts';
import { readRoute, routeOf } from '../number/inbound-route.ts';
import { readDestinations, notifyOfInbound } from '../notification/notification.ts';
import { applyWishes, readOptOutsOfPhone, readWishes, wouldStop } from '../number/opt-out.ts';

/** A part of a message; without a concatenation, it is the whole message. */
type Part = Omit<InboundPartRow, 'change' | 'id' | 'concatenation' | 'content'> &
  Pick<RecordInbound, 'concatenation' | 'octets' | 'header'>;

/** How many octets of a digest are stored. They are enough to distinguish two parts with the same reference. */
const digestOctets = 16;

/** The content of a part whose key was erased. */
const noContent = encodeContent({ text: null, octets: null, header: null });

interface InboundRecorded {
  readonly became: 'message' | 'waiting' | 'duplicate';
}

function readForInbound(read: Reads, command: RecordInbound): void {
  const { concatenation } = command;
  readKeys(read, null);
  const waiting = concatenation ? readTogether(read, { ...command, concatenation }) : [];
  if (!concatenation) readRepeats(read, command);
  readRoute(read, command.receiver);
  // The waiting parts are given up, or joined with this one.
  readNotified(read, waiting);
  readNotified(read, [...waiting, { ...command, receivedAt: command.at }]);
  readOptOutsOfPhone(read, command.sender);
}

/** The waiting parts of one message, and parts of earlier messages with its reference. */
function readTogether(read: Reads, part: Parameters<typeof togetherOf>[0]): readonly Part[] {
  const place = togetherOf(part);
  read.all(joinedTogether, ...place);
  return openParts(read.rows, read.all(partsTogether, ...place));
}

/** The account of the message that these parts would make is notified: it may have a keyword of the number. */
function readNotified(read: Reads, parts: readonly Part[]): void {
  const message = compose(read.rows, parts, toMessageId(0));
  if (!message) return;
  const { made, routed } = message;
  if (made.account !== null) readDestinations(read, made.account);
  readWishes(read, made, routed);
}

export const inboundCommand = {
  /** The parts of one message, or a message and its repeat, may arrive at several nodes at the same moment. */
  subject({ carrier, sender, receiver }: RecordInbound): string {
    return `${carrier} ${sender} ${receiver}`;
  },
  reads: readForInbound,
  decide: decideInbound,
};

/**
 * Stores an inbound part. The last part completes the message. Until then the parts wait, even if several links or runs
 * of the process received them.
 *
 * A part with the same octets as a stored part changes nothing. A different part with the same number starts a new
 * message, and the older message is stored as incomplete. Parts of a finished message wait when they come again,
 * because a phone may reuse its reference for a text with the same beginning. They are deleted if no new part follows.
 */
function decideInbound(rows: Rows, { looksLikeReceipt, ...command }: RecordInbound): Result<InboundRecorded, never> {
  const { concatenation, id, at } = command;
  if (looksLikeReceipt) seeUnread(rows, command);
  if (!concatenation) {
    const parts = [{ ...command, receivedAt: at }];
    const repeat = findRepeat(rows, command);
    if (repeat && !stopsAnew(rows, parts, id)) {
      takeRepeat(repeat, id);
      return ok({ became: 'duplicate' });
    }
    make(rows, parts, { id, at });
    return ok({ became: 'message' });
  }
  const { at: receivedAt, id: _id, octets, header, ...part } = { ...command, concatenation };
  const content = encodeContent({ text: null, octets, header });
  const place = togetherOf(part);
  const before = rows.all(partsTogether, ...place);
  const same = before.find((each) => each.concatenation.number === concatenation.number);
  if (same && equal(contentOf(rows, same), content)) return ok({ became: 'duplicate' });
  if (same) giveUp(rows, before, { id, at });
  const partId = rows.nextId(inboundPartTable);
  const sealed = seal(rows, { account: null, column: 'inbound_part.content', id: partId }, content);
  rows.add(inboundPartTable, { ...part, receivedAt, content: sealed, id: partId });
  const waiting = rows.all(partsTogether, ...place);
  if (waiting.length < concatenation.total) return ok({ became: 'waiting' });
  if (areKnown(rows, waiting) && waiting.some((each) => cameSoon(rows, each))) {
    // The carrier sent the whole message again, because it got none of our answers.
    leave(waiting);
    return ok({ became: 'duplicate' });
  }
  join(rows, waiting, { id, at });
  return ok({ became: 'message' });
}

/** Makes incomplete messages of parts that have waited since `before` or longer, at most one for each id. */
interface ExpireInbound {
  readonly at: Instant;
  readonly before: Instant;
  readonly ids: readonly MessageId[];
}

const overdueParts = search<[before: Instant, ahead: Instant, max: number]>()('inbound_part.overdue', inboundPartTable);

/** A part whose time is further ahead than it would wait has the time of a wrong clock. It waits no longer. */
function aheadOf(at: Instant, before: Instant): Instant {
  return at + (at - before);
}

export const expireInboundCommand = {
  reads(read: Reads, { at, before, ids }: ExpireInbound): void {
    readKeys(read, null);
    for (const part of read.all(overdueParts, before, aheadOf(at, before), ids.length)) {
      const waiting = readTogether(read, part);
      readRoute(read, part.receiver);
      readNotified(read, waiting);
      readOptOutsOfPhone(read, part.sender);
    }
  },
  /** Makes incomplete messages of parts that have waited too long for missing parts (O3). If full, there may be more. */
  decide(rows: Rows, { at, before, ids }: ExpireInbound) {
    const ahead = aheadOf(at, before);
    const found = rows.all(overdueParts, before, ahead, ids.length);
    const left = ids.values();
    let messages = 0;
    for (const overdue of found) {
      // An earlier part of the same message may have completed it, or an earlier command of the same commit.
      const waiting = rows.all(partsTogether, ...togetherOf(overdue));
      if (!waiting.some(({ receivedAt }) => receivedAt <= before || receivedAt > ahead)) continue;
      const id = left.next();
      if (id.done === true) return ok({ isFull: true, messages });
      if (giveUp(rows, waiting, { id: id.value, at })) messages += 1;
    }
    return ok({ isFull: found.length === ids.length, messages });
  },
};

/**
 * Makes an incomplete message of the waiting parts. Returns false if all of them repeat parts of an earlier message.
 */
function giveUp(rows: Rows, waiting: readonly InboundPartRow[], made: { id: MessageId; at: Instant }): boolean {
  const isNothing = areKnown(rows, waiting);
  if (isNothing) leave(waiting);
  else join(rows, waiting, made);
  return !isNothing;
}

function leave(parts: readonly InboundPartRow[]): void {
  for (const part of parts) part.change = 'gone';
}

/** Makes a message of waiting parts. */
function join(rows: Rows, parts: readonly InboundPartRow[], made: { id: MessageId; at: Instant }): void {
  make(rows, openParts(rows, parts), made);
  leave(parts);
  for (const part of parts) {
    const { concatenation, carrier, sender, receiver } = part;
    // A phone uses its references again, so an older message may have had such a part.
    const change = 'put';
    const digest = digestOf(rows, part);
    rows.add(joinedTable, { change, carrier, sender, receiver, concatenation, digest, joinedAt: made.at });
  }
}

function make(rows: Rows, parts: readonly Part[], { id, at }: { id: MessageId; at: Instant }): void {
  const message = compose(rows, parts, id);
  if (!message) return;
  const { made, routed } = message;
  rows.add(inboundTable, sealInbound(rows, made));
  applyWishes(rows, made, { routed, at });
  notifyOfInbound(rows, made, at);
  rows.node.lastMessageId = Math.max(rows.node.lastMessageId, id);
  touch(rows.node);
}

/**
 * Whether the message is a STOP from a number that is not opted out now, for example after a START. Such a STOP counts
 * even if it may be a repeat.
 */
function stopsAnew(rows: Rows, parts: readonly Part[], id: MessageId): boolean {
  const message = compose(rows, parts, id);
  return message !== undefined && wouldStop(rows, message.made, message.routed);
}

/** Composes the message of these parts, and finds its account. */
function compose(rows: Rows, parts: readonly Part[], id: MessageId) {
  const inOrder = parts.toSorted((one, other) => numberOf(one) - numberOf(other));
  const [first] = inOrder;
  if (!first) return undefined;
  const { carrier, sender, receiver, code } = first;
  const numParts = first.concatenation?.total ?? 1;
  const content = readContent(inOrder.map((part) => ({ ...part, number: numberOf(part) })));
  const routed = routeOf(rows, receiver, numberOf(first) === 1 ? content.text : null);
  const made: OpenInbound = {
    change: 'new',
    ...content,
    ...routed.route,
    id,
    carrier,
    sender,
    receiver,
    code,
    numParts,
    partsReceived: parts.length,
    complete: parts.length === numParts,
    receivedAt: Math.max(...parts.map((part) => part.receivedAt)),
  };
  return { made, routed };
}

/** Whether all waiting parts were also parts of an earlier message. */
function areKnown(rows: Rows, waiting: readonly InboundPartRow[]): boolean {
  return waiting.every((part) => joinedAs(rows, part) !== undefined);
}

/** Whether the part came again shortly after its message was made. */
function cameSoon(rows: Rows, part: InboundPartRow): boolean {
  const joined = joinedAs(rows, part);
  return joined !== undefined && part.receivedAt - joined.joinedAt < repeatedWithinMs;
}

/** The newest message with the reference counts. */
function joinedAs(rows: Rows, part: InboundPartRow): JoinedRow | undefined {
  const all = rows.all(joinedTogether, ...togetherOf(part));
  const joined = all.findLast((each) => each.concatenation.number === numberOf(part));
  return joined && equal(joined.digest, digestOf(rows, part)) ? joined : undefined;
}

function numberOf(part: Pick<Part, 'concatenation'>): number {
  return part.concatenation?.number ?? 1;
}

function digestOf(rows: Rows, part: InboundPartRow): Uint8Array {
  return hashingKey(rows).mac(contentOf(rows, part)).subarray(0, digestOctets);
}

/** The parts as they were received. While commands name their reads, the key may not be there yet. */
function openParts(rows: Rows, parts: readonly InboundPartRow[]): readonly Part[] {
  return parts.map((part) => {
    const { octets, header } = decodeContent(contentOf(rows, part));
    return { ...part, octets: octets ?? new Uint8Array(0), header };
  });
}

/** The octets and header of a part, encoded. */
function contentOf(rows: Rows, { id, content }: InboundPartRow): Buffer {
  return unseal(rows, { account: null, column: 'inbound_part.content', id }, content) ?? noContent;
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((octet, at) => octet === other[at]);
}
