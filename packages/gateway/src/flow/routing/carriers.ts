import type { MessageId } from '../../core/base/message-id.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Loop } from '../../runtime/loop.ts';
import type { Nodes } from '../nodes/nodes.ts';
import { InboundAnswers } from '../message/inbound-answers.ts';
import { receive } from '../message/receive.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Tools } from '../ports.ts';
import type { LinkOpener, LinkStatus, TestStep } from './carrier-link.ts';
import { LinkDuties } from './link-duties.ts';
import { Routing } from './routing.ts';
import { RunningCarrier, type Rebound } from './running-carrier.ts';
import { SentCosts } from './sent-costs.ts';

/* Runs all carriers, and owns what they share: routing, costs, and records of answered inbound messages. */

/** How long the links of another node may take to unbind, or to bind again. */
const settleMaxMs = 90 * secondMs;

/** A question to the other nodes about one link of a carrier, or about all its links (null). */
interface Asked {
  readonly carrier: number;
  readonly link: number | null;
}

export class Carriers {
  readonly #needs;
  readonly #running = new Map<number, RunningCarrier>();
  readonly routing: Routing;
  readonly #duties: LinkDuties;
  readonly #looking: Loop;
  readonly #costs: SentCosts;
  readonly #answers: InboundAnswers;
  #isDraining = false;

  constructor(
    needs: Pick<Tools, 'log' | 'clock' | 'journal'> & {
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
      carriers: () => (this.#isDraining ? [] : [...this.#running.values()].map(({ dispatch }) => dispatch.carrier)),
      bound: () => [...this.#running].flatMap(([id, { boundLinks }]) => boundLinks.map((link) => [id, link] as const)),
      changed: async () => {
        await Promise.all([...this.#running.values()].map((running) => running.share()));
      },
    });
    /* oxlint-disable typescript/no-unsafe-type-assertion -- another node of this gateway wrote it */
    const { calls } = needs.nodes;
    calls.onCall('settled', async (asked) => ({ done: await this.#settledHere((asked as Asked).carrier) }));
    calls.onCall('rebind', async (asked) => ({ rebound: await this.#rebindHere(asked as Asked) }));
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    this.#duties.onHint((carriers = new Set(this.#running.keys())) => {
      for (const id of carriers) this.#running.get(id)?.dispatch.partsOfOthersWait();
    });
    this.routing = new Routing({
      clock: needs.clock,
      log: needs.log,
      dispatchOf: (carrier) => this.#running.get(carrier)?.dispatch,
      dispatches: () => [...this.#running.values()].map(({ dispatch }) => dispatch),
      others: this.#duties,
    });
    this.#looking = this.routing.start();
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
    this.routing.use(snapshot.routes);
    // A changed route may give waiting messages to another carrier. Other nodes learn of the change themselves.
    this.#lookHere();
    this.#duties.look();
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
    return (await this.#running.get(carrier)?.rebind(link)) ?? 'stopped';
  }

  /**
   * Binds and unbinds one extra link as a test. Returns `busy` during another test of the carrier, and `stopped` if the
   * carrier does not run.
   */
  async test(carrier: number): Promise<readonly TestStep[] | 'busy' | 'stopped'> {
    return (await this.#running.get(carrier)?.test()) ?? 'stopped';
  }

  /** Resolves when no link of the carrier is connecting or closing, here and at other nodes. */
  async settled(carrier: number): Promise<void> {
    const asked: Asked = { carrier, link: null };
    await Promise.all([this.#settledHere(carrier), this.#needs.nodes.calls.ask('settled', asked, settleMaxMs)]);
  }

  async #settledHere(carrier: number): Promise<void> {
    await this.#running.get(carrier)?.settled();
  }

  /** Makes carriers look for waiting parts, at other nodes too. */
  lookForWaiting(): void {
    this.#lookHere();
    this.#duties.hint(this.#running.keys());
  }

  /** Whether a link of any carrier is bound, at this node or at another one. */
  get hasBoundLink(): boolean {
    const links = [...this.statuses().values()].flat();
    return links.some(({ state }) => state === 'bound' || state === 'throttled');
  }

  statuses(): ReadonlyMap<number, readonly LinkStatus[]> {
    return new Map([...this.#running].map(([id, { statuses }]) => [id, statuses]));
  }

  /** Waits for outstanding answers until the limit. Parts without an answer are then in doubt (P2). */
  async drain(limitMs: number): Promise<void> {
    const { clock } = this.#needs;
    this.#isDraining = true;
    const running = [...this.#running.values()];
    const deadline = clock.setTimer(() => this.#giveUp(running), limitMs);
    await Promise.all([this.#looking.stop(), ...running.map((each) => each.end())]);
    deadline.cancel();
    for (const { dispatch } of running) dispatch.end();
    await this.#answers.stop();
  }

  #lookHere(): void {
    for (const { dispatch } of this.#running.values()) dispatch.somethingWaits();
  }

  #giveUp(running: readonly RunningCarrier[]): void {
    const parts = running.reduce((sum, each) => sum + each.destroy(), 0);
    if (parts > 0)
      this.#needs.log.warn(
        { parts },
        'the carriers did not answer these parts before the stop: the parts are in doubt',
      );
  }

  #start(carrier: Carrier): RunningCarrier | undefined {
    if (this.#isDraining) return undefined;
    const { routing } = this;
    const receiving = { ...this.#needs, answers: this.#answers };
    const running = new RunningCarrier(carrier, {
      ...this.#needs,
      up: () => routing.up,
      holds: (link) => this.#duties.holds(carrier.id, link),
      otherOf: (link) => this.#duties.other(carrier.id, link),
      comesBack: (place, due) => routing.comesBack(place, due),
      costOf: (id, part) => this.#costs.costOf(id, part),
      receive: (from, delivery, answer) => void receive(receiving, { carrier: from, delivery }, answer),
    });
    this.#running.set(carrier.id, running);
    return running;
  }
}
