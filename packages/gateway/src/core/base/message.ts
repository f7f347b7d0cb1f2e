/*
 * States of parts and events of messages: two tables say which moves of a part are legal, and in which order the events
 * of a message come.
 */

import { receiptEnds } from '@morsel/api/values/message.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export type FinalEvent = (typeof receiptEnds)[number] | 'canceled';

/**
 * State of a part. `claimed`: owned by a link, its bytes may be on the way. `in_doubt`: its bytes were given to the
 * socket, and no answer came before a timeout or the end of the connection or of the process.
 */
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
 * Every legal move of a part; an absent pair is illegal (A4). The moves out of `unknown` and `expired` are the one
 * correction that a late receipt may make. An end that an unmarked text set has its own table.
 */
const moves: Record<PartState, readonly PartState[]> = {
  scheduled: ['queued', 'canceled', 'expired'],
  // From `queued` to `in_doubt` and `sent`: a part that waits to be sent again after a doubt, which ends otherwise.
  queued: ['claimed', 'canceled', 'in_doubt', 'sent', 'buffered', ...receiptEnds],
  // To `canceled`: its link brought it back, and another part was refused meanwhile.
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

/** What a marked receipt may make of an end that only an unmarked text set. The same end confirms it. */
const movesOfTextEnds: Partial<Record<PartState, readonly PartState[]>> = {
  delivered: receiptEnds,
  undelivered: receiptEnds,
  rejected: receiptEnds,
  expired: receiptEnds,
  unknown: receiptEnds,
};

export function mayMoveTextEnd(from: PartState, to: PartState): boolean {
  return movesOfTextEnds[from]?.includes(to) ?? false;
}

/** The order of events: a message only moves up this scale. */
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

/** The worst end of any part decides the message's event. `delivered` comes last because it needs all parts. */
const worstFirst: readonly FinalEvent[] = ['rejected', 'undelivered', 'expired', 'unknown', 'canceled', 'delivered'];

export function isFinal(state: PartState): state is FinalEvent {
  return state !== 'claimed' && state !== 'in_doubt' && rank[state] === finalRank;
}

/** A part's event; a part in doubt counts as sent. */
export function eventOf(state: PartState): MessageEvent {
  if (state === 'claimed') return 'queued';
  if (state === 'in_doubt') return 'sent';
  return state;
}

/** The event of all parts together, before the rule that events only move forward. */
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
  /** A late receipt already corrected the final event; that happens once. */
  readonly corrected: boolean;
  /** The gateway set the final event, because validity or wait ended; not a carrier. */
  readonly ownEnd: boolean;
}

/** What changed the parts. `endsText`: the last end that stood on an unmarked text was confirmed or corrected. */
interface EventChange {
  readonly now: Instant;
  readonly byReceipt: boolean;
  readonly endsText?: boolean;
}

/**
 * The message's event after its parts changed at `now`; the same record if nothing moves. It only moves forward, except
 * that a marked receipt corrects once: `unknown`, an `expired` that the gateway set, or an end that unmarked texts
 * made.
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
