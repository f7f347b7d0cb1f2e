/* Delivers inbound messages again, by the current numbers, keywords and destinations. */

import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { giveInbound, openInbound } from '../../rows/inbound-content.ts';
import { inboundById, type InboundRow, type OpenInbound } from '../../tables/inbound.ts';
import { notificationsOfInbound, type NotificationRow } from '../../tables/notification.ts';
import { lastChanges } from '../../tables/opt-out.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { missing } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { readRoute, routeOf } from '../number/inbound-route.ts';
import { accountById } from '../../tables/account.ts';
import { applyStop, readOptOutsOfPhone } from '../number/opt-out.ts';
import { hasDestination, readDestinations, notifyOfInbound, renotifyOfInbound } from './notification.ts';

/** The messages to replay, and where the next step of the replay goes on. */
export interface ChosenInbound extends Pick<Answer, 'next' | 'until'> {
  /** The ids in the order of delivery. */
  readonly ids: readonly MessageId[];
}

type Answer = AnswerOf<OperationNamed<'inbound.replay'>>;
/** The numbers of the answer; each message counts in one of them. */
type Counted = Exclude<keyof Answer, 'rerouted' | 'next' | 'until'>;

/**
 * Delivers inbound messages again. Unmatched messages go to the account with the number or keyword now. Other messages
 * keep their account, unless the operator asks to reroute them and another account has the number now.
 *
 * A notification that was given up, or waits for a removed destination, is delivered again with its id, so that the
 * client can recognise a repeat. A message never has two notifications that may be delivered. Notifications of an
 * account that no longer has the message are withdrawn.
 */
const replay: Decision<'inbound.replay', ChosenInbound> = (rows, { reroute: isRerouted }, { at, made }) => {
  const { ids, ...step } = made;
  const found = ids.map((id) => ({ id, row: rows.one(inboundById, id) }));
  const unknown = found.find(({ row }) => !row);
  if (unknown) return missing(`there is no inbound message with the id ${unknown.id}`);
  const messages = found.flatMap(({ row }) => row ?? []);
  for (const row of messages) lookAt(rows, row);
  const counts = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };
  for (const row of messages) {
    const rerouted = row.account === null || isRerouted ? reroute(rows, row, at) : undefined;
    if (rerouted) counts.rerouted += 1;
    counts[notifyAccount(rows, rerouted ?? openInbound(rows, row), at)] += 1;
  }
  return ok({ ...counts, ...step });
};

export const inboundDecisions = { 'inbound.replay': { decide: replay, isSetting: false } } as const;

/** Loads what all messages need before the first is decided, so that a remote database is asked few times. */
function lookAt(rows: Rows, row: InboundRow): void {
  rows.all(notificationsOfInbound, row.id);
  readRoute(rows, row.receiver);
  const { route } = routeOf(rows, row.receiver, beginningOf(openInbound(rows, row)));
  for (const account of [row.account, route.account]) {
    if (account === null) continue;
    rows.one(accountById, account);
    readDestinations(rows, account);
  }
  readOptOutsOfPhone(rows, row.sender);
  rows.values(lastChanges, row.sender);
}

/** The beginning of an incomplete message may be missing, so its first word must not count as a keyword. */
function beginningOf({ complete, text }: OpenInbound): string | null {
  return complete ? text : null;
}

/** Gives a message to the account with the number or keyword now. Returns the message if its account changed. */
function reroute(rows: Rows, row: InboundRow, at: Instant): OpenInbound | undefined {
  const routed = routeOf(rows, row.receiver, beginningOf(openInbound(rows, row)));
  const { account } = routed.route;
  if (account === null || account === row.account) return undefined;
  const given = giveInbound(rows, row, routed.route);
  applyStop(rows, given, { routed, at });
  return given;
}

function notifyAccount(rows: Rows, row: OpenInbound, at: Instant): Counted {
  if (row.account === null) return 'unmatched';
  const open = rows
    .all(notificationsOfInbound, row.id)
    .filter(({ state }) => state === 'waiting' || state === 'dead')
    .toSorted((one, other) => one.id - other.id);
  const own = open.filter(({ account }) => account === row.account);
  const last =
    own.find((notification) => notification.state === 'waiting' && hasDestination(rows, row, notification)) ??
    own.at(-1);
  for (const notification of open) if (notification !== last) withdraw(notification, at);
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
