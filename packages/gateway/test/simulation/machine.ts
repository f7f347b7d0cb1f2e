/* A machine of a simulation: a gateway runs on it, crashes, and starts again. */

import { bindTo, type SimCarrier } from './carriers/carrier.ts';
import type { Counts } from './coverage.ts';
import type { Ear } from './clients/ear.ts';
import type { Notification } from '../../src/core/notification/notification.ts';
import { ConnectionLost } from '../../src/store/postgres/wire/connection.ts';
import { DatabaseFault } from './postgres/dialect.ts';
import type { bindLink } from '../../src/edge/carriers/smpp/bind.ts';
import { SimNode } from './node.ts';
import { SimSession } from './carriers/session.ts';
import { inProcess, overSockets } from './carriers/socket.ts';
import type { SimStore } from './store.ts';
import { ProcessClock, type World } from './world.ts';

export interface MachineNeeds {
  readonly world: World;
  readonly store: SimStore;
  readonly carriers: ReadonlyMap<string, SimCarrier>;
  readonly ears: ReadonlyMap<number, Ear>;
  readonly bugs: unknown[];
  readonly counts: Counts;
  /** The carriers' ids in answers that were committed. */
  readonly kept: Set<string>;
  /** The leases that other nodes have taken over. */
  readonly takenOver: Set<number>;
  /** Whether nothing goes wrong any more. */
  readonly isCalm: () => boolean;
}

/** How long processes pause: shorter than a lease, about as long, and longer. */
export const longestPauseMs = 90_000;
const pausesMs = [500, 6_000, 11_000, 34_000, 46_000, longestPauseMs];
const drainedMaxMs = 60_000;
/** The most by which the clock of a machine is wrong without a fault, if there are several. */
const offMaxMs = 3_000;

export class Machine {
  readonly #needs: MachineNeeds;
  readonly #number: number;
  /** How often the node on this machine has got another name. */
  #renamed = 0;
  /** The clock of the process that runs or starts, and its connections to carriers. */
  #clock: ProcessClock | undefined;
  #sessions = new Set<SimSession>();
  #node: SimNode | undefined;
  #isAboutToPause = false;
  /** The carriers' ids in answers that were committed. */
  readonly #kept: Set<string>;
  /** The error of the machine's clock. */
  #offMs = 0;
  /** How long the machine was off. */
  #laterMs = 0;
  /** When processes ended at once. */
  readonly crashes: number[] = [];

  constructor(needs: MachineNeeds, number: number) {
    this.#needs = needs;
    this.#number = number;
    this.#kept = needs.kept;
    const { chance } = needs.world;
    if (this.#isShared) this.#offMs = chance.between(-offMaxMs, offMaxMs);
  }

  /** The gateway that works; undefined while none does. */
  get node(): SimNode | undefined {
    return this.#node;
  }

  get #isShared(): boolean {
    return this.#needs.store.server !== undefined;
  }

  get #name(): string {
    return `node-${this.#number}${'x'.repeat(this.#renamed)}`;
  }

  /** Starts a process that has no links and no webhooks yet. */
  open(): Promise<SimNode | undefined> {
    const { world, store, carriers, bugs, counts, takenOver } = this.#needs;
    const clock = new ProcessClock(world, this.#offMs + this.#laterMs);
    const sessions = new Set<SimSession>();
    this.#clock = clock;
    this.#sessions = sessions;
    const direct = bindTo(carriers, () => clock.isAlive);
    const bind: typeof bindLink = async (settings, options) => {
      const session = await direct(settings, options);
      if (session instanceof SimSession) sessions.add(session);
      return session;
    };
    return SimNode.start({
      world,
      clock,
      store,
      name: this.#name,
      bind: this.#isShared ? overSockets(bind, clock, () => this.#sends()) : bind,
      bugs,
      refused: (code) => counts.refusal(code),
      lost: (reason) => {
        if (this.#clock !== clock || !clock.isAlive) return;
        world.tell(`${this.#name} ends: ${reason}`);
        counts.fault('lease lost');
        this.#end();
      },
      seen: (command, result) => {
        if (result) counts.command(command, result);
        if (this.#isAboutToPause && (command.kind === 'accept' || command.kind === 'claim')) this.#pause();
        if (command.kind === 'take-over' && result?.ok === true) takenOver.add(command.lease);
        if (command.kind === 'outcome' && command.carrierId !== null) this.#kept.add(command.carrierId);
      },
    });
  }

  #sends(): void {
    const { bugs, takenOver } = this.#needs;
    if (this.#node && takenOver.has(this.#node.lease))
      bugs.push(`P7: ${this.#name} sends, though its work is another's`);
  }

  async start(): Promise<void> {
    const { world, ears, bugs, isCalm } = this.#needs;
    const opening = this.open();
    const clock = this.#clock;
    const node = await opening.catch((fault: unknown) => {
      // A database that fails ends the start.
      if (fault instanceof DatabaseFault || fault instanceof ConnectionLost) clock?.end();
      else bugs.push(fault);
    });
    if (!node) {
      world.tell('the gateway does not start');
      this.#startLater();
      return;
    }
    for (const [account, ear] of ears) {
      const key = { kind: 'webhook', account, webhook: account } as const;
      const to = ear.destination(node.clock, () => node.clock.act(() => node.flow.notifier.hasRoom(key)));
      const deliver = (each: Notification) => {
        this.#sends();
        return inProcess(node.clock, () => to.deliver(each));
      };
      const inPauses = { ...to, deliver };
      node.flow.notifier.open(key, this.#isShared ? inPauses : to);
    }
    this.#node = node;
    if (isCalm()) this.calm();
  }

  /** Ends the process at once, wherever it is, and starts another one later. */
  crash(): void {
    if (this.#clock?.isAlive !== true) return;
    const { world, counts } = this.#needs;
    counts.fault(this.#node ? 'crash' : 'crash in a start');
    world.tell(`${this.#name} crashes${this.#node ? '' : ' during its start'}`);
    this.#end();
  }

  /** The process ends, and the next one starts so much later. Nothing else happens meanwhile. */
  restartLater(ms: number): void {
    this.#laterMs += ms;
    this.crash();
  }

  #end(): void {
    const { world, carriers } = this.#needs;
    this.crashes.push(world.nowMs);
    this.#clock?.end();
    this.#node?.crash();
    this.#node = undefined;
    for (const session of this.#sessions) session.crash();
    for (const carrier of carriers.values()) carrier.forgetAnswers(this.#kept);
    this.#startLater();
  }

  /** The process stands still for some time: at once, or just after a commit of parts that it is about to send. */
  pause(): void {
    if (this.#needs.world.chance.happens(0.5)) this.#pause();
    else this.#isAboutToPause = true;
  }

  #pause(): void {
    this.#isAboutToPause = false;
    const { world, store, counts } = this.#needs;
    const ms = world.chance.pick(pausesMs);
    counts.fault('pause');
    world.tell(`${this.#name} pauses for ${ms / 1_000} s`);
    const clock = this.#clock;
    if (!clock) return;
    const isSuspended = world.chance.happens(0.5);
    clock.pause(ms, isSuspended);
    // A suspended machine does not stay connected. A stopped process does, unless a firewall forgets its connection.
    if (isSuspended) store.server?.loseUnless(clock, () => !clock.isPaused);
    else if (world.chance.happens(0.5)) store.server?.forget(clock);
  }

  /** Nothing passes between this machine and the database for some time. */
  cutOff(): void {
    const { world, store, counts } = this.#needs;
    const clock = this.#clock;
    if (!clock || !store.server) return;
    const ms = world.chance.pick(pausesMs);
    counts.fault('node cut off');
    world.tell(`${this.#name} does not reach the database for ${ms / 1_000} s`);
    store.server.cut(clock, ms);
  }

  /** An operator drains the node for some time. */
  drain(): void {
    const { world, counts } = this.#needs;
    counts.fault('drain');
    world.tell(`${this.#name} is drained`);
    void this.#node?.nodes.drain(this.#name, true).catch(() => undefined);
    world.soon(1_000, drainedMaxMs, () => void this.#node?.nodes.drain(this.#name, false).catch(() => undefined));
  }

  step(ms: number): void {
    this.#offMs += ms;
    this.#clock?.step(ms);
  }

  /** From now on, nothing goes wrong any more. */
  calm(): void {
    this.step(-this.#offMs);
    void this.#node?.flow.clockGuard.confirm();
    void this.#node?.nodes.drain(this.#name, false).catch(() => undefined);
  }

  #startLater(): void {
    const { world, isCalm } = this.#needs;
    if (this.#isShared && world.chance.happens(0.2)) this.#renamed += 1;
    world.soon(10, 10_000, () => {
      void this.start();
      if (!isCalm() && world.chance.happens(0.1)) world.soon(0, 50, () => this.crash());
    });
  }
}
