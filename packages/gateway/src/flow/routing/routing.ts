/* Chooses the carrier of a new message when one has room and nothing waits before it. */

import { chooseCarrier, creditsAfter, leaveOf } from '../../core/routing/carrier-choice.ts';
import type { Choice, CarrierStanding } from '../../core/routing/carrier-choice.ts';
import { parseEligible } from '../../core/routing/eligible.ts';
import type { Eligible } from '../../core/routing/eligible.ts';
import type { Route } from '../../core/routing/route.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { QueuePlace } from '../../store/commands/commands.ts';
import type { Dispatch } from './dispatch.ts';
import type { Reservation } from '../message/submit.ts';

/** How long a carrier may be without a bound link before lower ranks take its messages: a reconnect is quicker. */
const unboundMaxMs = 3 * secondMs;

/** How often it is looked at which carriers are there. */
const lookEveryMs = 200;

/** The route of a message and its eligible carriers. */
interface WayOfMessage {
  readonly route: { readonly id: number };
  readonly eligible: Eligible;
}

interface RoutingNeeds {
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  /** The dispatch of a carrier that runs. */
  readonly dispatchOf: (carrier: number) => Dispatch | undefined;
  readonly dispatches: () => Iterable<Dispatch>;
}

/** The fields of a message that decide its room, and what goes before it. */
interface Weight {
  readonly numParts: number;
  readonly priority: number;
}

/** The state of a carrier over time. */
interface Watched {
  isUp: boolean;
  /** Since when it has no bound link; null while it has one. */
  unboundSince: Instant | null;
}

/** How a carrier stands, and since when it is not bound, if it is not. */
export interface Seen extends CarrierStanding {
  readonly unboundSince: Instant | null;
}

const gone: Seen = { isOpen: false, isUp: false, isBound: false, isBehind: false, hasRoom: false, unboundSince: null };

/**
 * Chooses the carrier of its route for a message: at once if one has room and nothing waits before it. Otherwise it
 * notifies the eligible carriers that the message waits. Whether a carrier is up changes only in `look`, so that no
 * carrier takes a new message while older ones wait that became its own a moment ago.
 */
export class Routing {
  readonly #needs: RoutingNeeds;
  #routes: ReadonlyMap<number, Route> = new Map();
  readonly #watched = new Map<number, Watched>();
  /** The present shares of weights, for routes with several carriers that were used. */
  readonly #credits = new Map<number, ReadonlyMap<number, number>>();
  #up: readonly number[] = [];

  constructor(needs: RoutingNeeds) {
    this.#needs = needs;
  }

  /** Looks again and again which carriers are there. */
  start(): Loop {
    const { clock, log } = this.#needs;
    return new Loop({ clock, log, name: 'look at carriers', everyMs: lookEveryMs, turn: () => this.look() });
  }

  /** The routes as they are now, removed ones included: messages keep the route that they were queued with. */
  use(routes: ReadonlyMap<number, Route>): void {
    this.#routes = routes;
    for (const id of this.#credits.keys()) if (!routes.has(id)) this.#credits.delete(id);
    this.look();
  }

  /** The carriers that are up, for claims. */
  get up(): readonly number[] {
    return this.#up;
  }

  /** Room for a new message on a link of the carrier whose turn it is, if nothing waits there before it. */
  reserveOnRoute(way: WayOfMessage, priority: number, numParts: number): Reservation | undefined {
    const { id } = way.route;
    const route = this.#routes.get(id);
    const [first, second] = route?.carriers ?? [];
    if (!route || !first) return undefined;
    if (!second) return this.#needs.dispatchOf(first.carrier)?.reserveParts(priority, numParts);
    const choice = this.choose(route, { numParts, priority }, way.eligible);
    if (!choice.chosen) return undefined;
    const reservation = this.#needs.dispatchOf(choice.chosen.carrier)?.reserveParts(priority, numParts);
    if (reservation) this.#credits.set(id, creditsAfter(choice, this.#credits.get(id)));
    return reservation;
  }

  /** The carrier that would get such a message now, and why the others would not. */
  choose(route: Route, message: Weight, eligible: Eligible): Choice {
    return chooseCarrier(route, {
      eligible,
      standingOf: (carrier) => this.seen(carrier, message),
      credits: this.#credits.get(route.id),
    });
  }

  /** A new message waits on this route: its eligible carriers are notified. */
  notifyCarriers({ route: { id }, eligible }: WayOfMessage, priority: number, numParts: number): void {
    const route = this.#routes.get(id);
    const [first, second] = route?.carriers ?? [];
    if (!route || !first) return;
    if (second) this.#callLinks(route, { eligible, due: this.#needs.clock.now(), message: { numParts, priority } });
    else this.#needs.dispatchOf(first.carrier)?.messageWaits(priority, numParts);
  }

  /** A part is back in the queue, with its due time, and other carriers may take it. */
  comesBack({ route: id, eligible }: QueuePlace, due: Instant): void {
    const route = this.#routes.get(id);
    if (route) this.#callLinks(route, { eligible: parseEligible(eligible), due });
  }

  /** Eligible carriers are notified now; those that are eligible later look then. */
  #callLinks(
    route: Route,
    what: { readonly eligible: Eligible; readonly due: Instant; readonly message?: Weight },
  ): void {
    const { eligible, due, message } = what;
    const at = this.#needs.clock.now();
    const isUp = (carrier: number) => this.#watched.get(carrier)?.isUp ?? false;
    for (const { carrier } of route.carriers) {
      const leave = leaveOf(route, eligible, { carrier, isUp });
      if (leave.kind === 'never') continue;
      const from = Math.max(at, due) + (leave.kind === 'after' ? leave.waitMs : 0);
      const dispatch = this.#needs.dispatchOf(carrier);
      if (from > at) dispatch?.lookAt(from);
      else if (message) dispatch?.messageWaits(message.priority, message.numParts);
      else dispatch?.somethingWaits();
    }
  }

  /** The state of a carrier for such a message. */
  seen(carrier: number, { numParts, priority }: Weight): Seen {
    const dispatch = this.#needs.dispatchOf(carrier);
    if (!dispatch) return gone;
    const watched = this.#watched.get(carrier);
    const { isOpen, isBound } = dispatch;
    return {
      isOpen,
      isUp: watched?.isUp ?? false,
      isBound,
      isBehind: dispatch.isBehind(priority),
      hasRoom: dispatch.hasRoomFor(numParts),
      unboundSince: watched?.unboundSince ?? null,
    };
  }

  /** Looks which carriers are up. When one comes or goes, waiting messages may become another carrier's. */
  look(): void {
    const at = this.#needs.clock.now();
    const up: number[] = [];
    let hasChanged = false;
    const dispatches = [...this.#needs.dispatches()];
    for (const { carrier, isOpen, isBound } of dispatches) {
      const watched = this.#watched.get(carrier.id) ?? { isUp: false, unboundSince: at };
      this.#watched.set(carrier.id, watched);
      if (isBound) watched.unboundSince = null;
      else watched.unboundSince ??= at;
      const isUp = isOpen && (watched.unboundSince === null || at - watched.unboundSince < unboundMaxMs);
      hasChanged ||= isUp !== watched.isUp;
      watched.isUp = isUp;
      if (isUp) up.push(carrier.id);
    }
    this.#up = up;
    if (!hasChanged) return;
    for (const id of this.#watched.keys()) if (!this.#needs.dispatchOf(id)) this.#watched.delete(id);
    for (const dispatch of dispatches) dispatch.somethingWaits();
  }
}
