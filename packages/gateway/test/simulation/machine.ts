/* A machine of a simulation: a gateway runs on it, crashes, and starts again. */

import { bindTo, type SimCarrier } from './carrier.ts';
import type { Counts } from './coverage.ts';
import type { Ear } from './ear.ts';
import { SimNode } from './node.ts';
import type { SimStore } from './store.ts';
import { ProcessClock, type World } from './world.ts';

export interface MachineNeeds {
  readonly world: World;
  readonly store: SimStore;
  readonly carriers: ReadonlyMap<string, SimCarrier>;
  readonly ears: ReadonlyMap<number, Ear>;
  readonly bugs: unknown[];
  readonly counts: Counts;
  /** Whether nothing goes wrong any more. */
  readonly isCalm: () => boolean;
}

export class Machine {
  readonly #needs: MachineNeeds;
  /** The clock of the process that runs or starts. */
  #clock: ProcessClock | undefined;
  #node: SimNode | undefined;
  /** The carriers' ids in answers that were committed. */
  readonly #kept = new Set<string>();
  /** The error of the machine's clock. */
  #offMs = 0;
  /** When processes ended at once. */
  readonly crashes: number[] = [];

  constructor(needs: MachineNeeds) {
    this.#needs = needs;
  }

  /** The gateway that works; undefined while none does. */
  get node(): SimNode | undefined {
    return this.#node;
  }

  /** Starts a process that has no links and no webhooks yet. */
  open(): Promise<SimNode | undefined> {
    const { world, store, carriers, bugs, counts } = this.#needs;
    const clock = new ProcessClock(world, this.#offMs);
    this.#clock = clock;
    return SimNode.start({
      world,
      clock,
      store,
      bind: bindTo(carriers, () => clock.isAlive),
      bugs,
      seen: (command, result) => {
        counts.command(command, result);
        if (command.kind === 'outcome' && command.carrierIdKey !== null) this.#kept.add(command.carrierIdKey);
      },
    });
  }

  async start(): Promise<void> {
    const node = await this.open();
    if (!node) {
      this.#needs.world.tell('the gateway does not start');
      this.#startLater();
      return;
    }
    for (const [account, ear] of this.#needs.ears) {
      const key = { kind: 'webhook', account, webhook: account } as const;
      const hasRoom = () => node.flow.notifier.hasRoom(key);
      node.flow.notifier.open(key, ear.destination(node.clock, hasRoom));
    }
    this.#node = node;
  }

  /** Ends the process at once, wherever it is, and starts another one later. */
  crash(): void {
    if (this.#clock?.isAlive !== true) return;
    const { world, counts, carriers } = this.#needs;
    this.crashes.push(world.nowMs);
    counts.fault(this.#node ? 'crash' : 'crash in a start');
    world.tell(this.#node ? 'the gateway crashes' : 'the gateway crashes during its start');
    this.#clock.end();
    this.#node?.crash();
    this.#node = undefined;
    for (const carrier of carriers.values()) carrier.forgetAll(this.#kept);
    this.#startLater();
  }

  step(ms: number): void {
    this.#offMs += ms;
    this.#clock?.step(ms);
  }

  /** The machine's clock is right again. */
  setClock(): void {
    this.step(-this.#offMs);
  }

  #startLater(): void {
    const { world, isCalm } = this.#needs;
    world.soon(10, 10_000, () => {
      void this.start();
      if (!isCalm() && world.chance.happens(0.1)) world.soon(0, 50, () => this.crash());
    });
  }
}
