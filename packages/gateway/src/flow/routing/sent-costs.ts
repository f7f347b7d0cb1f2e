/* Looks up the carrier's charge for a part when the part is sent. */

import { unitCostOf, type UnitCost } from '../../core/routing/carrier-cost.ts';
import { isBelowMargin } from '../../core/money/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { hourMs, type Instant } from '@morsel/api/values/time.ts';
import type { ClaimedPart } from '../../state/decide/message/claim.ts';
import type { Journal } from '../../store/journal.ts';

interface SentCostsNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly log: { warn(fields: object, message: string): void };
}

/** The fields of a part that its cost and its margin depend on. */
export type CostedPart = Pick<ClaimedPart, 'message' | 'route' | 'account' | 'receiver' | 'unitPrice'>;

/** An account gets at most one alert about each route in this time. */
const alertEveryMs = hourMs;
/** How many alerts are raised in an hour, at most: nobody could read more. */
const alertsMax = 10_000;

/** Finds the cost of each part when it is sent, and raises an alert if the margin is below the account's minimum. */
export class SentCosts {
  readonly #needs: SentCostsNeeds;
  #snapshot: Snapshot | undefined;
  /** When an alert was last raised, by account and prefix, the oldest first. */
  readonly #raised = new Map<string, Instant>();

  constructor(needs: SentCostsNeeds) {
    this.#needs = needs;
  }

  use(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
  }

  /** The carrier's charge for a part that is sent to it now; null if the charge is not known. */
  costOf(carrier: number, part: CostedPart): UnitCost | null {
    const snapshot = this.#snapshot;
    if (!snapshot?.hasCosts) return null;
    const account = snapshot.accounts.get(part.account);
    const route = snapshot.routes.get(part.route);
    if (!account || !route) return null;
    // A carrier that was removed from the route has no cost in the route, but may have a price list with its costs.
    const inRoute = route.carriers.find((each) => each.carrier === carrier) ?? { carrier, cost: null };
    const question = { receiver: part.receiver, currency: account.currency, at: this.#needs.clock.now() };
    const cost = unitCostOf(inRoute, snapshot, question);
    const { marginMin, belowMargin } = account;
    const isWatched = cost?.currency === account.currency && belowMargin === 'alert' && marginMin !== null;
    if (isWatched && isBelowMargin(marginMin, part.unitPrice, cost.amount)) {
      this.#alert(part, { carrier, prefix: route.prefix, unitCost: cost.amount });
    }
    return cost;
  }

  #alert(
    { account, message, unitPrice }: CostedPart,
    below: { readonly carrier: number; readonly prefix: string; readonly unitCost: Micros },
  ): void {
    const at = this.#needs.clock.now();
    const key = `${account} ${below.prefix}`;
    this.#forgetBefore(at - alertEveryMs);
    if (this.#raised.has(key) || this.#raised.size >= alertsMax) return;
    this.#raised.set(key, at);
    this.#needs.log.warn(
      { message, prefix: below.prefix },
      'a part is sent with less than the minimum margin of its account: "morsel alert list" shows this alert, too',
    );
    void this.#needs.journal.append<'margin-alert'>({ kind: 'margin-alert', at, account, unitPrice, ...below });
  }

  #forgetBefore(limit: Instant): void {
    for (const [key, at] of this.#raised) {
      if (at > limit) return;
      this.#raised.delete(key);
    }
  }
}
