import type { MessageId } from '../../core/base/message-id.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { chooseCarrier, creditsAfter, leaveOf, type Choice } from '../../core/routing/carrier-choice.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import { parseEligible, type Eligible } from '../../core/routing/eligible.ts';
import type { Route } from '../../core/routing/route.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { QueuePlace } from '../../state/decide/message/part.ts';
import type { Journal } from '../../store/journal.ts';
import type { Nodes } from '../nodes/nodes.ts';
import { InboundAnswers } from '../message/inbound-answers.ts';
import { receive } from '../message/receive.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Tools } from '../ports.ts';
import type { LinkOpener, LinkStatus, Rebound, Reservation, TestStep } from './carrier-link.ts';
import { LinkDuties } from './link-duties.ts';
import { RunningCarrier, type Seen } from './running-carrier.ts';
import { SentCosts } from './sent-costs.ts';

/*
 * Runs all carriers. Chooses one for each new message, or notifies the carriers that the message waits. Owns what
 * carriers share: costs, and records of answered inbound messages.
 */

/** How long the links of another node may take to unbind, or to bind again. */
const settleMaxMs = 90 * secondMs;

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

/** A question to the other nodes about one link of a carrier, or about all its links (null). */
interface Asked {
  readonly carrier: number;
  readonly link: number | null;
}

const gone: Seen = { isOpen: false, isUp: false, isBound: false, isBehind: false, hasRoom: false, unboundSince: null };

export class Carriers {
  readonly #needs;
  readonly #running = new Map<number, RunningCarrier>();
  /** With removed routes, because queued messages keep their route. */
  #routes: ReadonlyMap<number, Route> = new Map();
  /** For each route with several carriers: how the carriers' weights have been used so far. */
  readonly #credits = new Map<number, ReadonlyMap<number, number>>();
  #up: readonly number[] = [];
  readonly #duties: LinkDuties;
  readonly #looking: Loop;
  readonly #costs: SentCosts;
  readonly #answers: InboundAnswers;
  /** The carriers that are tested now. Each has one test at a time. */
  readonly #tested = new Set<number>();
  #isDraining = false;
  #isOver = false;

  constructor(
    needs: Pick<Tools, 'log' | 'clock'> & {
      readonly journal: Pick<Journal, 'append' | 'appendThen'>;
      readonly nextId: () => MessageId;
      readonly heldFrom: () => Instant | null;
      readonly lease: number;
      readonly nodes: Nodes;
      readonly links: LinkOpener;
      readonly traces: Traces | undefined;
    },
  ) {
    this.#needs = needs;
    this.#costs = new SentCosts(needs);
    this.#answers = new InboundAnswers(needs);
    this.#duties = new LinkDuties({
      nodes: needs.nodes,
      carriers: () => (this.#isDraining ? [] : this.#all.map(({ carrier }) => carrier)),
      bound: () =>
        this.#all.flatMap(({ carrier, boundLinks }) => boundLinks.map((link) => [carrier.id, link] as const)),
      changed: async () => {
        await Promise.all(this.#all.map((running) => running.share()));
      },
    });
    /* oxlint-disable typescript/no-unsafe-type-assertion -- another node of this gateway wrote it */
    const { calls } = needs.nodes;
    calls.onCall('settled', async (asked) => ({ done: await this.#settledHere((asked as Asked).carrier) }));
    calls.onCall('rebind', async (asked) => ({ rebound: await this.#rebindHere(asked as Asked) }));
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    this.#duties.onHint((carriers) => {
      for (const id of carriers) this.#running.get(id)?.partsOfOthersWait();
    });
    const { clock, log } = needs;
    this.#looking = new Loop({ clock, log, name: 'look at carriers', everyMs: lookEveryMs, turn: () => this.#look() });
  }

  get #all(): readonly RunningCarrier[] {
    return [...this.#running.values()];
  }

  apply(snapshot: Snapshot): void {
    this.#costs.use(snapshot);
    for (const [id, running] of this.#running) {
      if (snapshot.carriers.has(id)) continue;
      this.#running.delete(id);
      void running.end();
    }
    for (const carrier of snapshot.carriers.values()) {
      const running = this.#running.get(carrier.id) ?? this.#start(carrier);
      running?.apply(carrier);
    }
    this.#routes = snapshot.routes;
    for (const id of this.#credits.keys()) if (!this.#routes.has(id)) this.#credits.delete(id);
    this.#look();
    // A changed route may give waiting messages to another carrier. Other nodes learn of the change themselves.
    for (const running of this.#all) running.somethingWaits();
    this.#duties.look();
  }

  #start(carrier: Carrier): RunningCarrier | undefined {
    if (this.#isDraining) return undefined;
    const receiving = { ...this.#needs, answers: this.#answers };
    const running = new RunningCarrier(carrier, {
      ...this.#needs,
      duties: this.#duties,
      costs: this.#costs,
      up: () => this.#up,
      comesBack: (place, due) => this.#comesBack(place, due),
      receive: (from, delivery, answer) => receive(receiving, { carrier: from, delivery }, answer),
      isOver: () => this.#isOver,
    });
    this.#running.set(carrier.id, running);
    return running;
  }

  /** The carriers that are up. Only `#look` changes them. */
  get up(): readonly number[] {
    return this.#up;
  }

  /**
   * Updates which carriers are up. If that changed, all carriers look, so that a new message does not overtake older
   * messages, which may go to another carrier now.
   */
  #look(): void {
    const at = this.#needs.clock.now();
    const atOthers = this.#duties.boundAtOthers();
    const changed = this.#all.filter((running) => running.look(at, atOthers.has(running.carrier.id)));
    this.#up = this.#all.filter(({ isUp }) => isUp).map(({ carrier }) => carrier.id);
    if (changed.length > 0) for (const running of this.#all) running.somethingWaits();
  }

  /** Reserves room for a message on a link of its route, if no earlier message waits. Otherwise the message must wait. */
  reserveOnRoute(way: WayOfMessage, priority: number, numParts: number): Reservation | undefined {
    const { id } = way.route;
    const route = this.#routes.get(id);
    const [first, second] = route?.carriers ?? [];
    if (!route || !first) return undefined;
    if (!second) return this.#running.get(first.carrier)?.reserveParts(priority, numParts);
    const choice = this.choose(route, { numParts, priority }, way.eligible);
    if (!choice.chosen) return undefined;
    const reservation = this.#running.get(choice.chosen.carrier)?.reserveParts(priority, numParts);
    if (reservation) this.#credits.set(id, creditsAfter(choice, this.#credits.get(id)));
    return reservation;
  }

  /** Chooses a carrier that has room. The verdicts say why the other carriers would not get the message. */
  choose(route: Route, message: Weight, eligible: Eligible): Choice {
    return chooseCarrier(route, {
      eligible,
      standingOf: (carrier) => this.seen(carrier, message),
      credits: this.#credits.get(route.id),
    });
  }

  seen(carrier: number, { priority, numParts }: Weight): Seen {
    return this.#running.get(carrier)?.seen(priority, numParts) ?? gone;
  }

  /** Notifies the eligible carriers of a route that a new message waits. */
  notifyCarriers({ route: { id }, eligible }: WayOfMessage, priority: number, numParts: number): void {
    const route = this.#routes.get(id);
    const [first, second] = route?.carriers ?? [];
    if (!route || !first) return;
    if (second) {
      this.#notify(route, { eligible, due: this.#needs.clock.now(), message: { numParts, priority } });
      return;
    }
    this.#running.get(first.carrier)?.messageWaits(priority, numParts);
    this.#duties.hint([first.carrier]);
  }

  /** A part came back to the queue: notifies the carriers that may take it from its due time. */
  #comesBack({ route: id, eligible }: QueuePlace, due: Instant): void {
    const route = this.#routes.get(id);
    if (route) this.#notify(route, { eligible: parseEligible(eligible), due });
  }

  /** Makes eligible carriers look for waiting parts, and sets timers for carriers that become eligible later. */
  #notify(route: Route, what: { readonly eligible: Eligible; readonly due: Instant; readonly message?: Weight }): void {
    const { eligible, due, message } = what;
    const at = this.#needs.clock.now();
    const isUp = (carrier: number) => this.#running.get(carrier)?.isUp ?? false;
    for (const { carrier } of route.carriers) {
      const leave = leaveOf(route, eligible, { carrier, isUp });
      if (leave.kind === 'never') continue;
      const from = Math.max(at, due) + (leave.kind === 'after' ? leave.waitMs : 0);
      const running = this.#running.get(carrier);
      if (from > at) {
        // The other nodes are given a hint each second while parts wait.
        running?.lookAt(from);
        continue;
      }
      this.#duties.hint([carrier]);
      if (message) running?.messageWaits(message.priority, message.numParts);
      else running?.somethingWaits();
    }
  }

  /** Makes carriers look for parts that have waited for a while, perhaps unnoticed, at other nodes too. */
  partsWait(): void {
    for (const running of this.#all) running.partsOfOthersWait();
    this.#duties.hint(this.#running.keys());
  }

  /** Makes carriers look for waiting parts, at other nodes too. */
  lookForWaiting(): void {
    for (const running of this.#all) running.somethingWaits();
    this.#duties.hint(this.#running.keys());
  }

  /**
   * Drains links and binds them again, one after the other: first those of this node, then those of the others. Ends
   * early with the first link that cannot be bound; `stopped` if the carrier does not run, and `none` if no node has the
   * link. A node that does not answer is named as `silent`.
   */
  async rebind(carrier: number, link: number | null): Promise<Rebound | { readonly silent: string }> {
    const here = await this.#rebindHere({ carrier, link });
    if (here !== 'none' && (here !== 'done' || link !== null)) return here;
    const asked: Asked = { carrier, link };
    const { answers, waiting } = await this.#needs.nodes.calls.ask<{ rebound: Rebound }>('rebind', asked, settleMaxMs);
    const others = answers.map(({ answer }) => answer.rebound);
    const [silent] = waiting;
    return (
      others.find((each) => typeof each === 'object') ??
      (silent === undefined ? undefined : { silent }) ??
      others.find((each) => each === 'done') ??
      here
    );
  }

  async #rebindHere({ carrier, link }: Asked): Promise<Rebound> {
    return (await this.#active(carrier)?.rebind(link)) ?? 'stopped';
  }

  #active(carrier: number): RunningCarrier | undefined {
    return this.#isDraining ? undefined : this.#running.get(carrier);
  }

  /**
   * Binds and unbinds one extra link as a test. What comes on this link is stored as usual. Returns `busy` during
   * another test of the carrier, and `stopped` if the carrier does not run.
   */
  async test(id: number): Promise<readonly TestStep[] | 'busy' | 'stopped'> {
    const running = this.#active(id);
    if (!running) return 'stopped';
    if (this.#tested.has(id)) return 'busy';
    this.#tested.add(id);
    try {
      const bound = () => running.statuses.filter(isBound).length;
      return await this.#needs.links.test(running.carrier, { ...running.handlers, bound });
    } finally {
      this.#tested.delete(id);
    }
  }

  /** Resolves when no link of the carrier is connecting or closing, here and at other nodes. */
  async settled(carrier: number): Promise<void> {
    const asked: Asked = { carrier, link: null };
    await Promise.all([this.#settledHere(carrier), this.#needs.nodes.calls.ask('settled', asked, settleMaxMs)]);
  }

  async #settledHere(carrier: number): Promise<void> {
    await this.#running.get(carrier)?.settled();
  }

  /** Whether a link of any carrier is bound, at this node or at another one. */
  get hasBoundLink(): boolean {
    return this.#all.some(({ statuses }) => statuses.some(isBound));
  }

  statuses(): ReadonlyMap<number, readonly LinkStatus[]> {
    return new Map([...this.#running].map(([id, { statuses }]) => [id, statuses]));
  }

  /** Waits for outstanding answers until the limit. Parts without an answer are then in doubt (P2). */
  async drain(limitMs: number): Promise<void> {
    const { clock } = this.#needs;
    this.#isDraining = true;
    const running = this.#all;
    const deadline = clock.setTimer(() => this.#giveUp(running), limitMs);
    await Promise.all([this.#looking.stop(), ...running.map((each) => each.end())]);
    deadline.cancel();
    this.#isOver = true;
    await this.#answers.stop();
  }

  #giveUp(running: readonly RunningCarrier[]): void {
    const parts = running.reduce((sum, each) => sum + each.destroy(), 0);
    if (parts > 0)
      this.#needs.log.warn(
        { parts },
        'the carriers did not answer these parts before the stop: the parts are in doubt',
      );
  }
}

function isBound({ state }: LinkStatus): boolean {
  return state === 'bound' || state === 'throttled';
}
