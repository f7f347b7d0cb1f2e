/* Waiting messages follow the changes of their routes. */

import type { Rejection } from '../../core/base/rejection.ts';
import { firstPlace, type WaitingPlace } from '../../core/message/waiting-place.ts';
import { eligibleByCost } from '../../core/routing/carrier-cost.ts';
import { eligibleText } from '../../core/routing/eligible.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RouteToFollow } from '../../state/tables/route.ts';
import { everyWaiting, type WaitingMessage, type WaitingPage } from '../../store/views/message/waiting.ts';
import type { Tools } from '../ports.ts';

interface FollowNeeds extends Pick<Tools, 'clock' | 'journal' | 'reader'> {
  readonly snapshot: () => Snapshot;
  /** Says that parts may wait for any carrier, so that every link looks for parts to send. */
  readonly control: { lookForWaiting(): void };
}

/** The most messages that one commit changes. Other commits wait some 20 ms for such a commit. */
export const waitingBatchMax = 250;

/**
 * Applies new settings of a route to the messages that wait on it: the order of carriers by cost, and the carriers that
 * the margin rules out. If a carrier was added, waiting messages may be tried at once.
 */
async function followRoute(
  needs: FollowNeeds,
  { route, changedAt, forgets }: RouteToFollow,
): Promise<Result<number, Rejection>> {
  const at = needs.clock.now();
  const filter = { ...everyWaiting, routes: [route], state: 'queued' } as const;
  let moved = 0;
  for (let after: WaitingPlace | null = firstPlace; after !== null;) {
    const page: Result<WaitingPage, Rejection> = await needs.reader.ask('waiting', {
      filter,
      after,
      limit: waitingBatchMax,
    });
    if (!page.ok) return page;
    const messages = page.value.messages.map((each) => placeOnRoute(needs.snapshot(), each, at));
    const followed = page.value.next === null ? { route, changedAt } : undefined;
    const done = await needs.journal.append<'reroute'>({ kind: 'reroute', at, messages, forgets, followed });
    if (!done.ok) return done;
    moved += done.value.moved;
    after = page.value.next;
  }
  if (moved > 0) needs.control.lookForWaiting();
  return ok(moved);
}

/**
 * Applies all changes of routes that waiting messages do not follow yet: after a change, and after a start, because the last
 * process may have ended too early. Returns the number of messages that moved.
 */
export async function followRoutes(needs: FollowNeeds): Promise<Result<number, Rejection>> {
  const routes = await needs.reader.ask('routesToFollow', undefined);
  if (!routes.ok) return routes;
  let moved = 0;
  for (const each of routes.value) {
    const followed = await followRoute(needs, each);
    // The store accepts no changes now, so the next start continues.
    if (!followed.ok) return followed;
    moved += followed.value;
  }
  return ok(moved);
}

function placeOnRoute(
  snapshot: Snapshot,
  { id, route, account: payer, receiver, unitPrice }: WaitingMessage,
  at: Instant,
) {
  const settings = snapshot.routes.get(route);
  const account = snapshot.accounts.get(payer);
  const eligible =
    settings && account ? eligibleByCost(settings, snapshot, { account, receiver, unitPrice, at }) : undefined;
  return { message: id, route, eligible: eligible ? eligibleText(eligible) : '' };
}
