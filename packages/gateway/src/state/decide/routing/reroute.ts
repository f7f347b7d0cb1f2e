/* Moves waiting messages when the operator changes routes. */

import { eligibleText, parseEligible } from '../../../core/routing/eligible.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Reads } from '../../rows/reads.ts';
import type { MessageRow, PartRow } from '../../tables/message.ts';
import { routeToFollow, type RouteToFollow } from '../../tables/route.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';
import { holderOf } from '../message/fail-over.ts';
import type { JobStep, RowDone } from '../decision.ts';
import { addNote, enqueuePart, leaveQueue } from '../message/part.ts';

/** Moves waiting messages to another route, or to other eligible carriers. Messages with a part at a carrier stay. */
interface Reroute {
  readonly at: Instant;
  readonly messages: readonly { readonly message: MessageId; readonly route: number; readonly eligible: string }[];
  /**
   * Which failed attempts are forgotten. `rounds`: failures that were to be retried, with the pause before the next
   * round, so the part is due at once. `all`: also refusals for good.
   */
  readonly forgets: 'nothing' | 'rounds' | 'all';
  /** The last step after a change of a route: every waiting message has followed. */
  readonly followed?: FollowedRoute | undefined;
}

type FollowedRoute = Pick<RouteToFollow, 'route' | 'changedAt'>;

interface Rerouted {
  /** Messages with another route, other eligible carriers or an earlier due time. */
  readonly moved: number;
  /** Messages that stay because a carrier has, or may have, a part of them. */
  readonly held: number;
}

export const rerouteCommand = {
  reads(read: Reads, { messages, followed }: Reroute): void {
    for (const { message } of messages) read.message(message);
    if (followed) read.one(routeToFollow, followed.route);
  },
  decide: decideReroute,
};

/**
 * Moves waiting messages to another route, or to the present eligible carriers of their route. A message stays if a
 * carrier has one of its parts, because all parts go to the same carrier.
 */
function decideReroute(rows: Rows, command: Reroute): { readonly ok: true; readonly value: Rerouted } {
  let moved = 0;
  let held = 0;
  for (const { message: id, route, eligible } of command.messages) {
    const message = rows.message(id);
    if (!message?.parts.some(waits)) continue;
    if (holderOf(message) !== null) held += 1;
    else if (moveMessage(rows, message, { ...command, route, eligible })) moved += 1;
  }
  if (command.followed) endFollowing(rows, command.followed);
  return ok({ moved, held });
}

/** A message with the route that it would take now; null without a route for it. */
export interface MessageToReroute {
  readonly message: MessageId;
  readonly to: Pick<Destination, 'route' | 'eligible'> | null;
}

/** Moves a message for a job. Undefined if it is on its route: the job also finds messages again that it moved. */
export function rerouteRow(
  rows: Rows,
  { message, to }: MessageToReroute,
  { at }: JobStep,
): RowDone<'moved' | 'held by a carrier' | 'without a route'> | undefined {
  if (!to) return { outcome: 'without a route' };
  const { value } = decideReroute(rows, { at, messages: [{ message, ...to }], forgets: 'all' });
  if (value.held > 0) return { outcome: 'held by a carrier' };
  return value.moved > 0 ? { outcome: 'moved' } : undefined;
}

/** The route may have been changed again since: then its messages go on to follow. */
function endFollowing(rows: Rows, { route, changedAt }: FollowedRoute): void {
  const toFollow = rows.one(routeToFollow, route);
  if (toFollow?.changedAt === changedAt) toFollow.change = 'gone';
}

function waits({ state, due }: PartRow): boolean {
  return state === 'queued' && due !== null;
}

interface Destination extends Pick<Reroute, 'at' | 'forgets'> {
  readonly route: number;
  readonly eligible: string;
}

function moveMessage(rows: Rows, message: MessageRow, to: Destination): boolean {
  const isOtherRoute = message.route !== to.route;
  const moving = message.parts.flatMap((part) => {
    if (!waits(part) || part.due === null) return [];
    const eligible = eligibleAfter(part.eligible, to);
    // A part that waits for a retry is queued by the due time of its message again.
    const due = to.forgets === 'nothing' ? part.due : Math.min(part.due, message.dueAt);
    return isOtherRoute || eligible !== part.eligible || due !== part.due ? [{ part, eligible, due }] : [];
  });
  if (moving.length === 0) return false;
  for (const { part } of moving) leaveQueue(rows, message, part);
  if (isOtherRoute) {
    rewrite(message, { route: to.route });
    const detail = `the operator moved ${moving.length} of ${message.numParts} parts to another route`;
    addNote(rows, { message: message.id, number: null }, { at: to.at, kind: 'rerouted', detail });
  }
  for (const { part, eligible, due } of moving) {
    part.eligible = eligible;
    if (to.forgets !== 'nothing') {
      part.roundEnds = null;
      part.deadline = message.expiresAt;
    }
    enqueuePart(rows, part, due, to.at);
  }
  return true;
}

/**
 * The eligible carriers after the move. Carriers that refused or tried the part stay excluded, unless the command
 * forgets them.
 */
function eligibleAfter(eligible: string, to: Destination): string {
  const { tried, refusedBy } = parseEligible(eligible);
  const { barred, order } = parseEligible(to.eligible);
  const isKept = to.forgets === 'nothing';
  return eligibleText({
    holder: null,
    tried: isKept ? tried : [],
    refusedBy: to.forgets === 'all' ? [] : refusedBy,
    barred,
    order,
  });
}
