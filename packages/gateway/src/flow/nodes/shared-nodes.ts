/*
 * The nodes of one store, and which of them does what. Each renews its lease every second, acts for a while after the
 * last renewal, and then ends by itself. Only then the others take over its work (P7), or sooner if `watch.ts` sees its end.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { nodeCount } from '../../core/base/message-id.ts';
import { ableNodes, drainWrongClocks, moveOf } from '../../core/nodes/duties.ts';
import type { DutyKey, DutyKind, Hint, Member } from '../../core/nodes/members.ts';
import { sleep, type Timer } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { NodeMembers, Renewed } from '../../store/postgres/members.ts';
import { SharedCalls } from './calls.ts';
import type { DatabaseClock } from './database-clock.ts';
import { usualTimes, type Clients, type DutyWish, type Nodes, type NodeTimes } from './nodes.ts';
import { SharedPlaces } from './places.ts';
import { Proof } from './proof.ts';
import { Sightings } from './sightings.ts';
import { Watch } from './watch.ts';
import type { Tools } from '../ports.ts';

/** Why a node ends when its row says so. */
export const takenOver =
  'another process has taken over the work of this node; if two processes have the same MORSEL_NODE_NAME, give one of them another name';

const paused =
  'the machine was paused, or its clock was set: nothing is sent to carriers until the lease of this node is renewed';

const usualStayMs = 5 * secondMs;

/** How long a command of the operator waits for all nodes. */
const settleMaxMs = 5 * secondMs;
const settleLookMs = 50;
/** Hints are gathered for this long before they are sent. */
const hintAfterMs = 20;

/** The answer to a renewal, with how long ago this node saw the renewals of the others. */
type Seen = Omit<Renewed, 'members'> & { readonly members: readonly Member[] };

interface Duty extends DutyKey {
  isWanted: boolean;
  /** `stopping`: the work of the duty ends here; `stopped`: its row can go. Until then no other node takes the duty. */
  state: 'free' | 'held' | 'stopping' | 'stopped';
  beats: number;
  /** The number of the node that has the duty, according to the database. */
  holder: number | undefined;
}

/** One of several nodes on PostgreSQL. */
export class SharedNodes implements Nodes {
  readonly places: SharedPlaces;
  readonly calls: SharedCalls;
  readonly #needs;
  readonly #wishes = new Map<DutyKind, DutyWish>();
  readonly #duties = new Map<string, Duty>();
  readonly #hintHandlers = new Map<Hint['kind'], (keys: ReadonlySet<number> | undefined) => void>();
  readonly #hints = new Map<Hint['kind'], Set<number>>();
  readonly #loop: Loop;
  readonly #times: NodeTimes;
  readonly #sightings = new Sightings();
  readonly #proof: Proof;
  readonly #watch: Watch;
  #members: readonly Member[] = [];
  #sessionsElsewhere: ReadonlySet<number> = new Set();
  #watched: () => Iterable<number> = () => [];
  /** The accounts that were watched at the last renewal. */
  #known: ReadonlySet<number> = new Set();
  #used = 0;
  #useSettings: () => Promise<void> = async () => undefined;
  /** When this node sent the first answered renewal since the last failure. */
  #unbrokenFrom: number;
  #drainedFrom: number | undefined;
  #clients: Clients | undefined;
  #timer: Timer;

  constructor(
    needs: Pick<Tools, 'log' | 'clock'> & {
      readonly members: NodeMembers;
      readonly node: number;
      readonly databaseClock: Pick<DatabaseClock, 'hear' | 'machine' | 'offMs'>;
      /** Called when another node has this node's work, or may have it: the process must end at once. */
      readonly lost: (reason: string) => void;
      /** Called when another node has changed the settings: the store's memory of them is out of date. */
      readonly settingsChanged: () => void;
      /** Puts the parts that a silent node had claimed in doubt. */
      readonly takeOver: (node: number, lease: number) => Promise<void>;
      readonly times?: NodeTimes | undefined;
    },
  ) {
    const { clock, log } = needs;
    this.#needs = needs;
    this.places = new SharedPlaces({ clock, rows: needs.members.places });
    const living = () => this.#members.filter((each) => each.node !== needs.node && this.#isLiving(each));
    this.calls = new SharedCalls({ clock, log, rows: needs.members.calls, living, others: () => this.others() });
    this.onHint('call', () => void this.calls.look().catch(() => undefined));
    this.onHint('answer', () => this.calls.lookForAnswers());
    this.#times = needs.times ?? usualTimes;
    const { renewEveryMs } = this.#times;
    this.#unbrokenFrom = clock.monotonicMs();
    this.#proof = new Proof(needs.databaseClock.machine, (isPause) => {
      if (isPause) log.warn({}, paused);
      void this.#renew([]).catch(() => undefined);
    });
    const hasOthers = () => this.#members.length > 1;
    const takeOver: typeof needs.takeOver = (...of) => needs.takeOver(...of).then(() => this.look());
    const unbrokenMs = () => clock.monotonicMs() - this.#unbrokenFrom;
    this.#watch = new Watch({ clock, log, rows: needs.members.watch, hasOthers, unbrokenMs, takeOver });
    this.#loop = new Loop({ clock, log, name: 'renew the lease', everyMs: renewEveryMs, turn: () => this.#turn() });
    needs.members.heardSettings = () => this.look();
    needs.members.heardHint = ({ kind, keys }) => this.#hintHandlers.get(kind)?.(new Set(keys));
    const look = (): Timer => {
      if (!this.isAlive()) needs.lost(this.#unrenewed());
      void this.whenCertain();
      return clock.setTimer(() => (this.#timer = look()), renewEveryMs);
    };
    this.#timer = look();
  }

  holds(kind: DutyKind, key: number): boolean {
    return this.isAlive() && this.#duties.get(idOf({ kind, key }))?.state === 'held';
  }

  get name(): string | undefined {
    return this.#members.find(({ node }) => node === this.#needs.node)?.name;
  }

  onSettings(use: () => Promise<void>): void {
    this.#useSettings = use;
  }

  ownId(count: number): number {
    return count * nodeCount + this.#needs.node;
  }

  isElsewhere(account: number): boolean {
    return this.#sessionsElsewhere.has(account) || (!this.#known.has(account) && this.#hasOthers());
  }

  watchElsewhere(accounts: () => Iterable<number>): void {
    this.#watched = accounts;
  }

  isAlive(): boolean {
    return this.#needs.clock.monotonicMs() - this.#proof.at < this.#times.actsMs;
  }

  whenCertain(): Promise<void> | undefined {
    return this.#proof.whenProven();
  }

  get isCutOff(): boolean {
    return this.#needs.clock.monotonicMs() - this.#proof.at > this.#times.quietMs;
  }

  get isDrained(): boolean {
    const { node } = this.#needs;
    const self = this.#members.find((each) => each.node === node);
    return self?.isDraining === true && ableNodes(this.#members, this.#times.quietMs).length > 0;
  }

  haveClients(clients: Clients): void {
    this.#clients = clients;
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
    this.#hintHandlers.set(kind, look);
  }

  list(): readonly Member[] {
    const ageMs = this.#needs.clock.monotonicMs() - this.#proof.at;
    return this.#members.map((member) => ({ ...member, agoMs: member.agoMs + ageMs }));
  }

  others(): readonly Member[] {
    const { node } = this.#needs;
    return this.#members.filter((each) => each.node !== node && !each.isStopped && each.agoMs < this.#times.quietMs);
  }

  holderOf(kind: DutyKind, key: number): string | undefined {
    const holder = this.#duties.get(idOf({ kind, key }))?.holder;
    return holder === this.#needs.node ? undefined : this.#members.find(({ node }) => node === holder)?.name;
  }

  async settled(): Promise<readonly string[]> {
    const { clock } = this.#needs;
    const until = clock.monotonicMs() + settleMaxMs;
    let wanted: number | undefined;
    this.look();
    for (;;) {
      const renewed = await this.#renew([]).catch(() => undefined);
      wanted ??= renewed?.settings;
      // While the database does not answer, it is unknown which settings the other nodes use.
      const isLate = ({ node, settings }: Member) => (renewed ? settings < (wanted ?? 0) : node !== this.#needs.node);
      const late = (renewed?.members ?? this.#members).filter((each) => this.#isLiving(each) && isLate(each));
      if (late.length === 0 || clock.monotonicMs() > until) return late.map(({ name }) => name);
      await sleep(clock, settleLookMs);
    }
  }

  get clientsStayMs(): number {
    return this.#times.clientsStayMs ?? usualStayMs;
  }

  get late(): readonly string[] {
    return this.#members.flatMap((each) => (this.#isLiving(each) && each.settings < this.#used ? each.name : []));
  }

  drain(name: string, isDraining: boolean): Promise<boolean> {
    return this.#needs.members.drain(name, isDraining);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer.cancel();
    this.places.stop();
    await this.#watch.stop();
    await this.#loop.stop();
    for (const duty of this.#duties.values()) duty.state = 'free';
    await this.#needs.members.leave().catch(() => undefined);
  }

  #hasOthers(): boolean {
    return this.#members.some((member) => member.node !== this.#needs.node && this.#isLiving(member));
  }

  #sendHints(): void {
    const hints = [...this.#hints];
    this.#hints.clear();
    for (const [kind, keys] of hints) this.#needs.members.hint({ kind, keys: [...keys] }).catch(() => undefined);
  }

  #unrenewed(): string {
    const seconds = Math.round((this.#needs.clock.monotonicMs() - this.#proof.at) / secondMs);
    return `this node has not renewed its lease for ${seconds} s, as the database did not answer or the process was stopped; other nodes take over its work`;
  }

  /** Returns when the next renewal is due, counted from the last one: its answer may take long. */
  async #turn(): Promise<number> {
    const wanted = this.#wanted();
    let renewed: Seen;
    try {
      renewed = await this.#renew(wanted);
    } catch {
      const isNews = this.#unbrokenFrom !== Number.POSITIVE_INFINITY;
      this.#unbrokenFrom = Number.POSITIVE_INFINITY;
      const endsMs = this.#times.actsMs;
      if (isNews)
        this.#needs.log.warn(
          { endsMs },
          'the lease of this node could not be renewed: it is tried until the node ends',
        );
      return this.#times.renewEveryMs;
    }
    if (renewed.settings > this.#used) {
      this.#needs.settingsChanged();
      await this.#useSettings();
      this.#used = renewed.settings;
    }
    await this.#moveDuties(wanted, renewed);
    this.#closeClients();
    await this.#takeOver(renewed.members);
    // A hint may be lost with a connection.
    if (this.#hasOthers()) for (const look of this.#hintHandlers.values()) look(undefined);
    return Math.max(1, this.#times.renewEveryMs + this.#proof.at - this.#needs.clock.monotonicMs());
  }

  async #renew(wanted: readonly DutyKey[]): Promise<Seen> {
    const { members, clock, lost, databaseClock } = this.#needs;
    const { machine } = databaseClock;
    const [sent, wallSentAt] = [this.#proof.read(), machine.now()];
    const up = [...(this.#wishes.get('link')?.upKeys?.() ?? [])];
    const watched = new Set(this.#watched());
    const clockOffMs = Math.round(databaseClock.offMs);
    const own = { settings: this.#used, boundLinks: up, sessions: this.#clients?.size() ?? 0, clockOffMs };
    const stored = await members.renew(own, wanted, watched);
    if (!stored.isOwn) lost(takenOver);
    const { quietMs, clockOffMaxMs } = this.#times;
    if (clockOffMaxMs !== Infinity)
      databaseClock.hear({ sentAt: wallSentAt, at: stored.at, answeredAt: machine.now() });
    const seen = drainWrongClocks(this.#sightings.see(stored.members, clock.monotonicMs()), quietMs);
    const renewed = { ...stored, members: seen };
    this.#proof.renewed(sent);
    this.#unbrokenFrom = Math.min(this.#unbrokenFrom, sent.at);
    this.#members = renewed.members;
    this.#sessionsElsewhere = renewed.sessionsElsewhere;
    const news = [...watched].filter((key) => !this.#known.has(key));
    this.#known = watched;
    if (news.length > 0 && this.#hasOthers()) this.#hintHandlers.get('news')?.(new Set(news));
    return renewed;
  }

  /** Closes the clients' sessions when this node is drained for long enough. The clients then go to other nodes. */
  #closeClients(): void {
    const now = this.#needs.clock.monotonicMs();
    this.#drainedFrom = this.isDrained ? (this.#drainedFrom ?? now) : undefined;
    if (this.#drainedFrom !== undefined && now - this.#drainedFrom >= this.clientsStayMs) this.#clients?.close();
  }

  #wanted(): Duty[] {
    for (const duty of this.#duties.values()) duty.isWanted = false;
    for (const { kind, keys } of this.#wishes.values()) {
      for (const key of keys()) {
        const id = idOf({ kind, key });
        const known = this.#duties.get(id) ?? newDuty({ kind, key });
        known.isWanted = true;
        this.#duties.set(id, known);
      }
    }
    for (const [id, { isWanted, state }] of this.#duties) if (!isWanted && state === 'free') this.#duties.delete(id);
    return [...this.#duties.values()];
  }

  async #moveDuties(duties: readonly Duty[], { members, taken }: Seen): Promise<void> {
    const self = this.#needs.node;
    const able = ableNodes(members, this.#times.quietMs);
    const holders = new Map(taken.map((each) => [idOf(each), each.node]));
    for (const duty of duties) {
      duty.holder = holders.get(idOf(duty));
      // The database gave this node the duty, but the answer was lost.
      if (duty.state === 'free' && duty.holder === self) duty.state = 'stopped';
    }
    await this.#giveBack(duties.filter(({ state }) => state === 'stopped'));
    const moves = Map.groupBy(duties, (duty) => {
      const isHeld = duty.state === 'held';
      if (duty.state === 'stopping') return 'none';
      if (!duty.isWanted) return isHeld ? 'give-up' : 'none';
      const isShared = this.#wishes.get(duty.kind)?.isShared === true;
      return moveOf({ ...duty, isHeld, isTaken: duty.holder !== undefined, isShared }, self, able);
    });
    for (const [move, moved] of moves) for (const duty of moved) duty.beats = move === 'wait' ? duty.beats + 1 : 0;
    this.#giveUp(moves.get('give-up') ?? []);
    await this.#take(moves.get('take') ?? []);
  }

  async #take(duties: readonly Duty[]): Promise<void> {
    if (duties.length === 0) return;
    const got = new Set((await this.#needs.members.take(duties)).map(idOf));
    const mine = duties.filter((duty) => got.has(idOf(duty)));
    for (const duty of mine) Object.assign(duty, { state: 'held', holder: this.#needs.node });
    for (const kind of new Set(mine.map((duty) => duty.kind))) void this.#changed(kind);
  }

  /** Stops the work of these duties. This may take long: the node renews its lease meanwhile. */
  #giveUp(duties: readonly Duty[]): void {
    for (const duty of duties) duty.state = 'stopping';
    for (const [kind, given] of Map.groupBy(duties, (duty) => duty.kind)) {
      void this.#changed(kind).then(() => {
        for (const duty of given) duty.state = 'stopped';
        this.look();
      });
    }
  }

  async #giveBack(duties: readonly Duty[]): Promise<void> {
    if (duties.length === 0) return;
    await this.#needs.members.giveBack(duties);
    for (const duty of duties) Object.assign(duty, { state: 'free', holder: undefined });
  }

  async #changed(kind: DutyKind): Promise<void> {
    await this.#wishes.get(kind)?.changed();
  }

  #isLiving({ isStopped, hasLease, agoMs }: Member): boolean {
    return !isStopped && hasLease && agoMs < this.#times.silentMs;
  }

  /** Takes over the work of silent nodes, if this node has renewed its lease without a break for just as long. */
  async #takeOver(members: readonly Member[]): Promise<void> {
    const [{ clock, takeOver, log }, { silentMs }] = [this.#needs, this.#times];
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

function newDuty(key: DutyKey): Duty {
  return { ...key, isWanted: true, state: 'free', beats: 0, holder: undefined };
}
