/*
 * Replays accepted messages against two snapshots: where they would go and what they would cost with the present
 * settings, and with changed ones. Both sides see the same bound carriers, each with room, and share messages by weight
 * from the beginning, so a difference comes from the settings alone. Limits and rules of accounts are not checked.
 */

import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../base/message-id.ts';
import type { Snapshot } from '../snapshot.ts';
import { chooseCarrier, creditsAfter, type CarrierStanding } from './carrier-choice.ts';
import { isForNobody, unitCostOf } from './carrier-cost.ts';
import type { RouteCarrier } from './route.ts';
import { findWay, type Way } from './way.ts';

export interface RoutedMessage {
  readonly id: MessageId;
  readonly account: number;
  readonly sender: string;
  readonly receiver: string;
  readonly encoding: string;
  readonly numParts: number;
}

/** What becomes of a message. `waiting`: it has a route and a price, but none of its carriers can take it now. */
export type OutcomeKind = 'carrier' | 'waiting' | 'no_route' | 'no_price';

export interface ReplayOutcome {
  readonly kind: OutcomeKind;
  /** The name of the carrier that takes the message. */
  readonly carrier: string | null;
  /** The prefix of the route. */
  readonly route: string | null;
  /** The price of a part, and its cost in the account's currency; null if unknown. */
  readonly price: Micros | null;
  readonly cost: Micros | null;
}

export interface Difference {
  readonly message: RoutedMessage;
  readonly account: string;
  readonly before: ReplayOutcome;
  readonly after: ReplayOutcome;
}

export interface PlaceSum {
  readonly kind: OutcomeKind;
  readonly carrier: string | null;
  before: number;
  after: number;
  movedFrom: number;
  movedTo: number;
}

export interface MoneySum {
  readonly currency: string;
  readonly before: SideSum;
  readonly after: SideSum;
}

interface SideSum {
  price: bigint;
  cost: bigint;
  /** Price less cost, of the parts whose cost is known. */
  margin: bigint;
  /** Parts with a known cost in the account's currency, and parts without. */
  knownParts: number;
  unknownParts: number;
}

/** The settings of one side, at the time `at`. `isBound`: whether a link of a carrier is bound. */
interface SideNeeds {
  readonly snapshot: Snapshot;
  readonly at: Instant;
  readonly isBound: (carrier: number) => boolean;
}

/** Routes messages one after the other with one snapshot. */
class Side {
  readonly #needs: SideNeeds;
  readonly #credits = new Map<number, ReadonlyMap<number, number>>();
  readonly #standings = new Map<number, CarrierStanding>();

  constructor(needs: SideNeeds) {
    this.#needs = needs;
  }

  take({ account: payer, ...message }: RoutedMessage): ReplayOutcome {
    const { snapshot, at } = this.#needs;
    const account = snapshot.accounts.get(payer);
    if (!account) return nowhere('no_route');
    const way = findWay({ ...message, account: payer }, message.numParts, { account, snapshot, at });
    if (!way.ok) return nowhere(way.error.code === 'no_price' ? 'no_price' : 'no_route');
    const { route, rated, eligible } = way.value;
    if (isForNobody(route, eligible)) return nowhere('no_route');
    const taken = { route: route.prefix, price: rated.unitPrice };
    const carrier = this.#carrierOf(way.value);
    if (!carrier) return { kind: 'waiting', carrier: null, cost: null, ...taken };
    const { currency } = account;
    const cost = snapshot.hasCosts ? unitCostOf(carrier, snapshot, { receiver: message.receiver, currency, at }) : null;
    const name = snapshot.carriers.get(carrier.carrier)?.name ?? null;
    return { kind: 'carrier', carrier: name, cost: cost?.currency === currency ? cost.amount : null, ...taken };
  }

  #carrierOf({ route, eligible }: Way): RouteCarrier | undefined {
    const credits = this.#credits.get(route.id);
    const choice = chooseCarrier(route, { eligible, standingOf: (carrier) => this.#standingOf(carrier), credits });
    if (route.carriers.length > 1) this.#credits.set(route.id, creditsAfter(choice, credits));
    return choice.chosen;
  }

  #standingOf(carrier: number): CarrierStanding {
    const known = this.#standings.get(carrier);
    if (known) return known;
    const isOpen = this.#needs.snapshot.carriers.get(carrier)?.status === 'active';
    const isBound = isOpen && this.#needs.isBound(carrier);
    const standing = { isOpen, isUp: isBound, isBound, isBehind: false, hasRoom: isBound };
    this.#standings.set(carrier, standing);
    return standing;
  }
}

function nowhere(kind: OutcomeKind): ReplayOutcome {
  return { kind, carrier: null, route: null, price: null, cost: null };
}

/** The most examples, in all and of each pair of outcomes. */
const examplesMax = 20;

/** Adds up what the changed settings would change. */
export class Replay {
  readonly #before: Side;
  readonly #after: Side;
  readonly #snapshots: readonly Snapshot[];
  readonly #places = new Map<string, PlaceSum>();
  readonly #money = new Map<string, MoneySum>();
  readonly #examples = new Map<string, Difference[]>();
  messages = 0;
  parts = 0;
  changedMessages = 0;

  constructor(before: SideNeeds, after: SideNeeds) {
    this.#before = new Side(before);
    this.#after = new Side(after);
    this.#snapshots = [before.snapshot, after.snapshot];
  }

  add(message: RoutedMessage): void {
    const [before, after] = [this.#before.take(message), this.#after.take(message)];
    const { numParts, account: id } = message;
    this.messages += 1;
    this.parts += numParts;
    const [from, to] = [this.#placeOf(before), this.#placeOf(after)];
    from.before += numParts;
    to.after += numParts;
    if (from !== to) {
      from.movedFrom += numParts;
      to.movedTo += numParts;
    }
    const account = this.#snapshots[0]?.accounts.get(id) ?? this.#snapshots[1]?.accounts.get(id);
    if (!account) return;
    const money = this.#moneyIn(account.currency);
    addTo(money.before, before, numParts);
    addTo(money.after, after, numParts);
    const isSame = from === to && before.route === after.route && before.price === after.price;
    if (isSame && before.cost === after.cost) return;
    this.changedMessages += 1;
    this.#keep({ message, account: account.name, before, after });
  }

  /** Carriers by name, then messages without a carrier. */
  get places(): readonly PlaceSum[] {
    return [...this.#places].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
  }

  get money(): readonly MoneySum[] {
    return [...this.#money.values()].toSorted((one, other) => (one.currency < other.currency ? -1 : 1));
  }

  /** Some messages that change, of as many kinds of change as there are, oldest first. */
  get examples(): readonly Difference[] {
    const kinds = [...this.#examples.values()];
    const inTurn = Array.from({ length: examplesMax }, (_, turn) =>
      kinds.flatMap((each) => each.slice(turn, turn + 1)),
    );
    return inTurn
      .flat()
      .slice(0, examplesMax)
      .toSorted((one, other) => one.message.id - other.message.id);
  }

  #placeOf({ kind, carrier }: ReplayOutcome): PlaceSum {
    const key = carrier === null ? `~${kind}` : carrier;
    const known = this.#places.get(key);
    if (known) return known;
    const place = { kind, carrier, before: 0, after: 0, movedFrom: 0, movedTo: 0 };
    this.#places.set(key, place);
    return place;
  }

  #moneyIn(currency: string): MoneySum {
    const known = this.#money.get(currency);
    if (known) return known;
    const nothing = { price: 0n, cost: 0n, margin: 0n, knownParts: 0, unknownParts: 0 };
    const sum = { currency, before: { ...nothing }, after: { ...nothing } };
    this.#money.set(currency, sum);
    return sum;
  }

  #keep(difference: Difference): void {
    const { before, after } = difference;
    const key = `${before.kind} ${before.carrier} ${after.kind} ${after.carrier}`;
    const kept = this.#examples.get(key);
    if (!kept) {
      if (this.#examples.size < examplesMax) this.#examples.set(key, [difference]);
    } else if (kept.length < examplesMax) kept.push(difference);
  }
}

function addTo(sum: SideSum, { price, cost }: ReplayOutcome, numParts: number): void {
  if (price === null) return;
  const parts = BigInt(numParts);
  sum.price += price * parts;
  if (cost === null) {
    sum.unknownParts += numParts;
    return;
  }
  sum.knownParts += numParts;
  sum.cost += cost * parts;
  sum.margin += (price - cost) * parts;
}

/** A sum of amounts, as an amount. */
export function amountOfSum(sum: bigint): Micros {
  return sum === 0n ? zeroMicros : toMicros(sum);
}
