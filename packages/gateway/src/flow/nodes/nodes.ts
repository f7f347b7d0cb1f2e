/* The nodes of one store, for the other parts of the gateway. A gateway on SQLite is the only node of its store. */

import { secondMs } from '@morsel/api/values/time.ts';
import { usualQuietMs, usualSilentMs, type DutyKind, type Hint, type Member } from '../../core/nodes/members.ts';
import { noCalls, type Calls } from './calls.ts';
import { ownPlaces, type Places } from './places.ts';

/** How long nodes wait for each other. Tests are faster. */
export interface NodeTimes {
  readonly renewEveryMs: number;
  /** A node that has not renewed its lease for this long gets no duty, and its links do not count as bound. */
  readonly quietMs: number;
  /** A node ends by itself this long after it sent the last renewal that was answered. */
  readonly actsMs: number;
  /** A node that was silent this long has ended. The time allows for pauses of other nodes and the drift of clocks. */
  readonly silentMs: number;
  /** A node whose clock is off by more does not start (default: `clockOffMaxMs`). Infinity: clocks are not compared. */
  readonly clockOffMaxMs?: number;
  /** Clients stay bound for this long at a drained node. Meanwhile a load balancer sees that the node is not ready. */
  readonly clientsStayMs?: number;
}

export const usualTimes: NodeTimes = {
  renewEveryMs: secondMs,
  quietMs: usualQuietMs,
  actsMs: 35 * secondMs,
  silentMs: usualSilentMs,
};

/** The duties of one kind that this node wants. */
export interface DutyWish {
  readonly kind: DutyKind;
  /** The keys of the duties that this node could do now. */
  readonly keys: () => Iterable<number>;
  /** Resolves when the work of lost duties has stopped. May be called again before that. */
  readonly changed: () => Promise<void>;
  /** Whether every node wants the same keys, so that the duties are spread over the nodes. */
  readonly isShared: boolean;
  /** The keys of duties whose work goes well, such as bound links, if other nodes need to know them. */
  readonly upKeys?: () => Iterable<number>;
}

export interface Clients {
  readonly size: () => number;
  /** Called from time to time while this node is drained. */
  readonly close: () => void;
}

export interface Nodes extends AsyncDisposable {
  /** The name of this node. Undefined if it is the only node, or until the first renewal of its lease. */
  readonly name: string | undefined;
  readonly places: Places;
  readonly calls: Calls;
  /** Makes an id that no other node makes, from a number that this node counts up. */
  ownId(count: number): number;
  /** Whether this node has a duty now. No other node has it. */
  holds(kind: DutyKind, key: number): boolean;
  /**
   * Whether another node delivered to the account's sessions at the last renewal. Also true for an account that is not
   * watched yet; when that is known, a hint `news` follows.
   */
  isElsewhere(account: number): boolean;
  /** Sets the accounts that `isElsewhere` may be asked about. */
  watchElsewhere(accounts: () => Iterable<number>): void;
  wish(wish: DutyWish): void;
  look(): void;
  /** Notifies the other nodes that they may find work. Hints are sent a moment later, in one batch. */
  hint(kind: Hint['kind'], keys: Iterable<number>): void;
  /** Calls `look` when another node may have made work for this node. Without keys, `look` must look everywhere. */
  onHint(kind: Hint['kind'], look: (keys: ReadonlySet<number> | undefined) => void): void;
  /** Whether this node may act: no other node can have taken over its work. */
  isAlive(): boolean;
  /** Undefined while it is certain that this node may send. Else resolves when it is, unless the node ends. */
  whenCertain(): Promise<void> | undefined;
  /** Whether the operator wants to stop this node, and another one can do its work. */
  readonly isDrained: boolean;
  /** Whether the database has not answered this node for some seconds. */
  readonly isCutOff: boolean;
  haveClients(clients: Clients): void;
  /** All nodes, as this node saw them last. While the database does not answer, all nodes count as silent. */
  list(): readonly Member[];
  others(): readonly Member[];
  /** The name of the other node that has a duty, if this node wants it and another one has it. */
  holderOf(kind: DutyKind, key: number): string | undefined;
  /** Calls `use` when another node has changed the operator's settings. It resolves when this node uses them. */
  onSettings(use: () => Promise<void>): void;
  /** Resolves when all living nodes use the newest settings. Returns the names of those that did not in time. */
  settled(): Promise<readonly string[]>;
  /** The names of the living nodes that do not use this node's settings yet. */
  readonly late: readonly string[];
  /** Asks a node to give its work away, or to take work again. Returns whether a node with this name exists. */
  drain(name: string, isDraining: boolean): Promise<boolean>;
  /** How long load balancers have to see that a node is drained. */
  readonly clientsStayMs: number;
}

export const onlyNode: Nodes = {
  name: undefined,
  places: ownPlaces,
  calls: noCalls,
  ownId: (count) => count,
  holds: () => true,
  isElsewhere: () => false,
  watchElsewhere: () => undefined,
  wish: (wish) => void wish.changed(),
  look: () => undefined,
  hint: () => undefined,
  onHint: () => undefined,
  isAlive: () => true,
  whenCertain: () => undefined,
  isDrained: false,
  isCutOff: false,
  haveClients: () => undefined,
  list: () => [],
  others: () => [],
  holderOf: () => undefined,
  onSettings: () => undefined,
  settled: async () => [],
  late: [],
  drain: async () => false,
  clientsStayMs: 0,
  [Symbol.asyncDispose]: async () => undefined,
};
