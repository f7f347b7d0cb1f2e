import type { Instant } from '@morsel/api/values/time.ts';

/* Makes and parses message ids, and reads the time from an id. */

declare const messageId: unique symbol;

/**
 * The id of a message, the same in all interfaces: 41 bits for the milliseconds since 2019, 7 bits for the node, 5 bits
 * for a sequence number. Until 2088 an id is a safe JavaScript integer with 16 decimal digits, so ids as text sort like
 * numbers.
 */
export type MessageId = number & { readonly [messageId]: true };

const epoch = Date.UTC(2019, 0, 1);
/** How many different node numbers there are. A lease modulo this number is the number of the lease's node. */
export const nodeCount = 128;
/** How many ids a node makes in one millisecond. */
export const sequenceCount = 32;
const ticksPerMs = nodeCount * sequenceCount;
const idPattern = /^[1-9][0-9]{0,15}$/;

export function toMessageId(value: number): MessageId {
  return value as MessageId;
}

/** Undefined if the gateway cannot have made this id. Callers then treat the id as unknown. */
export function parseMessageId(text: string): MessageId | undefined {
  if (!idPattern.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? toMessageId(value) : undefined;
}

/** The lowest id of a millisecond. This id and all higher ids were made in that millisecond or later. */
export function firstIdAt(instant: Instant): MessageId {
  return toMessageId(Math.max(1, (Math.floor(instant) - epoch) * ticksPerMs));
}

export function instantOf(id: MessageId): Instant {
  return epoch + Math.floor(id / ticksPerMs);
}

/**
 * Makes the next message id of a node at the time `now`. Ids of a node only grow. If the clock steps back, or one
 * millisecond needs more than 32 ids, the count goes on from `last`. The caller must store the new id, so that it is
 * `last` after a restart.
 */
export function nextMessageId(last: number, now: Instant, node: number): MessageId {
  const fresh = (Math.floor(now) - epoch) * ticksPerMs + node * sequenceCount;
  if (fresh > last) return toMessageId(fresh);
  const sequence = last % sequenceCount;
  if (sequence + 1 < sequenceCount && Math.floor(last / sequenceCount) % nodeCount === node)
    return toMessageId(last + 1);
  return toMessageId((Math.floor(last / ticksPerMs) + 1) * ticksPerMs + node * sequenceCount);
}

/** Returns a function that makes message ids. All of them are above the last stored id. */
export function messageIdsAfter(last: number, node: number, now: () => Instant): () => MessageId {
  let newest = last;
  return () => {
    const id = nextMessageId(newest, now(), node);
    newest = id;
    return id;
  };
}
