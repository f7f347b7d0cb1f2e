/*
 * States of parts and events of messages. One table has the legal moves of a part from state to state, another has the
 * order of a message's events.
 */

import { receiptEnds, type MessageEvent, type partEnds } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export type FinalEvent = (typeof partEnds)[number];

/** `claimed`: a link may be sending the part. `in_doubt`: written to the socket, but no answer came. */
export const partStates = [
  'scheduled',
  'queued',
  'claimed',
  'sent',
  'buffered',
  'in_doubt',
  ...receiptEnds,
  'canceled',
] as const;

export type PartState = (typeof partStates)[number];

/**
 * Every legal move of a part from one state to another; all other moves are illegal (A4). The moves out of `unknown`
 * and `expired` are corrections by a late receipt. A marked receipt also corrects the end that an unmarked one set.
 */
const moves: Record<PartState, readonly PartState[]> = {
  scheduled: ['queued', 'canceled', 'expired'],
  // The moves from `queued` to `in_doubt` and `sent` are for a part that was in doubt and waits to be sent again.
  queued: ['claimed', 'canceled', 'in_doubt', 'sent', 'buffered', ...receiptEnds],
  // A claimed part becomes `canceled` if its link returns it unsent after another part of the message was refused.
  claimed: ['sent', 'queued', 'canceled', 'in_doubt', 'buffered', ...receiptEnds],
  sent: ['buffered', ...receiptEnds],
  buffered: receiptEnds,
  in_doubt: ['queued', 'sent', 'buffered', 'canceled', ...receiptEnds],
  delivered: [],
  undelivered: [],
  rejected: [],
  expired: ['delivered', 'undelivered', 'rejected', 'unknown'],
  unknown: ['delivered', 'undelivered', 'rejected', 'expired'],
  canceled: [],
};

export function mayMove(from: PartState, to: PartState): boolean {
  return moves[from].includes(to);
}

/** The rank of each event. A message never moves to an event of lower rank. */
const rank: Record<MessageEvent, number> = {
  scheduled: 0,
  queued: 1,
  sent: 2,
  buffered: 3,
  delivered: 4,
  undelivered: 4,
  rejected: 4,
  expired: 4,
  unknown: 4,
  canceled: 4,
};

const finalRank = 4;

/** Final states, the worst first: a message is `delivered` only if all its parts are. */
const worstFirst: readonly FinalEvent[] = ['rejected', 'undelivered', 'expired', 'unknown', 'canceled', 'delivered'];

export function isFinal(state: PartState): state is FinalEvent {
  return state !== 'claimed' && state !== 'in_doubt' && rank[state] === finalRank;
}

/** The event that a client sees for a part in this state; a part in doubt counts as sent. */
export function eventOf(state: PartState): MessageEvent {
  if (state === 'claimed') return 'queued';
  if (state === 'in_doubt') return 'sent';
  return state;
}

/** The event of a message whose parts have these states. The caller must still check that the event moves forward. */
export function combineParts(states: readonly PartState[]): MessageEvent {
  let least: MessageEvent | undefined;
  for (const state of states) {
    const event = eventOf(state);
    if (rank[event] < finalRank && (least === undefined || rank[event] < rank[least])) least = event;
  }
  return least ?? worstFirst.find((event) => states.includes(event)) ?? 'unknown';
}

export interface EventRecord {
  readonly event: MessageEvent;
  readonly eventAt: Instant;
  readonly corrected: boolean;
  /** Whether the gateway itself set the final event, because the validity or the wait for a receipt ended. */
  readonly ownEnd: boolean;
}

/** `endsText`: a marked receipt confirmed or corrected the last final state that an unmarked text had set. */
interface EventChange {
  readonly now: Instant;
  readonly byReceipt: boolean;
  readonly endsText?: boolean;
}

/**
 * The event of a message after a change of its parts; the same record if the event stays the same. An event only moves
 * forward, with one exception. A marked receipt may correct `unknown`, an `expired` that the gateway set, or a final
 * event that came from unmarked texts.
 */
export function advanceEvent(record: EventRecord, states: readonly PartState[], change: EventChange): EventRecord {
  const event = combineParts(states);
  if (event === record.event) return record;
  const forward = rank[event] > rank[record.event];
  const correction =
    rank[record.event] === finalRank &&
    rank[event] === finalRank &&
    change.byReceipt &&
    (change.endsText === true ||
      (!record.corrected && (record.event === 'unknown' || (record.event === 'expired' && record.ownEnd))));
  if (!forward && !correction) return record;
  return {
    event,
    eventAt: change.now,
    corrected: record.corrected || correction,
    ownEnd: rank[event] === finalRank && !change.byReceipt,
  };
}
