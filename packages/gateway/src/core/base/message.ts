import type { Instant } from '@morsel/api/values/time.ts';

const receiptEnds = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown'] as const;

export type FinalEvent = (typeof receiptEnds)[number] | 'canceled';

/** Where a part is. `claimed`: owned by a link, its bytes may be on the way. `in_doubt`: bytes given to the socket, no answer known. */
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

/** What /sms/dlr calls it. */
export const messageEvents = ['scheduled', 'queued', 'sent', 'buffered', ...receiptEnds, 'canceled'] as const;

export type MessageEvent = (typeof messageEvents)[number];

/**
 * Every legal move of a part; a pair that is absent is illegal (promise A4). The moves out of `unknown` and `expired`
 * are the one correction that a real late receipt may make (decisions, section 3); an end that an unmarked text set has its
 * own table.
 */
const moves: Record<PartState, readonly PartState[]> = {
  scheduled: ['queued', 'canceled', 'expired'],
  // From `queued` to `in_doubt` and `sent`: it waits to be sent again after a doubt, which then ends otherwise.
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

/** What a marked receipt may make of an end that only an unmarked text set: any end, the same one to confirm it. */
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

/** How far along each event is; events of a message only move up this scale. */
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

/** The worst end of any part decides the message's; `delivered` comes last because it needs all of them. */
const worstFirst: readonly FinalEvent[] = ['rejected', 'undelivered', 'expired', 'unknown', 'canceled', 'delivered'];

export function isFinal(state: PartState): state is FinalEvent {
  return state !== 'claimed' && state !== 'in_doubt' && rank[state] === finalRank;
}

/** What a part counts as in its message's event: one in doubt counts as sent. */
export function eventOf(state: PartState): MessageEvent {
  if (state === 'claimed') return 'queued';
  if (state === 'in_doubt') return 'sent';
  return state;
}

/** The event that the states of all parts make together, before the rule that events only move forward. */
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
  /** A late receipt has corrected the final event already; that happens once. */
  readonly corrected: boolean;
  /** The final event was set by us (validity or wait ran out), not by a carrier. */
  readonly ownEnd: boolean;
}

/** What changed a message's parts. `endsText`: the last end that stood on an unmarked text was confirmed or corrected. */
interface EventChange {
  readonly now: Instant;
  readonly byReceipt: boolean;
  readonly endsText?: boolean;
}

/**
 * The message's event after its parts changed at `now`; the same record when nothing moves. Forward only, except that a
 * real receipt corrects once: `unknown`, an `expired` that we set ourselves, or an end that unmarked texts made.
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
