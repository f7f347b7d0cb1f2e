/* One gateway of a simulation: the real flow on the simulated store, with links to simulated carriers. */

import { tmpdir } from 'node:os';
import { clientApi, type ClientApi } from '../../src/edge/clients/client-api.ts';
import { SmppLinks } from '../../src/edge/carriers/smpp/links.ts';
import { Meters } from '../../src/flow/metrics/meters.ts';
import { onlyNode } from '../../src/flow/nodes/nodes.ts';
import { goOnWithTrustedClock, openFlow, startFlow, type Flow } from '../../src/open-flow.ts';
import type { Store } from '../../src/open-store.ts';
import { readConfig } from '../../src/config.ts';
import type { Journal } from '../../src/store/journal.ts';
import { startSteadyClock } from '../../src/runtime/steady-clock.ts';
import type { AnyResult, Command } from '../../src/state/commands.ts';
import { quietLog } from '../support/quiet-log.ts';
import type { bindLink } from '../../src/edge/carriers/smpp/bind.ts';
import { SimEdge } from './edge.ts';
import { openJournal, SimReader, type SimStore } from './store.ts';
import { randomOf, type ProcessClock, type World } from './world.ts';

/** Longer than a gateway of a simulation is ever away, and shorter than the large steps of its clock. */
const clockAheadMaxMs = 600_000;
/** What alarms need of the machine: a receiver that takes everything, and a disk of unknown size. */
const machine = { notify: async () => ({ isTaken: true, detail: '' }), freeSpace: async () => undefined };
const cheapHash = { cost: 2, block: 1, lanes: 1 };

export interface NodeNeeds {
  readonly world: World;
  readonly clock: ProcessClock;
  readonly store: SimStore;
  readonly bind: typeof bindLink;
  /** Called with each command that was committed or refused. */
  readonly seen: (command: Command, result: AnyResult) => void;
  /** Bugs of the gateway: what must never be thrown. */
  readonly bugs: unknown[];
}

/** One run of a gateway, from its start to its crash. */
export class SimNode {
  readonly clock: ProcessClock;
  readonly journal: Journal;
  readonly flow: Flow;
  readonly api: ClientApi;
  readonly edge: SimEdge;
  readonly #watchers: (() => void)[] = [];

  /** Starts a gateway on what the last run has left in the store. Undefined if the store refuses the start. */
  static async start(needs: NodeNeeds): Promise<SimNode | undefined> {
    const { world, clock: own, store, bind, seen, bugs } = needs;
    const meters = new Meters();
    const onApplied = (command: Command, result: AnyResult) => meters.applied(command, result);
    const journal = openJournal(world, { clock: own, store, seen, bugs, onApplied });
    const reader = new SimReader(world, { clock: own, store });
    const random = randomOf(world);
    const log = quietLog;
    const clock = startSteadyClock(own, () => undefined);
    const begun = await journal.append<'begin'>({ kind: 'begin', at: clock.now(), aheadMaxMs: clockAheadMaxMs });
    if (!begun.ok) {
      own.end();
      return undefined;
    }
    const opened: Store = {
      tools: { log, clock, random, journal, reader, prices: reader },
      begun: begun.value,
      nodes: onlyNode,
      meters,
      traces: undefined,
      cleaner: { clean: async () => 0 },
      operatorKey: '',
    };
    const links = new SmppLinks({ log, clock, random, isAlive: () => true, whenCertain: () => undefined }, bind);
    const stack = new AsyncDisposableStack();
    const flow = await openFlow(opened, { links, clockAheadMaxMs, passwordCost: cheapHash }, stack);
    goOnWithTrustedClock(opened.tools, flow);
    const config = readConfig({ MORSEL_DATA_DIR: tmpdir() });
    if (!config.ok) throw new Error('the configuration cannot be read');
    startFlow({ store: opened, flow, config: config.value, goneMs: undefined, ...machine }, stack);
    return new SimNode(own, { journal, flow, store: opened });
  }

  private constructor(
    clock: ProcessClock,
    { journal, flow, store }: Pick<SimNode, 'journal' | 'flow'> & { store: Store },
  ) {
    this.clock = clock;
    this.journal = journal;
    this.flow = flow;
    this.api = clientApi(flow.messages);
    this.edge = new SimEdge({ store, flow, api: this.api });
  }

  /** Calls the function if the process crashes. */
  whenCrashed(call: () => void): void {
    this.#watchers.push(call);
  }

  /** The process ends at once, wherever it is. */
  crash(): void {
    this.clock.end();
    for (const call of this.#watchers.splice(0)) call();
  }
}
