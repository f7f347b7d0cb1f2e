/* One run of a simulation: a seed makes a world, its faults and what everybody in it does. */

import { inspect } from 'node:util';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { characterOf, SimCarrier } from './carriers/carrier.ts';
import { Clients, clientToken } from './clients/clients.ts';
import { daysLater } from './days-later.ts';
import { Ear, earOf } from './clients/ear.ts';
import { Faults } from './faults.ts';
import { Counts } from './coverage.ts';
import { judge } from './judge/judge.ts';
import { askAll } from './judge/told.ts';
import { longestPauseMs, Machine } from './machine.ts';
import type { SimNode } from './node.ts';
import { Operators } from './operators/operators.ts';
import { accountNames, ownNumber, type Tokens } from './operators/other-operations.ts';
import { SmppClients } from './clients/smpp-clients.ts';
import { accounts, rules, settingsOf, unitPrice, type InDoubt } from './settings.ts';
import { SimStore } from './store.ts';
import { World, type WorldOptions } from './world.ts';

/** How a run went. */
export interface Report {
  readonly seed: number;
  /** Broken promises, as sentences; none if all hold. */
  readonly broken: readonly string[];
  readonly story: readonly string[];
  readonly steps: number;
  /** How many actions the seed's script has. */
  readonly planned: number;
  readonly messages: number;
  readonly crashes: number;
  /** How often everything occurred that a simulation should show. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Several nodes follow the clock of the database, and steps of 3 s until they have read it again. */
const clockErrorMs = { usual: 1_000, afterSteps: 10_000 };
/** How many nodes a run has. A run with several takes four times as long, so few have them; `--nodes` makes more. */
const nodeCounts = [...Array.from({ length: 30 }, () => 1), 2, 3];
/** How long clients send and faults begin. All of a run is drawn into this time, so a short run is the busiest. */
const busyTimesMs = [10_000, 20_000, 40_000, 80_000] as const;
/** Most faults need only a few messages, and many small runs find more of them than a few large ones. */
const messagesMax = [10, 20, 40] as const;
/** After the faults have stopped, everything must have ended within this time. */
const quietMaxMs = 3 * 3_600_000;
const lookEveryMs = 200;
/** The longest pause while nothing happens. A node that pauses for 20 s loses its lease to the others. */
const pauseMaxMs = { alone: 300_000, together: 15_000 };
const burstMs = 20;
const lastMessages = 3;
/** The gateway waits for half an hour for the pieces of an inbound message. */
const inboundWaitMs = 31 * 60_000;

/** `nodes`: how many nodes there are (default: as the seed draws). */
export async function simulate(
  seed: number,
  { nodes, ...options }: WorldOptions & { readonly nodes?: number | undefined } = {},
): Promise<Report> {
  const run = new Run(new World(seed, options), seed, nodes);
  return run.whole();
}

class Run {
  readonly #world: World;
  readonly #seed: number;
  readonly #busyMs: number;
  readonly #throughputs: { readonly [carrier: string]: number };
  #inDoubt: { readonly [carrier: string]: InDoubt } = {};
  readonly #store: SimStore;
  readonly #carriers: ReadonlyMap<string, SimCarrier>;
  readonly #ears = new Map<number, Ear>();
  readonly #clients: Clients;
  readonly #bugs: unknown[] = [];
  readonly #tokens: Tokens = new Map(accountNames.map((name) => [name, [clientToken(name).text]]));
  readonly #counts = new Counts();
  readonly #operators: Operators;
  readonly #smpp: SmppClients;
  readonly #faults: Faults;
  readonly #refundPolicy: RefundPolicy;
  readonly #machines: readonly Machine[];

  constructor(world: World, seed: number, given: number | undefined) {
    this.#world = world;
    this.#seed = seed;
    const isWild = world.chance.happens(0.7);
    this.#refundPolicy = world.chance.pick(['refused', 'refused', 'unsent', 'undelivered', 'never']);
    this.#busyMs = world.chance.pick(busyTimesMs);
    const throughput = () => world.chance.pick([0, 0, 0, 2, 10]);
    this.#throughputs = { alpha: throughput(), beta: throughput() };
    const character = () => characterOf(world, { isWild, busyMs: this.#busyMs });
    const carriers = ['alpha', 'beta'].map((name) => new SimCarrier(world, name, character()));
    this.#carriers = new Map(carriers.map((carrier) => [carrier.name, carrier]));
    const drawn = world.chance.pick(nodeCounts);
    const nodes = given ?? drawn;
    this.#store = new SimStore(world, nodes > 1);
    const machine = {
      world,
      store: this.#store,
      carriers: this.#carriers,
      ears: this.#ears,
      bugs: this.#bugs,
      counts: this.#counts,
      kept: new Set<string>(),
      takenOver: new Set<number>(),
      isCalm: () => this.#faults.isOver,
    };
    this.#machines = Array.from({ length: nodes }, (_, at) => new Machine(machine, at + 1));
    const node = () => this.#working();
    this.#clients = new Clients({
      world,
      node,
      tokens: this.#tokens,
      refused: (code) => this.#counts.refusal(code),
    });
    this.#operators = new Operators({
      world,
      node,
      sent: this.#clients.sent,
      tokens: this.#tokens,
      // A rule that is found after some receipts leaves the first unmatched.
      idRules: (name) => {
        const { idRule = 'same' } = this.#carriers.get(name) ?? {};
        return idRule === 'same' ? ['same', 'auto'] : [idRule];
      },
      refused: (code) => this.#counts.refusal(code),
      bugs: this.#bugs,
    });
    this.#smpp = new SmppClients({ world, node, clients: this.#clients });
    this.#faults = new Faults({
      world,
      store: this.#store,
      carriers,
      machines: this.#machines,
      began: (kind) => this.#counts.fault(kind),
    });
    for (const at of accounts.keys()) {
      this.#ears.set(at + 1, new Ear(world, { character: earOf(world, isWild), max: 4 }));
    }
  }

  async whole(): Promise<Report> {
    const { chance } = this.#world;
    const busyMs = this.#busyMs;
    await this.#settings();
    for (const machine of this.#machines) await this.#driven(machine.start());
    const busyUntil = this.#world.nowMs + busyMs;
    const messages = chance.between(5, chance.pick(messagesMax));
    // Messages that come at the same time to several nodes change the same rows.
    const bursts = chance.happens(0.4) ? Array.from({ length: 4 }, () => chance.between(0, busyMs)) : [];
    for (let sent = 0; sent < messages; sent++) {
      const atMs = bursts.length > 0 ? chance.pick(bursts) + chance.next() * burstMs : chance.between(0, busyMs);
      this.#world.plan(atMs, () => this.#clients.send());
    }
    for (let looks = 0; looks < messages; looks++) {
      this.#world.plan(chance.between(1_000, busyMs), () => this.#look());
    }
    for (let cancels = chance.between(0, messages / 3); cancels > 0; cancels--) {
      this.#world.plan(chance.between(0, busyMs), () => this.#clients.cancel());
    }
    const crashes = chance.happens(0.6) ? chance.between(1, 4) : 0;
    for (let crash = 0; crash < crashes; crash++) {
      this.#world.plan(chance.between(1_000, busyMs), () => chance.pick(this.#machines).crash());
    }
    for (let count = chance.between(0, 5); count > 0; count--) {
      this.#world.plan(chance.between(0, busyMs), () => this.#sendInbound(count));
    }
    this.#faults.draw(busyMs);
    this.#operators.draw(busyMs);
    this.#smpp.draw(this.#busyMs);
    await this.#world.run(busyUntil);
    await this.#calm();
    await this.#untilQuiet();
    const lastFrom = this.#world.nowMs;
    const ended = await this.#last();
    for (const message of this.#clients.sent) this.#clients.look(message);
    await this.#world.run(this.#world.nowMs + 1_000);
    const judged = [...(await this.#judge(lastFrom)), ...ended];
    if (this.#store.server === undefined && chance.happens(0.06)) judged.push(...(await this.#daysLater()));
    const broken = [...judged, ...this.#bugs.map((bug) => `a bug: ${inspect(bug)}`)];
    for (const { node } of this.#machines) node?.crash();
    for (let count = this.#store.server?.conflicts ?? 0; count > 0; count--) this.#counts.fault('conflict');
    this.#store.close();
    const { steps, planned, story } = this.#world;
    return {
      seed: this.#seed,
      broken,
      story,
      steps,
      planned,
      messages: this.#clients.sent.length,
      crashes: this.#allCrashes().length,
      counts: this.#counts.all,
    };
  }

  /** What operators have set before the world begins. */
  async #settings(): Promise<void> {
    const { commands, inDoubt } = settingsOf(this.#world, {
      carriers: [...this.#carriers.values()],
      throughputs: this.#throughputs,
      refundPolicy: this.#refundPolicy,
    });
    this.#inDoubt = inDoubt;
    const node = await this.#driven(this.#machines[0]?.open() ?? Promise.resolve(undefined));
    if (!node) throw new Error('the gateway does not start');
    const results = await this.#driven(Promise.all(commands.map((command) => node.journal.append(command))));
    for (const result of results) {
      if (!result.ok) throw new Error(`the settings are refused: ${inspect(result.error)}`);
    }
    node.crash();
  }

  /** A gateway that answers; undefined while none does. */
  #working(): SimNode | undefined {
    const [first, ...others] = this.#machines.flatMap(({ node }) => (node?.clock.isPaused === false ? node : []));
    return first && (others.length === 0 ? first : this.#world.chance.pick([first, ...others]));
  }

  #allCrashes(): number[] {
    return this.#machines.flatMap(({ crashes }) => crashes);
  }

  #sendInbound(number: number): void {
    const { chance } = this.#world;
    const length = chance.happens(0.3) ? chance.between(2, 3) : 1;
    const pieces = Array.from({ length }, (_, at) => `${number} hello ${at + 1}`);
    // Several nodes cannot pause for long while they wait half an hour for the piece.
    const isMissing = chance.happens(this.#machines.length > 1 ? 0.05 : 0.3);
    const missing = length > 1 && isMissing ? chance.between(0, length - 1) : undefined;
    const carrier = chance.pick([...this.#carriers.values()]);
    carrier.sendInbound({ sender: '+41791112233', receiver: ownNumber, pieces, missing });
  }

  #look(): void {
    const { sent } = this.#clients;
    if (sent.length > 0) this.#clients.look(this.#world.chance.pick(sent));
  }

  /** From now on, nothing goes wrong any more. */
  async #calm(): Promise<void> {
    this.#world.tell('the faults stop');
    this.#faults.end();
    this.#smpp.calm();
    for (const carrier of this.#carriers.values()) {
      carrier.character = {
        ...carrier.character,
        throttles: 0,
        falters: 0,
        silent: 0,
        bindsFail: 0,
        breaksEveryMs: Infinity,
      };
    }
    for (const ear of this.#ears.values()) ear.character = { ...ear.character, fails: 0, forgets: 0 };
    // What operators asked of a node that stood still is done later, perhaps after what they ask of others.
    if (this.#machines.length > 1) await this.#world.run(this.#world.nowMs + longestPauseMs);
    this.#operators.end();
  }

  /** What is sent when nothing goes wrong any more must pass, and what is incomplete ends. */
  async #last(): Promise<string[]> {
    for (let count = 0; count < lastMessages; count++) this.#clients.send();
    await this.#untilQuiet();
    const isIncomplete = [...this.#carriers.values()].some(({ inbound }) =>
      inbound.some(({ missing }) => missing !== undefined),
    );
    const until = this.#world.nowMs + (isIncomplete ? inboundWaitMs : 0);
    while (this.#world.nowMs < until) await this.#pass(until - this.#world.nowMs);
    return this.#untilQuiet();
  }

  async #daysLater(): Promise<string[]> {
    const [world, clients, operators] = [this.#world, this.#clients, this.#operators];
    await daysLater({ world, clients, operators, carriers: this.#carriers.values(), machines: this.#machines });
    return this.#untilQuiet();
  }

  /** Waits until nothing is under way. Returns what did not end. */
  async #untilQuiet(): Promise<string[]> {
    const until = this.#world.nowMs + quietMaxMs;
    for (;;) {
      const open = this.#open();
      if (open.length === 0 || this.#world.nowMs >= until) return open;
      await this.#pass(this.#idleMs());
    }
  }

  /** Lets all machines stand still for at most this time, and then work for a moment. */
  #pass(ms: number): Promise<void> {
    this.#world.pause(Math.min(ms, this.#machines.length > 1 ? pauseMaxMs.together : pauseMaxMs.alone));
    return this.#world.run(this.#world.nowMs + lookEveryMs);
  }

  #open(): string[] {
    const { database } = this.#store;
    const count = (sql: string) => Number(database.prepare(sql).get()?.['n']);
    const open: string[] = [];
    const parts = count('select count(*) as n from part where deadline is not null or claim_link is not null');
    const notifications = count("select count(*) as n from notification where state = 'waiting'");
    if (parts > 0) open.push(`A3: ${parts} parts never end`);
    const deliveries = [...this.#carriers.values()].reduce((sum, carrier) => sum + carrier.underWay, 0);
    if (deliveries > 0) open.push(`D5: ${deliveries} receipts and inbound parts are never acknowledged`);
    const { underWay } = this.#clients;
    if (underWay > 0) open.push(`A1: ${underWay} requests of clients never get an answer`);
    if (notifications > 0) open.push(`O2: ${notifications} notifications never end`);
    if (this.#machines.some(({ node }) => !node)) open.push('P1: a gateway does not start again');
    return open;
  }

  /** How long nothing happens, because parts and notifications wait for nothing but their time. */
  #idleMs(): number {
    const node = this.#working();
    if (!node || this.#clients.underWay > 0) return 0;
    const { works, due } = this.#store.database.prepare(waitsSql).get() ?? {};
    if (works !== 0) return 0;
    return typeof due === 'number' ? due - node.flow.messages.clock.now() : Infinity;
  }

  async #judge(lastFrom: number): Promise<string[]> {
    const told = await askAll(this.#store.queries, accountNames);
    return judge(
      {
        sent: this.#clients.sent,
        carriers: [...this.#carriers.values()],
        accounts: accounts.flatMap(({ name }, at) => {
          const ear = this.#ears.get(at + 1);
          return ear ? [{ id: at + 1, name, ear, refundPolicy: this.#refundPolicy }] : [];
        }),
        unitPrice: Number(unitPrice),
        crashes: this.#allCrashes(),
        lastFrom,
        deeds: this.#operators.done,
        got: this.#smpp.got,
        throughputs: this.#throughputs,
        inDoubt: this.#inDoubt,
        limits: { account: accountNames[2], ...rules },
        clockErrorMs: this.#clockErrorMs(),
        aheadMs: this.#faults.aheadMs,
      },
      told,
    );
  }

  /** A single node follows its machine's clock after a restart. A suspended machine learns of it a little later. */
  #clockErrorMs(): number {
    const { all } = this.#counts;
    if (all.has('fault pause')) return Infinity;
    if (!all.has('fault clock step')) return clockErrorMs.usual;
    return this.#store.server ? clockErrorMs.afterSteps : Infinity;
  }

  /** Lets the world go on until the promise has its value. Only for what happens before or after all events. */
  async #driven<T>(promise: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const over = () => (state.isOver = true);
    promise.then(over, over);
    while (!state.isOver) await this.#world.run(this.#world.nowMs + 1);
    return promise;
  }
}

/** Whether a gateway works on a part, and when something is due otherwise. */
const waitsSql = `select exists (select 1 from part
    where claim_link is not null or deadline is not null and state not in ('scheduled', 'sent', 'in_doubt')) as works,
  (select min(due) from (select deadline as due from part union all select due_at from scheduled
    union all select due from notification where state = 'waiting') as waiting) as due`;
