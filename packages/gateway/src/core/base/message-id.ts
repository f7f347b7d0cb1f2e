import type { Instant } from '@morsel/api/values/time.ts';

declare const messageId: unique symbol;

/**
 * The one id of a message, everywhere: 41 bits of milliseconds since 2019, 5 of node, 7 of sequence.
 * It is a safe JavaScript integer and 16 decimal digits until 2088, so text sorts as numbers do.
 */
export type MessageId = number & { readonly [messageId]: true };

const epoch = Date.UTC(2019, 0, 1);
const nodeCount = 32;
const sequenceCount = 128;
const ticksPerMs = nodeCount * sequenceCount;
const idPattern = /^[1-9][0-9]{0,15}$/;

export function toMessageId(value: number): MessageId {
  return value as MessageId;
}

/** Reads an id from outside; undefined if it cannot be one of ours. Callers treat that as an unknown id. */
export function parseMessageId(text: string): MessageId | undefined {
  if (!idPattern.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? toMessageId(value) : undefined;
}

/** The first id of a millisecond: ids at or above it were made at that instant or later. */
export function firstIdAt(instant: Instant): MessageId {
  return toMessageId(Math.max(1, (Math.floor(instant) - epoch) * ticksPerMs));
}

/** The millisecond in which an id was made. */
export function instantOf(id: MessageId): Instant {
  return epoch + Math.floor(id / ticksPerMs);
}

/**
 * The id after `last` at `now`, on `node`. Ids of a node only grow. If the clock steps back, or more than 128 ids are
 * needed in one millisecond, the last id's milliseconds continue. The caller keeps `last` durable.
 */
export function nextMessageId(last: number, now: Instant, node: number): MessageId {
  const fresh = (Math.floor(now) - epoch) * ticksPerMs + node * sequenceCount;
  if (fresh > last) return toMessageId(fresh);
  const sequence = last % sequenceCount;
  if (sequence + 1 < sequenceCount && Math.floor(last / sequenceCount) % nodeCount === node)
    return toMessageId(last + 1);
  return toMessageId((Math.floor(last / ticksPerMs) + 1) * ticksPerMs + node * sequenceCount);
}

/** Ids of a node in growing order, above the last one that was ever kept. */
export function messageIdsAfter(last: number, node: number, now: () => Instant): () => MessageId {
  let newest = last;
  return () => {
    const id = nextMessageId(newest, now(), node);
    newest = id;
    return id;
  };
}
