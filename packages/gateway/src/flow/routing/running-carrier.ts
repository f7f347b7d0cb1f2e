import { bindsAlike, type Carrier } from '../../core/routing/carrier.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type {
  AnswerDelivery,
  CarrierLink,
  Delivery,
  DeliveryHandler,
  LinkOpener,
  LinkStatus,
  TestStep,
} from './carrier-link.ts';
import type { OtherLink } from './link-duties.ts';
import { Dispatch, type DispatchNeeds } from './dispatch.ts';
import type { Tools } from '../ports.ts';

/* Runs one carrier: its links, and the dispatch that gives parts to them. Applies changed settings to both. */

export interface NotBound {
  readonly link: number;
  readonly error: string;
}

/** The result of a rebind: `done`, or `none` if this node has none of the links, or `stopped` if the carrier does not run. */
export type Rebound = 'done' | 'none' | 'stopped' | NotBound;

export class RunningCarrier {
  readonly dispatch: Dispatch;
  readonly #needs;
  #links: readonly CarrierLink[];
  /** The last change of binds under way. Changes run one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  /** Only one test runs at a time. */
  #isTesting = false;
  /** True once the carrier was removed or the process ends. No link is bound again then. */
  #isEnding = false;

  constructor(
    carrier: Carrier,
    needs: DispatchNeeds &
      Pick<Tools, 'log'> & {
        readonly links: LinkOpener;
        readonly nodes: Pick<Nodes, 'name'>;
        /** Whether this node has a link now. Only then the link is bound here. */
        readonly holds: (link: number) => boolean;
        readonly otherOf: (link: number) => OtherLink | undefined;
        readonly receive: (carrier: Carrier, delivery: Delivery, answer: AnswerDelivery) => void;
      },
  ) {
    this.#needs = needs;
    this.dispatch = new Dispatch(carrier, needs);
    this.#links = Array.from({ length: carrier.links }, (_, index) => this.#open(index + 1));
    this.dispatch.use(this.#links);
  }

  get statuses(): readonly LinkStatus[] {
    const { nodes, holds, otherOf } = this.#needs;
    const unbound = this.dispatch.carrier.status === 'drained' || this.#isEnding ? 'stopped' : 'waiting';
    return this.#links.map(({ number, status }) => {
      const other = otherOf(number);
      if (other?.isBound === true) return { ...status, state: 'bound', downSince: null, node: other.node };
      if (other) return { ...status, state: unbound, node: other.node };
      if (holds(number) || status.state !== 'stopped') return { ...status, node: nodes.name ?? null };
      // No node has the link. A node takes it soon.
      return { ...status, state: unbound };
    });
  }

  get boundLinks(): readonly number[] {
    return this.#links.filter(({ isBound }) => isBound).map(({ number }) => number);
  }

  apply(carrier: Carrier): void {
    if (this.dispatch.carrier !== carrier) this.#change(carrier);
    this.dispatch.setOpen(carrier.status === 'active' && !this.#isEnding);
    void this.share();
  }

  /** Binds links that this node has, and drains others. Resolves when the latter are unbound. */
  async share(): Promise<void> {
    const { status, links } = this.dispatch.carrier;
    const isLeft = (link: CarrierLink) => status === 'drained' || !this.#needs.holds(link.number);
    const drained = this.#links.filter(isLeft).map((link) => link.drain());
    if (!this.#isEnding) {
      for (const link of this.#links) if (!isLeft(link) && link.number <= links) link.start();
      this.dispatch.somethingWaits();
    }
    await Promise.all(drained);
  }

  /** Binds the links again, one after the other. Stops at the first link that cannot be bound, and returns it. */
  rebind(wanted: number | null): Promise<Rebound> {
    if (this.#isEnding) return Promise.resolve('stopped');
    const links = this.#links.filter(({ number }) => (wanted ?? number) === number && this.#needs.holds(number));
    if (links.length === 0) return Promise.resolve('none');
    const rebound = this.#changing.then(() => this.#rebindInTurn(links));
    this.#changing = rebound;
    return rebound;
  }

  /** Binds one additional link and unbinds it again. What comes on this link is stored as usual. */
  async test(): Promise<readonly TestStep[] | 'busy' | 'stopped'> {
    if (this.#isEnding) return 'stopped';
    if (this.#isTesting) return 'busy';
    this.#isTesting = true;
    try {
      const { carrier } = this.dispatch;
      const steps = await this.#needs.links.test(carrier, this.#onDelivery);
      const bound = this.statuses.filter(({ state }) => state === 'bound' || state === 'throttled').length;
      return steps.map((step) => (mayBeCrowded(step, bound) ? crowded(step, bound) : step));
    } finally {
      this.#isTesting = false;
    }
  }

  /** Resolves when no link is connecting or draining. */
  async settled(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.settled()));
  }

  /** Unbinds for good, after outstanding answers. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.dispatch.setOpen(false);
    await Promise.all(this.#links.map((link) => link.drain()));
  }

  /** Closes all links at once. Returns how many parts have no answer and are now in doubt. */
  destroy(): number {
    const unanswered = this.statuses.reduce((sum, { windowUsed }) => sum + windowUsed, 0);
    for (const link of this.#links) link.destroy();
    return unanswered;
  }

  async #rebindInTurn(links: readonly CarrierLink[]): Promise<Rebound> {
    for (const link of links) {
      await link.rebind();
      const { state, lastError: error } = link.status;
      if (state === 'bound' || state === 'throttled') continue;
      this.#needs.log.warn(
        { link: link.number, state, error },
        'a link could not be bound again: the links after it are not rebound',
      );
      return { link: link.number, error: (state === 'waiting' ? error : null) ?? `it is ${state}` };
    }
    return 'done';
  }

  readonly #onDelivery: DeliveryHandler = (delivery, answer) =>
    this.#needs.receive(this.dispatch.carrier, delivery, answer);

  #open(number: number): CarrierLink {
    const { dispatch } = this;
    return this.#needs.links.open(() => dispatch.carrier, number, {
      onDelivery: this.#onDelivery,
      onRoom: () => dispatch.wake(),
      onLateAnswer: (part, answer) => dispatch.recordLate(part, answer),
    });
  }

  /** Links that must bind again first wait for their outstanding answers. */
  #change(carrier: Carrier): void {
    const before = this.dispatch.carrier;
    this.dispatch.carrier = carrier;
    const isAlike = bindsAlike(before, carrier);
    if (isAlike) for (const link of this.#links) link.use(carrier);
    if (isAlike && carrier.links === before.links) return;
    this.#changing = this.#changing.then(() => this.#arrange(isAlike));
  }

  /** Opens and closes links one after the other, so that the carrier never sees more binds than agreed. */
  async #arrange(isAlike: boolean): Promise<void> {
    const { dispatch } = this;
    for (let number = 1; number <= Math.max(this.#links.length, dispatch.carrier.links); number++) {
      const link = this.#links[number - 1] ?? this.#open(number);
      if (number > dispatch.carrier.links) await link.drain();
      else if (this.#links.includes(link)) {
        link.use(dispatch.carrier);
        if (!isAlike) await link.rebind();
      } else {
        this.#links = [...this.#links, link];
        if (dispatch.carrier.status !== 'drained' && this.#needs.holds(number)) link.start();
      }
      if (this.#isEnding) return;
    }
    this.#links = this.#links.slice(0, dispatch.carrier.links);
    dispatch.use(this.#links);
  }
}

/** Whether a bind of the test may have failed because the carrier limits the number of binds. */
function mayBeCrowded({ isDone, step }: TestStep, bound: number): boolean {
  return !isDone && bound > 0 && step.startsWith('bind');
}

function crowded(step: TestStep, bound: number): TestStep {
  const links = bound === 1 ? '1 of its links is' : `${bound} of its links are`;
  const says = `${step.says}; ${links} bound, so the carrier may allow no more binds: to test without them, run carrier drain first`;
  return { ...step, says };
}
