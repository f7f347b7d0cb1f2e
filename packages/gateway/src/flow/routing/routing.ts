/* Chooses a carrier for each new message, or notifies the carriers that the message waits. */

import {
  chooseCarrier,
  creditsAfter,
  leaveOf,
  type Choice,
  type CarrierStanding,
} from '../../core/routing/carrier-choice.ts';
import { parseEligible, type Eligible } from '../../core/routing/eligible.ts';
import type { Route } from '../../core/routing/route.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { QueuePlace } from '../../state/decide/message/part.ts';
import type { Dispatch, Reservation } from './dispatch.ts';
import type { Tools } from '../ports.ts';

/** Without a bound link for so long, a carrier is not up: lower ranks get its messages. Usual reconnects are faster. */
const unboundMaxMs = 3 * secondMs;

const lookEveryMs = 200;

interface WayOfMessage {
  readonly route: { readonly id: number };
  readonly eligible: Eligible;
}

/** The size and priority of a message, which decide whether it can be sent at once. */
interface Weight {
  readonly numParts: number;
  readonly priority: number;
}

/** Whether a carrier is up, and since when it has no bound link. */
interface Watched {
  isUp: boolean;
  /** Since when the carrier has no bound link at any node; null while a link is bound. */
  unboundSince: Instant | null;
}

export interface Seen extends CarrierStanding {
  readonly unboundSince: Instant | null;
}

const gone: Seen = { isOpen: false, isUp: false, isBound: false, isBehind: false, hasRoom: false, unboundSince: null };

/**
 * Chooses a carrier that has room and for which no earlier message waits; otherwise notifies the eligible carriers.
 * Only `look` changes which carriers are up. It then makes all carriers look, so that a new message does not overtake
 * older messages.
 */
export class Routing {
  readonly #needs;
  #routes: ReadonlyMap<number, Route> = new Map();
  readonly #watched = new Map<number, Watched>();
  /** For each route with several carriers: how the carriers' weights have been used so far. */
  readonly #credits = new Map<number, ReadonlyMap<number, number>>();
  #up: readonly number[] = [];

  constructor(
    needs: Pick<Tools, 'log' | 'clock'> & {
      /** The dispatch of a carrier, if the carrier runs. */
      readonly dispatchOf: (carrier: number) => Dispatch | undefined;
      readonly dispatches: () => Iterable<Dispatch>;
      readonly others: {
        boundAtOthers(): ReadonlySet<number>;
        /** Notifies the other nodes that parts may wait. */
        hint(carriers: Iterable<number>): void;
      };
    },
  ) {
    this.#needs = needs;
  }

  start(): Loop {
    const { clock, log } = this.#needs;
    return new Loop({ clock, log, name: 'look at carriers', everyMs: lookEveryMs, turn: () => this.look() });
  }

  /** Uses the present routes. Removed routes are included, because queued messages keep their route. */
  use(routes: ReadonlyMap<number, Route>): void {
    this.#routes = routes;
    for (const id of this.#credits.keys()) if (!routes.has(id)) this.#credits.delete(id);
    this.look();
  }

  get up(): readonly number[] {
    return this.#up;
  }

  /** Reserves room for a message on a link of its route. Undefined if the message must wait. */
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

  /** Chooses a carrier. The verdicts say why the other carriers would not get the message. */
  choose(route: Route, message: Weight, eligible: Eligible): Choice {
    return chooseCarrier(route, {
      eligible,
      standingOf: (carrier) => this.seen(carrier, message),
      credits: this.#credits.get(route.id),
    });
  }

  /** Notifies the eligible carriers of a route that a new message waits. */
  notifyCarriers({ route: { id }, eligible }: WayOfMessage, priority: number, numParts: number): void {
    const route = this.#routes.get(id);
    const [first, second] = route?.carriers ?? [];
    if (!route || !first) return;
    if (second) {
      this.#callLinks(route, { eligible, due: this.#needs.clock.now(), message: { numParts, priority } });
      return;
    }
    this.#needs.dispatchOf(first.carrier)?.messageWaits(priority, numParts);
    this.#needs.others.hint([first.carrier]);
  }

  /** Call this when a part came back to the queue. Notifies the carriers that may take it from its due time. */
  comesBack({ route: id, eligible }: QueuePlace, due: Instant): void {
    const route = this.#routes.get(id);
    if (route) this.#callLinks(route, { eligible: parseEligible(eligible), due });
  }

  /** Makes eligible carriers look for waiting parts, and sets timers for carriers that become eligible later. */
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
      if (from > at) {
        // Other nodes look each second.
        dispatch?.lookAt(from);
        continue;
      }
      this.#needs.others.hint([carrier]);
      if (message) dispatch?.messageWaits(message.priority, message.numParts);
      else dispatch?.somethingWaits();
    }
  }

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

  /** Updates which carriers are up. If that changed, all carriers look: messages may go to another carrier now. */
  look(): void {
    const at = this.#needs.clock.now();
    const up: number[] = [];
    let hasChanged = false;
    const dispatches = [...this.#needs.dispatches()];
    const atOthers = this.#needs.others.boundAtOthers();
    for (const { carrier, isOpen, isBound } of dispatches) {
      const watched = this.#watched.get(carrier.id) ?? { isUp: false, unboundSince: at };
      this.#watched.set(carrier.id, watched);
      if (isBound || atOthers.has(carrier.id)) watched.unboundSince = null;
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
