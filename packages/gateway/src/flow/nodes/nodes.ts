/*
 * The nodes of one store, and which of them does what. Each node renews its lease every second, acts for a while after
 * the last renewal, and then ends by itself. Only after that the others take over what it had (P7).
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { ableNodes, moveOf } from '../../core/nodes/duties.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { DutyKey, DutyKind, Hint, Member, NodeMembers, Renewed } from '../../store/postgres/members.ts';

const renewEveryMs = secondMs;
/** A node ends by itself this long after it sent the last renewal that was answered. */
const actsMs = 35 * secondMs;
/** A node that was silent this long has ended: pauses of the others and the drift of clocks are in it. */
const silentMs = 45 * secondMs;
/** How long a command of the operator waits for all nodes. */
const settleMaxMs = 5 * secondMs;
const settleLookMs = 50;
/** Hints are gathered for this long. */
const hintAfterMs = 20;

/** Wishes for duties of one kind. */
export interface DutyWish {
  readonly kind: DutyKind;
  /** The keys of the duties that this node could do now. */
  readonly keys: () => Iterable<number>;
  /** The duties that this node has have changed. Resolves when it has stopped the work that it no longer has. */
  readonly changed: () => Promise<void>;
  /** Every node wishes for the same keys: they are spread over the nodes. */
  readonly isShared: boolean;
}

/** What the other parts ask the nodes. */
export interface Nodes extends AsyncDisposable {
  /** Whether this node has a duty now. No other node has it. */
  holds(kind: DutyKind, key: number): boolean;
  wish(wish: DutyWish): void;
  /** Looks at the wishes soon. */
  look(): void;
  /** Tells the other nodes that they may find work there, a moment later and all at once. */
  hint(kind: Hint['kind'], keys: Iterable<number>): void;
  /** Calls `look` when another node may have made work there; without keys, look everywhere. */
  onHint(kind: Hint['kind'], look: (keys: ReadonlySet<number> | undefined) => void): void;
  /** Whether this node may act: no other node can have taken over its work. */
  isAlive(): boolean;
  /** All nodes, as this one saw them last. */
  list(): readonly Member[];
  /** Resolves when all living nodes use the newest settings; returns the names of those that did not in time. */
  settled(): Promise<readonly string[]>;
  /** Asks a node to give its work to the others, or to take some again. Returns whether there is one with this name. */
  drain(name: string, isDraining: boolean): Promise<boolean>;
}

/** A gateway on SQLite: the only node of its store, which does everything. */
export const onlyNode: Nodes = {
  holds: () => true,
  wish: (wish) => void wish.changed(),
  look: () => undefined,
  hint: () => undefined,
  onHint: () => undefined,
  isAlive: () => true,
  list: () => [],
  settled: async () => [],
  drain: async () => false,
  [Symbol.asyncDispose]: async () => undefined,
};

interface NodesNeeds {
  readonly members: NodeMembers;
  readonly node: number;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** Another node has this one's work, or may have it: the process must end at once. */
  readonly lost: (reason: string) => void;
  /** The operator's settings have changed. Resolves when this node uses them. */
  readonly settingsChanged: () => Promise<void>;
  /** A node is silent: puts what it had claimed in doubt. */
  readonly takeOver: (node: number, lease: number) => Promise<void>;
}

interface Duty extends DutyKey {
  isWanted: boolean;
  isHeld: boolean;
  beats: number;
}

/** One of several nodes on PostgreSQL. */
export class SharedNodes implements Nodes {
  readonly #needs: NodesNeeds;
  readonly #wishes = new Map<DutyKind, DutyWish>();
  readonly #duties = new Map<string, Duty>();
  readonly #ears = new Map<Hint['kind'], (keys: ReadonlySet<number> | undefined) => void>();
  readonly #hints = new Map<Hint['kind'], Set<number>>();
  readonly #loop: Loop;
  #members: readonly Member[] = [];
  /** The version of the settings that this node uses. */
  #used = 0;
  /** When the last renewal that was answered was sent, and the first one since the last failure. */
  #renewedAt: number;
  #unbrokenFrom: number;
  #timer: Timer;

  constructor(needs: NodesNeeds) {
    const { clock, log } = needs;
    this.#needs = needs;
    this.#renewedAt = clock.monotonicMs();
    this.#unbrokenFrom = this.#renewedAt;
    this.#loop = new Loop({ clock, log, name: 'renew the lease', everyMs: renewEveryMs, turn: () => this.#turn() });
    needs.members.heardSettings = () => this.look();
    needs.members.heardHint = ({ kind, keys }) => this.#ears.get(kind)?.(new Set(keys));
    const look = (): Timer => {
      if (!this.isAlive()) needs.lost('the database has not answered for 35 s, and other nodes take over soon');
      return clock.setTimer(() => (this.#timer = look()), renewEveryMs);
    };
    this.#timer = look();
  }

  holds(kind: DutyKind, key: number): boolean {
    return this.isAlive() && this.#duties.get(idOf({ kind, key }))?.isHeld === true;
  }

  isAlive(): boolean {
    return this.#needs.clock.monotonicMs() - this.#renewedAt < actsMs;
  }

  wish(wish: DutyWish): void {
    this.#wishes.set(wish.kind, wish);
    this.look();
  }

  look(): void {
    this.#loop.wake();
  }

  hint(kind: Hint['kind'], keys: Iterable<number>): void {
    if (!this.#hasOthers()) return;
    if (this.#hints.size === 0) this.#needs.clock.setTimer(() => this.#sendHints(), hintAfterMs);
    this.#hints.set(kind, new Set([...(this.#hints.get(kind) ?? []), ...keys]));
  }

  onHint(kind: Hint['kind'], look: (keys: ReadonlySet<number> | undefined) => void): void {
    this.#ears.set(kind, look);
  }

  list(): readonly Member[] {
    return this.#members;
  }

  async settled(): Promise<readonly string[]> {
    const { clock } = this.#needs;
    const until = clock.monotonicMs() + settleMaxMs;
    let wanted: number | undefined;
    this.look();
    for (;;) {
      const { settings, members } = await this.#renew([]);
      wanted ??= settings;
      const late = members.filter((member) => isLiving(member) && member.settings < (wanted ?? 0));
      if (late.length === 0 || clock.monotonicMs() > until) return late.map(({ name }) => name);
      await sleep(clock, settleLookMs);
    }
  }

  drain(name: string, isDraining: boolean): Promise<boolean> {
    return this.#needs.members.drain(name, isDraining);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer.cancel();
    await this.#loop.stop();
    for (const duty of this.#duties.values()) duty.isHeld = false;
    await this.#needs.members.leave().catch(() => undefined);
  }

  #hasOthers(): boolean {
    return this.#members.some((member) => member.node !== this.#needs.node && isLiving(member));
  }

  #sendHints(): void {
    const hints = [...this.#hints];
    this.#hints.clear();
    for (const [kind, keys] of hints) this.#needs.members.hint({ kind, keys: [...keys] }).catch(() => undefined);
  }

  async #turn(): Promise<void> {
    const wanted = this.#wanted();
    let renewed: Renewed;
    try {
      renewed = await this.#renew(wanted);
    } catch {
      this.#unbrokenFrom = Number.POSITIVE_INFINITY;
      this.#needs.log.warn({}, 'the lease of this node could not be renewed: it is tried again');
      return;
    }
    if (renewed.settings > this.#used) {
      await this.#needs.settingsChanged();
      this.#used = renewed.settings;
    }
    await this.#moveDuties(wanted, renewed);
    await this.#takeOver(renewed.members);
    // A hint may be lost with a connection.
    if (this.#hasOthers()) for (const look of this.#ears.values()) look(undefined);
  }

  async #renew(wanted: readonly DutyKey[]): Promise<Renewed> {
    const { members, clock, lost } = this.#needs;
    const sentAt = clock.monotonicMs();
    const renewed = await members.renew(this.#used, wanted);
    if (!renewed.isOwn) lost('another node has taken over the work of this one');
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
    this.#unbrokenFrom = Math.min(this.#unbrokenFrom, sentAt);
    this.#members = renewed.members;
    return renewed;
  }

  /** The duties that this node wants or has. */
  #wanted(): Duty[] {
    for (const duty of this.#duties.values()) duty.isWanted = false;
    for (const { kind, keys } of this.#wishes.values()) {
      for (const key of keys()) {
        const id = idOf({ kind, key });
        const known = this.#duties.get(id) ?? { kind, key, isWanted: true, isHeld: false, beats: 0 };
        known.isWanted = true;
        this.#duties.set(id, known);
      }
    }
    for (const [id, { isWanted, isHeld }] of this.#duties) if (!isWanted && !isHeld) this.#duties.delete(id);
    return [...this.#duties.values()];
  }

  async #moveDuties(duties: readonly Duty[], { members, taken }: Renewed): Promise<void> {
    const able = ableNodes(members);
    const isTaken = new Set(taken.map(idOf));
    const moves = Map.groupBy(duties, (duty) => {
      if (!duty.isWanted) return 'give-up';
      const isShared = this.#wishes.get(duty.kind)?.isShared === true;
      return moveOf({ ...duty, isTaken: isTaken.has(idOf(duty)), isShared }, this.#needs.node, able);
    });
    for (const [move, moved] of moves) for (const duty of moved) duty.beats = move === 'wait' ? duty.beats + 1 : 0;
    const [given = [], wanted = []] = [moves.get('give-up'), moves.get('take')];
    for (const duty of given) duty.isHeld = false;
    const got = wanted.length === 0 ? [] : await this.#needs.members.take(wanted);
    for (const duty of got) {
      const known = this.#duties.get(idOf(duty));
      if (known) known.isHeld = true;
    }
    const kinds = new Set([...given, ...got].map(({ kind }) => kind));
    await Promise.all([...kinds].map(async (kind) => this.#wishes.get(kind)?.changed()));
    if (given.length > 0) await this.#needs.members.giveBack(given);
  }

  /** Takes over from silent nodes, if this one has renewed its lease without a break for as long. */
  async #takeOver(members: readonly Member[]): Promise<void> {
    const { clock, takeOver, log } = this.#needs;
    if (clock.monotonicMs() - this.#unbrokenFrom < silentMs) return;
    for (const { node, name, lease, agoMs, isStopped, hasLease } of members) {
      if (isStopped || !hasLease || agoMs < silentMs || node === this.#needs.node) continue;
      log.warn({ node: name, silentMs: agoMs }, 'a node is silent: its work is taken over');
      await takeOver(node, lease);
    }
  }
}

function idOf({ kind, key }: DutyKey): string {
  return `${kind} ${key}`;
}

function isLiving({ isStopped, hasLease, agoMs }: Member): boolean {
  return !isStopped && hasLease && agoMs < silentMs;
}
