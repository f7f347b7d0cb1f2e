/* Looks up what a part costs when it is given to a carrier. */

import { unitCostOf } from '../../core/routing/carrier-cost.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import { isBelowMargin } from '../../core/money/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ClaimedPart } from '../../store/commands/commands.ts';
import type { Journal } from '../../store/journal.ts';

interface SentCostsNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly log: { warn(fields: object, message: string): void };
}

/** The fields of a part that its cost and its margin depend on. */
export type CostedPart = Pick<ClaimedPart, 'message' | 'route' | 'account' | 'receiver' | 'unitPrice'>;

/** One alert an account and route in this time. */
const alertEveryMs = hourMs;
/** Alerts of the last hour that are remembered; beyond it none is raised, because nobody could read them. */
const alertsMax = 10_000;

/** The costs of parts as they are sent, by the settings of that moment. A margin below the minimum raises an alert. */
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

  /**
   * The carrier's charge for a part that it gets now; null if it is not known. Without any known cost nothing is looked
   * up.
   */
  costOf(carrier: number, part: CostedPart): UnitCost | null {
    const snapshot = this.#snapshot;
    if (!snapshot?.hasCosts) return null;
    const account = snapshot.accounts.get(part.account);
    const route = snapshot.routes.get(part.route);
    if (!account || !route) return null;
    // A carrier that has left the route has no cost in it, but still has its cost list.
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
      'a part goes out below the margin of its account: it is in morsel alert list, too',
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
