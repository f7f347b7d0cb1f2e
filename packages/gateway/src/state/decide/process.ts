/* Commands about gateway processes: their start and end, and corrections after the clock ran ahead. */

import { nodeById, type NodeRow } from '../tables/node.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { instantOf, nodeCount, toMessageId } from '../../core/base/message-id.ts';
import { judgeClock } from '../../core/base/clock.ts';
import { addGatewayKeys, readKeys } from '../rows/keys.ts';
import { query } from '../tables/lookup.ts';
import { integer, messageId, nullable } from '../tables/column.ts';
import type { Reads } from '../rows/reads.ts';
import { messageTable, partTable, type MessageRow } from '../tables/message.ts';
import { rewrite, touch, type Rows } from '../rows/rows.ts';
import { pick, shape } from '../tables/table.ts';
import { conflict, missing, type Decided } from './decided.ts';
import { rehearsed } from './rehearsal.ts';
import { expectUnanswered, readUnanswered } from './message/inbound-repeat.ts';
import { doubt, endClaim } from './message/outcome.ts';
import { enqueuePart, leaveQueue } from './message/part.ts';
import { readNewestUnmatched } from './message/unmatched.ts';
import { readLearning } from './routing/learning.ts';

/**
 * Corrects messages that were accepted while the clock ran ahead: they become due now, and their validity starts now. A
 * time set by the client stays. Checks no more than `max` messages, starting after the id `after`.
 */
interface CutBack {
  readonly at: Instant;
  readonly after: number;
  readonly max: number;
}

const acceptedAfter = query<[after: number, max: number]>()(
  'message.accepted-after',
  shape(pick(messageTable, 'id', 'acceptedAt', 'dueAt')),
);

/** Whether a message was accepted later than now. A time set by the client is never corrected. */
const isUntrusted = (now: Instant) => (message: Pick<MessageRow, 'acceptedAt' | 'dueAt'>) =>
  message.acceptedAt > now && message.acceptedAt === message.dueAt;

/**
 * Corrects messages that were accepted while the clock ran ahead. They would wait until the wrong date, so they become
 * due now. Their validity and their wait for receipts start now, too.
 */
export const cutBackCommand = rehearsed((rows: Rows, { at, after, max }: CutBack) => {
  for (const { id, acceptedAt } of rows.values(acceptedAfter, after, max).filter(isUntrusted(at))) {
    const message = rows.message(id);
    if (!message?.parts.some(({ deadline }) => deadline !== null)) continue;
    const aheadMs = acceptedAt - at;
    rewrite(message, { dueAt: at, expiresAt: message.expiresAt - aheadMs });
    for (const part of message.parts) {
      if (part.deadline === null) continue;
      part.deadline -= aheadMs;
      if (part.roundEnds !== null) part.roundEnds -= aheadMs;
      touch(part);
      if (part.due === null || part.due <= at) continue;
      leaveQueue(rows, message, part);
      enqueuePart(rows, part, at, at);
    }
  }
  const found = rows.values(acceptedAfter, after, max);
  return ok({ last: found.at(-1)?.id ?? after, isMore: found.length === max });
});

/** Starts a run of the process. It gets a new lease, and parts claimed under its older leases are in doubt. */
interface Begin {
  readonly at: Instant;
  /**
   * The clock is not trusted if it is ahead of the newest instant in the store by more than this. If undefined, the
   * clock is always trusted.
   */
  readonly aheadMaxMs?: number;
}

export interface Begun {
  /** The number of the node, which is part of the ids that it makes. */
  readonly node: number;
  readonly lease: number;
  readonly lastMessageId: number;
  readonly inDoubt: number;
  /** The newest instant before this start of the process at which the clock was trusted; 0 for none. */
  readonly seenAt: Instant;
  /** When a clock that ran ahead became untrusted, while messages may wait for its dates; null for none. */
  readonly untrustedFrom: Instant | null;
}

/** Parts that links of a node's earlier runs had claimed. The index of claimed parts finds them. */
const orphans = query<[node: number]>()('part.orphans', shape(pick(partTable, 'message', 'number')));

/** Reads the parts in flight under leases of a node. */
function readInFlightOf(read: Reads, node: number): void {
  for (const { message, number } of read.values(orphans, node)) {
    const carrier = read.message(message)?.parts[number - 1]?.triedBy ?? null;
    if (carrier === null) continue;
    readLearning(read, carrier);
    readNewestUnmatched(read, carrier);
  }
  readUnanswered(read, node);
}

/**
 * Gives a node a new lease. Attempts under its former leases that have no answer are now in doubt (P1). Returns their
 * number.
 */
function renewLease(rows: Rows, node: NodeRow, at: Instant): number {
  node.lease += nodeCount;
  touch(node);
  const found = rows.values(orphans, node.id);
  for (const { message, number } of found) {
    const part = rows.messages.get(message)?.parts[number - 1];
    const attempt = part && rows.attempt(message, number, part.attempts);
    if (!attempt) continue;
    attempt.outcome = 'in_doubt';
    attempt.answeredAt = at;
    touch(attempt);
    endClaim(part, attempt);
    doubt(rows, part, attempt);
  }
  return found.length;
}

/**
 * The newest recorded instant of this node. Or that of another node, unless it is after this clock, because the other
 * clock may be ahead. Also the newest dates of prices, bases of price lists and messages up to a little later.
 */
const newestDates = query<[at: Instant, node: number]>()(
  'node.newest-dates',
  shape({
    seenAt: nullable(integer),
    pricedAt: nullable(integer),
    basedAt: nullable(integer),
    id: nullable(messageId),
  }),
);

/**
 * The newest instant in the store at which the clock was trusted. It can be later than the recorded instant, which is
 * up to a minute old after a crash. Prices set in that minute must be valid while the clock is not trusted.
 */
function newestTrusted({ node, values }: Pick<Rows, 'node' | 'values'>, at: Instant): Instant {
  const [found] = values(newestDates, at, node.id);
  if (!found) return node.seenAt;
  const messageAt = found.id === null ? 0 : instantOf(found.id);
  return Math.max(node.seenAt, found.seenAt ?? 0, messageAt, found.pricedAt ?? 0, found.basedAt ?? 0);
}

/** Starts a run of the gateway process with a new lease. */
export const beginCommand = {
  reads(read: Reads, { at }: Begin): void {
    readKeys(read, null);
    newestTrusted({ node: read.rows.node, values: (of, ...given) => read.values(of, ...given) }, at);
    readInFlightOf(read, read.rows.node.id);
  },
  decide(rows: Rows, command: Begin): Decided<Begun> {
    const { node } = rows;
    const seenAt = newestTrusted({ node, values: (of, ...given) => rows.values(of, ...given) }, command.at);
    const clock = judgeClock(command.at, { seenAt, aheadMaxMs: command.aheadMaxMs ?? Number.POSITIVE_INFINITY });
    // If the clock is wrong, deadlines are computed from the newest stored instant instead.
    const at = clock === 'right' ? command.at : seenAt;
    node.seenAt = Math.max(seenAt, at);
    const hasLaterIds =
      judgeClock(command.at, { seenAt: instantOf(toMessageId(node.lastMessageId)), aheadMaxMs: 0 }) === 'behind';
    // A clock that ran ahead during an earlier run is found by the ids of its messages.
    if (clock === 'ahead' || (clock === 'right' && hasLaterIds))
      node.untrustedFrom = Math.min(node.untrustedFrom ?? command.at, command.at);
    addGatewayKeys(rows, command.at);
    const inDoubt = renewLease(rows, node, at);
    expectUnanswered(rows, node, command.at);
    const { id, lease, lastMessageId, untrustedFrom } = node;
    return ok({ node: id, lease, lastMessageId, inDoubt, seenAt, untrustedFrom });
  },
};

/** Ends the lease of a node that is dead. If the node still runs, it can write nothing more (P7). */
interface TakeOver {
  readonly at: Instant;
  readonly node: number;
  /** The lease of the dead process. The node may have started again since, with a new lease. */
  readonly lease: number;
}

export const takeOverCommand = {
  reads(read: Reads, { node }: TakeOver): void {
    read.one(nodeById, node);
    readInFlightOf(read, node);
  },
  decide(rows: Rows, { at, node, lease }: TakeOver): Decided<{ readonly inDoubt: number }> {
    const row = rows.one(nodeById, node);
    if (!row) return missing(`there is no node ${node}`);
    if (node === rows.node.id) throw new Error('a node cannot take over itself');
    if (row.lease !== lease) return conflict(`lease ${lease} of node ${node} has ended already`);
    const inDoubt = renewLease(rows, row, at);
    expectUnanswered(rows, row, at);
    return ok({ inDoubt });
  },
};

/**
 * Records that the clock is trusted at this instant. An instant before the recorded one counts only if forced; then no
 * message waits for a date of an untrusted clock any more.
 */
interface SeeClock {
  readonly at: Instant;
  readonly isForced: boolean;
}

export const seeClockCommand = {
  decide({ node }: Rows, { at, isForced }: SeeClock): Decided<null> {
    node.seenAt = isForced ? at : Math.max(node.seenAt, at);
    if (isForced) node.untrustedFrom = null;
    touch(node);
    return ok(null);
  },
};
