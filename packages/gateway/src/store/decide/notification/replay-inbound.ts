import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { InboundReplayed, ReplayInbound } from '../../commands/inbound.ts';
import type { InboundRow } from '../../tables/inbound.ts';
import type { NotificationRow } from '../../tables/notification.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { routeOf } from '../number/inbound-route.ts';
import { hasDestination, notifyOfInbound, renotifyOfInbound } from './notification.ts';
import { applyStop } from '../number/opt-out.ts';

/**
 * Delivers inbound messages again. Unmatched messages go to the account with the number or keyword now. Other messages
 * keep their account, unless the command asks to reroute them and another account has the number now.
 *
 * A notification that was given up, or waits for a removed destination, is delivered again with its id, so that the
 * client can recognise a repeat. A message never has two notifications that may be delivered. Notifications of an
 * account that no longer has the message are withdrawn.
 */
export function decideReplayInbound(rows: Rows, command: ReplayInbound): Result<InboundReplayed, Rejection> {
  const { stored } = rows.inbound;
  const unknown = command.ids.find((id) => !stored.has(id));
  if (unknown !== undefined) {
    return refused({ code: 'does_not_exist', detail: `there is no inbound message with the id ${unknown}` });
  }
  const counts = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };
  for (const id of command.ids) {
    const message = stored.get(id);
    if (!message) continue;
    if (reroute(rows, message.row, command)) counts.rerouted += 1;
    counts[tell(rows, message, command.at)] += 1;
  }
  return ok(counts);
}

/** Gives a message to the account with the number or keyword now. Returns whether that is another account. */
function reroute(rows: Rows, row: InboundRow, { at, isRerouted }: ReplayInbound): boolean {
  if (row.account !== null && !isRerouted) return false;
  // The beginning of an incomplete message may be missing, so its first word must not count as a keyword.
  const routed = routeOf(rows, row.receiver, row.complete ? row.text : null);
  const { account } = routed.route;
  if (account === null || account === row.account) return false;
  Object.assign(row, routed.route);
  touch(row);
  applyStop(rows, row, { routed, at });
  return true;
}

interface Replayed {
  readonly row: InboundRow;
  readonly notifications: NotificationRow[];
}

function tell(rows: Rows, { row, notifications }: Replayed, at: Instant): Exclude<keyof InboundReplayed, 'rerouted'> {
  if (row.account === null) return 'unmatched';
  const untold = notifications.filter(({ state }) => state === 'waiting' || state === 'dead');
  const own = untold.filter(({ account }) => account === row.account);
  const last =
    own.find((notification) => notification.state === 'waiting' && hasDestination(rows, row, notification)) ??
    own.at(-1);
  for (const notification of untold) if (notification !== last) withdraw(notification, at);
  if (last?.state === 'waiting' && hasDestination(rows, row, last)) return 'waiting';
  if (last) return renotifyOfInbound(rows, row, { notification: last, at }) ? 'replayed' : 'withoutDestination';
  const made = notifyOfInbound(rows, row, at);
  if (!made) return 'withoutDestination';
  notifications.push(made);
  return 'replayed';
}

function withdraw(notification: NotificationRow, at: Instant): void {
  notification.state = 'withdrawn';
  notification.due = null;
  notification.endedAt = at;
  notification.outcome = 'the inbound message was replayed';
  touch(notification);
}
