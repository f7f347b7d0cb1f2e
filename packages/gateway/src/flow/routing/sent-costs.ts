/* Looks up the carrier's charge for a part when the part is sent. */

import { unitCostOf, type UnitCost } from '../../core/routing/carrier-cost.ts';
import { isBelowMargin } from '../../core/money/margin.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { minuteMs, type Instant } from '@morsel/api/values/time.ts';
import type { ClaimedPart } from '../../state/decide/message/claim.ts';
import type { Tools } from '../ports.ts';

export type CostedPart = Pick<ClaimedPart, 'message' | 'route' | 'account' | 'receiver' | 'unitPrice'>;

/** Each account and route is reported once in this time. After twice this time without a report, the alarm closes. */
const reportEveryMs = 10 * minuteMs;
/** The most reports that are stored in this time: nobody could read more. */
const reportsMax = 10_000;

/** Finds the cost of each part when it is sent, and reports a margin below the account's minimum for the alarm `margin-low`. */
export class SentCosts {
  readonly #needs;
  #snapshot: Snapshot | undefined;
  /** When a margin was last reported, by account and prefix, the oldest first. */
  readonly #reported = new Map<string, Instant>();

  constructor(needs: Pick<Tools, 'log' | 'clock' | 'journal'>) {
    this.#needs = needs;
  }

  use(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
  }

  /** What the carrier charges for the part; null if the charge is not known. */
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
      const through = snapshot.carriers.get(carrier)?.name ?? '';
      this.#report(part, { account: account.name, through, prefix: route.prefix, unitCost: cost.amount });
    }
    return cost;
  }

  #report({ message, unitPrice }: CostedPart, { account, through, prefix, unitCost }: Below): void {
    const { clock, log, journal } = this.#needs;
    const at = clock.now();
    const key = `${account} ${prefix}`;
    this.#forgetBefore(at - reportEveryMs);
    if (this.#reported.has(key) || this.#reported.size >= reportsMax) return;
    this.#reported.set(key, at);
    log.warn(
      { message, prefix },
      'a part is sent with less than the minimum margin of its account: see morsel alarm list',
    );
    const figures = `price ${formatMicros(unitPrice)}, cost ${formatMicros(unitCost)}`;
    const evidence = `${figures}: prefix ${prefix === '' ? '(any)' : prefix} through ${through}`;
    const report = {
      kind: 'margin-low',
      subject: account,
      what: prefix,
      evidence,
      until: at + 2 * reportEveryMs,
    } as const;
    void journal.append<'report-alarm'>({ kind: 'report-alarm', at, report });
  }

  #forgetBefore(limit: Instant): void {
    for (const [key, at] of this.#reported) {
      if (at > limit) return;
      this.#reported.delete(key);
    }
  }
}

/** Parts that were sent with too small a margin. */
interface Below {
  readonly account: string;
  readonly through: string;
  readonly prefix: string;
  readonly unitCost: Micros;
}
