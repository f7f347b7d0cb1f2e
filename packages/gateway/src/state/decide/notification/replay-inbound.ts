/* Delivers inbound messages again, by the current numbers, keywords and destinations. */

import type { MessageId } from '../../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { giveInbound, openInbound } from '../../rows/inbound-content.ts';
import { inboundById, type InboundRow, type OpenInbound } from '../../tables/inbound.ts';
import { notificationsOfInbound, type NotificationRow } from '../../tables/notification.ts';
import { lastChanges } from '../../tables/opt-out.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { missing, type Decided } from '../decided.ts';
import { readRoute, routeOf } from '../number/inbound-route.ts';
import { accountById } from '../../tables/account.ts';
import { applyStop, readOptOutsOfPhone } from '../number/opt-out.ts';
import { hasDestination, readDestinations, notifyOfInbound, renotifyOfInbound } from './notification.ts';

interface ReplayInbound {
  readonly at: Instant;
  /** In the order of delivery. */
  readonly ids: readonly MessageId[];
  /** Also moves messages that have an account to the one that the current numbers and keywords name. */
  readonly isRerouted: boolean;
}

/** Numbers of messages. Each message counts once in one of the first four. */
export interface InboundReplayed {
  /** Messages with a new notification. */
  readonly replayed: number;
  /** Messages whose notification is still waiting for delivery. */
  readonly waiting: number;
  /** Messages whose account has no destination for them. */
  readonly withoutDestination: number;
  /** Messages that still match no account. */
  readonly unmatched: number;
  /** Messages that have another account than before. */
  readonly rerouted: number;
}

export const replayInboundCommand = {
  reads(read: Reads, { ids }: ReplayInbound): void {
    for (const id of ids) {
      const row = read.one(inboundById, id);
      if (!row) continue;
      read.all(notificationsOfInbound, id);
      readRoute(read, row.receiver);
      readKeys(read, row.account);
      const { route } = routeOf(read.rows, row.receiver, beginningOf(openInbound(read.rows, row)));
      for (const account of [row.account, route.account]) {
        if (account === null) continue;
        read.one(accountById, account);
        readDestinations(read, account);
      }
      readOptOutsOfPhone(read, row.sender);
      read.values(lastChanges, row.sender);
    }
  },
  decide: decideReplayInbound,
};

/**
 * Delivers inbound messages again. Unmatched messages go to the account with the number or keyword now. Other messages
 * keep their account, unless the command asks to reroute them and another account has the number now.
 *
 * A notification that was given up, or waits for a removed destination, is delivered again with its id, so that the
 * client can recognise a repeat. A message never has two notifications that may be delivered. Notifications of an
 * account that no longer has the message are withdrawn.
 */
function decideReplayInbound(rows: Rows, command: ReplayInbound): Decided<InboundReplayed> {
  const unknown = command.ids.find((id) => !rows.one(inboundById, id));
  if (unknown !== undefined) return missing(`there is no inbound message with the id ${unknown}`);
  const counts = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };
  for (const id of command.ids) {
    const row = rows.one(inboundById, id);
    if (!row) continue;
    const rerouted = reroute(rows, row, command);
    if (rerouted) counts.rerouted += 1;
    counts[tell(rows, rerouted ?? openInbound(rows, row), command.at)] += 1;
  }
  return ok(counts);
}

/** The beginning of an incomplete message may be missing, so its first word must not count as a keyword. */
function beginningOf({ complete, text }: OpenInbound): string | null {
  return complete ? text : null;
}

/** Gives a message to the account with the number or keyword now. Returns it if that is another account. */
function reroute(rows: Rows, row: InboundRow, { at, isRerouted }: ReplayInbound): OpenInbound | undefined {
  if (row.account !== null && !isRerouted) return undefined;
  const routed = routeOf(rows, row.receiver, beginningOf(openInbound(rows, row)));
  const { account } = routed.route;
  if (account === null || account === row.account) return undefined;
  const given = giveInbound(rows, row, routed.route);
  applyStop(rows, given, { routed, at });
  return given;
}

function tell(rows: Rows, row: OpenInbound, at: Instant): Exclude<keyof InboundReplayed, 'rerouted'> {
  if (row.account === null) return 'unmatched';
  const untold = rows
    .all(notificationsOfInbound, row.id)
    .filter(({ state }) => state === 'waiting' || state === 'dead')
    .toSorted((one, other) => one.id - other.id);
  const own = untold.filter(({ account }) => account === row.account);
  const last =
    own.find((notification) => notification.state === 'waiting' && hasDestination(rows, row, notification)) ??
    own.at(-1);
  for (const notification of untold) if (notification !== last) withdraw(notification, at);
  if (last?.state === 'waiting' && hasDestination(rows, row, last)) return 'waiting';
  if (last) return renotifyOfInbound(rows, row, { notification: last, at }) ? 'replayed' : 'withoutDestination';
  return notifyOfInbound(rows, row, at) ? 'replayed' : 'withoutDestination';
}

function withdraw(notification: NotificationRow, at: Instant): void {
  notification.state = 'withdrawn';
  notification.due = null;
  notification.endedAt = at;
  notification.outcome = 'the inbound message was replayed';
  touch(notification);
}
