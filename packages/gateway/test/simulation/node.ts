/* One gateway of a simulation: the real flow on the simulated store, with links to simulated carriers. */

import { tmpdir } from 'node:os';
import { clientApi, type ClientApi } from '../../src/edge/clients/client-api.ts';
import { SmppLinks } from '../../src/edge/carriers/smpp/links.ts';
import { Meters } from '../../src/flow/metrics/meters.ts';
import { DatabaseClock } from '../../src/flow/nodes/database-clock.ts';
import { onlyNode, type Nodes } from '../../src/flow/nodes/nodes.ts';
import { clockOffMaxMs } from '../../src/core/nodes/members.ts';
import { goOnWithTrustedClock, openFlow, startFlow, type Flow } from '../../src/open-flow.ts';
import { joinNodes, type Store } from '../../src/open-store.ts';
import { readConfig } from '../../src/config.ts';
import type { Journal } from '../../src/store/journal.ts';
import { startSteadyClock } from '../../src/runtime/steady-clock.ts';
import type { AnyResult, Command } from '../../src/state/commands.ts';
import { replayHour } from '../../src/flow/replay/replay.ts';
import { quietLog } from '../support/quiet-log.ts';
import type { bindLink } from '../../src/edge/carriers/smpp/bind.ts';
import { SimEdge } from './edge.ts';
import { clockAheadMaxMs } from './faults.ts';
import { SimConnection } from './postgres/connection.ts';
import { SimMembers, type Seen } from './postgres/engine.ts';
import { openJournal, SimReader, type SimStore } from './store.ts';
import { randomOf, type ProcessClock, type World } from './world.ts';

/** What alarms need of the machine: a receiver that takes everything, and a disk of unknown size. */
const machine = { notify: async () => ({ isTaken: true, detail: '' }), freeSpace: async () => undefined };
const cheapHash = { cost: 2, block: 1, lanes: 1 };

export interface NodeNeeds {
  readonly world: World;
  readonly clock: ProcessClock;
  readonly store: SimStore;
  readonly bind: typeof bindLink;
  readonly name: string;
  readonly seen: Seen;
  /** Called if another node may have the work of this one: the process must end at once. */
  readonly lost: (reason: string) => void;
  /** Called with the code of each refusal over SMPP. */
  readonly refused: (code: string) => void;
  /** Bugs of the gateway: what must never be thrown. */
  readonly bugs: unknown[];
}

/** One run of a gateway, from its start to its crash. */
export class SimNode {
  readonly clock: ProcessClock;
  readonly name: string;
  readonly nodes: Nodes;
  readonly lease: number;
  readonly journal: Journal;
  readonly flow: Flow;
  readonly api: ClientApi;
  readonly edge: SimEdge;
  readonly #watchers: (() => void)[] = [];

  /** Starts a gateway on what the last run has left in the store. Undefined if the store refuses the start. */
  static async start(needs: NodeNeeds): Promise<SimNode | undefined> {
    const { world, clock: own, store, name, bind, seen, bugs, lost } = needs;
    const meters = new Meters();
    const onApplied = (command: Command, result: AnyResult) => meters.applied(command, result);
    const databaseClock = new DatabaseClock(own);
    const onReplaced = () => lost('the store says so');
    const journal = await openJournal(world, { clock: own, store, name, seen, bugs, onApplied, onReplaced });
    if (store.server && !(await isClockRight(databaseClock, SimConnection.openAgain(store.server, own)))) {
      own.end();
      return undefined;
    }
    const reader = new SimReader(world, { clock: own, store });
    const random = randomOf(world);
    const log = quietLog;
    const clock = startSteadyClock(databaseClock, () => undefined);
    const begun = await journal.append<'begin'>({ kind: 'begin', at: clock.now(), aheadMaxMs: clockAheadMaxMs });
    if (!begun.ok) {
      own.end();
      return undefined;
    }
    const { node, lease } = begun.value;
    const nodes = store.server
      ? await joinNodes(
          {
            members: new SimMembers({ server: store.server, clock: own, name }, { node, lease }),
            node,
            times: undefined,
            databaseClock,
            clock,
            log,
            lost,
          },
          journal,
        )
      : onlyNode;
    const opened: Store = {
      tools: { log, clock, random, journal, reader, prices: reader },
      replays: { run: (asked) => replayHour(reader, asked) },
      begun: begun.value,
      nodes,
      meters,
      traces: undefined,
      cleaner: { clean: async () => 0 },
      dropOld: undefined,
      operatorKey: '',
    };
    const may = { isAlive: () => nodes.isAlive(), whenCertain: () => nodes.whenCertain() };
    const links = new SmppLinks({ log, clock, random, ...may }, bind);
    const stack = new AsyncDisposableStack();
    const flow = await openFlow(opened, { links, clockAheadMaxMs, passwordCost: cheapHash }, stack);
    goOnWithTrustedClock(opened.tools, flow);
    const config = readConfig({ MORSEL_DATA_DIR: tmpdir() });
    if (!config.ok) throw new Error('the configuration cannot be read');
    startFlow({ store: opened, flow, config: config.value, goneMs: undefined, ...machine }, stack);
    return new SimNode(own, { name, journal, flow, nodes, store: opened, refused: needs.refused });
  }

  private constructor(
    clock: ProcessClock,
    of: Pick<SimNode, 'name' | 'journal' | 'flow' | 'nodes'> & Pick<NodeNeeds, 'refused'> & { readonly store: Store },
  ) {
    const { name, journal, flow, nodes, store, refused } = of;
    this.clock = clock;
    this.name = name;
    this.nodes = nodes;
    this.lease = store.begun.lease;
    this.journal = journal;
    this.flow = flow;
    this.api = clientApi(flow.messages);
    this.edge = new SimEdge({ store, flow, api: this.api, refused });
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

/** Reads the clock of the database, as each start does. */
async function isClockRight(clock: DatabaseClock, opening: Promise<SimConnection>): Promise<boolean> {
  const connection = await opening;
  const sentAt = clock.machine.now();
  const [[[at] = []] = []] = await connection.send([
    { text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint' },
  ]);
  clock.hear({ sentAt, at: Number(at), answeredAt: clock.machine.now() });
  await connection.close();
  return Math.abs(clock.offMs) <= clockOffMaxMs;
}
