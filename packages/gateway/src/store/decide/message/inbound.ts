/*
 * Decides what happens to an inbound part: it waits for other parts, completes a message, or is a redelivery. Also
 * makes incomplete messages of parts that waited too long for the missing parts.
 */

import { createHash } from 'node:crypto';
import { readContent, repeatedWithinMs } from '../../../core/message/inbound.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ExpireInbound, InboundExpired, InboundRecorded, RecordInbound } from '../../commands/inbound.ts';
import { inboundKey } from '../../tables/inbound.ts';
import type { InboundPartRow, InboundRow, JoinedRow } from '../../tables/inbound.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { findRepeat, takeRepeat } from './inbound-repeat.ts';
import { routeOf } from '../number/inbound-route.ts';
import { notifyOfInbound } from '../notification/notification.ts';
import { applyWishes, wouldStop } from '../number/opt-out.ts';

/** A part of a message; without a concatenation, it is the whole message. */
type Part = Omit<InboundPartRow, 'change' | 'id' | 'concatenation'> & Pick<RecordInbound, 'concatenation'>;

/** How many octets of a digest are stored. They are enough to distinguish two parts with the same reference. */
const digestOctets = 16;

/**
 * Stores an inbound part. The last part completes the message. Until then the parts wait, even if several links or runs
 * of the process received them.
 *
 * A part with the same octets as a stored part changes nothing. A different part with the same number starts a new
 * message, and the older message is stored as incomplete. Parts of a finished message wait when they come again,
 * because a phone may reuse its reference for a text with the same beginning. They are deleted if no new part follows.
 */
export function decideInbound(rows: Rows, command: RecordInbound): Result<InboundRecorded, never> {
  const { concatenation, id, at } = command;
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
  const part = partOf(rows, { ...command, concatenation });
  const key = inboundKey(part);
  const waiting = waitingOf(rows, key);
  const same = waiting.find((each) => each.concatenation.number === concatenation.number);
  if (same && equal(same.octets, part.octets)) return ok({ became: 'duplicate' });
  if (same) giveUp(rows, key, { id, at });
  waiting.push(part);
  rows.counters.inboundPart += 1;
  if (waiting.length < concatenation.total) return ok({ became: 'waiting' });
  if (areKnown(rows, key) && waiting.some((each) => cameSoon(rows, key, each))) {
    // The carrier sent the whole message again, because it got none of our answers.
    leave(rows, waiting.splice(0));
    return ok({ became: 'duplicate' });
  }
  join(rows, waiting.splice(0), { id, at });
  return ok({ became: 'message' });
}

/** Makes incomplete messages of parts that have waited too long for missing parts (O3). */
export function decideExpireInbound(rows: Rows, command: ExpireInbound): Result<InboundExpired, never> {
  const ids = command.ids.values();
  let messages = 0;
  for (const key of rows.inbound.overdue) {
    const waiting = waitingOf(rows, key);
    // An earlier command of the same commit may have completed the message.
    if (!waiting.some((part) => part.receivedAt <= command.before)) continue;
    const id = ids.next();
    if (id.done === true) return ok({ isFull: true, messages });
    if (giveUp(rows, key, { id: id.value, at: command.at })) messages += 1;
  }
  return ok({ isFull: rows.inbound.isFull, messages });
}

/**
 * Makes an incomplete message of the waiting parts. Returns false if all of them repeat parts of an earlier message.
 */
function giveUp(rows: Rows, key: string, { id, at }: { id: MessageId; at: Instant }): boolean {
  const isNothing = areKnown(rows, key);
  const waiting = waitingOf(rows, key).splice(0);
  if (isNothing) leave(rows, waiting);
  else join(rows, waiting, { id, at });
  return !isNothing;
}

/** Parts that arrived in this group were never stored. */
function leave(rows: Rows, parts: readonly InboundPartRow[]): void {
  rows.inbound.left.push(...parts.filter(({ change }) => change !== 'new'));
}

/** Makes a message of waiting parts. */
function join(rows: Rows, parts: readonly InboundPartRow[], made: { id: MessageId; at: Instant }): void {
  make(rows, parts, made);
  leave(rows, parts);
  for (const part of parts) remember(rows, part, made.at);
}

function make(rows: Rows, parts: readonly Part[], { id, at }: { id: MessageId; at: Instant }): void {
  const message = compose(rows, parts, id);
  if (!message) return;
  const { made, routed } = message;
  rows.inbound.made.push(made);
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
  const { carrier, sender, receiver, dataCoding } = first;
  const numParts = first.concatenation?.total ?? 1;
  const content = readContent(inOrder.map((part) => ({ ...part, number: numberOf(part) })));
  const routed = routeOf(rows, receiver, numberOf(first) === 1 ? content.text : null);
  const made: InboundRow = {
    change: 'new',
    ...content,
    ...routed.route,
    id,
    carrier,
    sender,
    receiver,
    dataCoding,
    numParts,
    partsReceived: parts.length,
    complete: parts.length === numParts,
    receivedAt: Math.max(...parts.map((part) => part.receivedAt)),
  };
  return { made, routed };
}

function remember(rows: Rows, part: InboundPartRow, joinedAt: Instant): void {
  const { concatenation, carrier, sender, receiver } = part;
  const key = inboundKey(part);
  const joined = rows.inbound.joined.get(key) ?? new Map<number, JoinedRow>();
  rows.inbound.joined.set(key, joined);
  const digest = digestOf(part);
  joined.set(concatenation.number, { change: 'new', carrier, sender, receiver, concatenation, digest, joinedAt });
}

/** Whether all waiting parts were also parts of an earlier message. */
function areKnown(rows: Rows, key: string): boolean {
  return waitingOf(rows, key).every((part) => joinedAs(rows, key, part) !== undefined);
}

/** Whether the part came again shortly after its message was made. */
function cameSoon(rows: Rows, key: string, part: InboundPartRow): boolean {
  const joined = joinedAs(rows, key, part);
  return joined !== undefined && part.receivedAt - joined.joinedAt < repeatedWithinMs;
}

function joinedAs(rows: Rows, key: string, part: InboundPartRow): JoinedRow | undefined {
  const joined = rows.inbound.joined.get(key)?.get(numberOf(part));
  return joined && equal(joined.digest, digestOf(part)) ? joined : undefined;
}

function partOf(rows: Rows, command: RecordInbound & Pick<InboundPartRow, 'concatenation'>): InboundPartRow {
  const { kind: _kind, at, id: _id, ...part } = command;
  return { ...part, change: 'new', id: rows.counters.inboundPart, receivedAt: at };
}

function waitingOf(rows: Rows, key: string): InboundPartRow[] {
  const waiting = rows.inbound.waiting.get(key) ?? [];
  rows.inbound.waiting.set(key, waiting);
  return waiting;
}

function numberOf(part: Part): number {
  return part.concatenation?.number ?? 1;
}

function digestOf({ octets }: InboundPartRow): Uint8Array {
  return createHash('sha256').update(octets).digest().subarray(0, digestOctets);
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((octet, at) => octet === other[at]);
}
