import { setTimeout as sleep } from 'node:timers/promises';
import { noticeRetryAt } from '../../core/notification/retry.ts';
import type { Notice, TryOutcome } from '../../core/notification/notification.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';
import type { NoticeLane, NoticeTried, StoppedWebhook } from '../../store/commands/notification.ts';
import type { NoticeNews } from '../../store/tables/notification.ts';
import type { Reader } from '../../store/reader.ts';

/** What would be given up if the clock were believed is tried again after this. */
const heldMs = hourMs;

/** Where notices of one lane go: a webhook, or the bound sessions of an account. */
export interface Outlet {
  /** How many notices it takes now, beside those under way. */
  room(): number;
  /** Tells it one, by a deadline of its own. Never rejects. */
  tell(notice: Notice): Promise<TryOutcome>;
}

interface NotifyNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
  /** Nothing is given up: the clock is not believed. */
  readonly isHeld?: () => boolean;
  /** From 0 up to 1. */
  readonly chance: () => number;
  readonly log: { warn(fields: object, message: string): void };
  /** Told when a try has stopped a webhook. */
  readonly stopped?: (webhook: StoppedWebhook) => void;
}

/** Notices that a lane reads ahead at most: enough that reading is rare beside telling, and little to hold. */
const aheadMax = 256;

/** Of one lane, under way or told and not yet written down: beyond it nothing more is told, whatever room there is. */
const underWayMax = 1_000;

/** After a failure of the store. */
const storeRetryMs = secondMs;

/** What was not tried because its outlet closed is due at once: this keeps one that closes for ever from being asked for ever. */
const untriedMs = 100;

/** A timer takes no more than a signed 32-bit number of milliseconds. */
const timerMax = 2 ** 31 - 1;

const wakeBatchMax = 1_000;

/** How long a stop waits for the answers to what is under way; what has none then is told again after the next start. */
const stopMaxMs = 20 * secondMs;

/**
 * Tells accounts what happened: notices wait in the store, each lane reads those that are due as its outlet has room, and
 * writes down what came of each try. A notice is tried until it is acknowledged, by one outlet at a time and always under
 * its own id, so a crash between a try and its record only tells it once more (O2, D6). A lane that is slow, or has nobody
 * at its end, holds up no other.
 */
export class Notifier {
  readonly #needs: NotifyNeeds;
  readonly #lanes = new Map<string, Lane>();
  readonly #ofAccounts = new Map<number, Set<Lane>>();
  /** By their ids: an account's sessions and its webhook may be open for one notice. */
  readonly #underWay = new Set<number>();
  /** Whatever goes on: a stop waits for it. */
  readonly #work = new Set<Promise<void>>();
  #isStopping = false;

  constructor(needs: NotifyNeeds) {
    this.#needs = needs;
  }

  /** From now on the notices of this lane go to the outlet. Opening it anew replaces its outlet. */
  open(of: NoticeLane, outlet: Outlet): void {
    if (this.#isStopping) return;
    this.#closeLane(keyOf(of));
    const lane = new Lane(of, outlet);
    const others = this.#lanesOf(of.account);
    this.#lanes.set(keyOf(of), lane);
    this.#ofAccounts.set(of.account, new Set([...others, lane]));
    if (of.kind === 'sessions') {
      // They go before the webhook from now on, also with what it has read ahead.
      for (const other of others) other.forget();
      // What failed there waits for its next try: a session that is bound now need not.
      this.#keep(this.wake(of));
    }
    this.#pump(lane);
  }

  /** What is under way ends by itself; the rest waits in the store, for a session or for the webhook. */
  close(of: NoticeLane): void {
    this.#closeLane(keyOf(of));
    for (const other of this.#lanesOf(of.account)) this.#look(other);
  }

  /** The outlet of a lane has room again. */
  hasRoom(of: NoticeLane): void {
    const lane = this.#lanes.get(keyOf(of));
    if (lane) this.#pump(lane);
  }

  /** Something new waits in the store. */
  heard(news: readonly NoticeNews[]): void {
    for (const { account, bySession, webhook } of news) {
      const sessions = bySession ? this.#lanes.get(keyOf({ kind: 'sessions', account })) : undefined;
      const lane =
        sessions ?? (webhook === null ? undefined : this.#lanes.get(keyOf({ kind: 'webhook', account, webhook })));
      if (lane) this.#look(lane);
    }
  }

  /** Tries now what waits for its next try: for a person who mended what was wrong, and for a session that is bound. */
  async wake(of: NoticeLane): Promise<void> {
    for (let isMore = true; isMore && !this.#isStopping;) {
      const at = this.#needs.clock.now();
      const woken = await this.#needs.journal.append<'wake-notices'>({
        kind: 'wake-notices',
        at,
        lane: of,
        max: wakeBatchMax,
      });
      isMore = woken.ok && woken.value.isMore;
      const lane = this.#lanes.get(keyOf(of));
      if (lane) this.#look(lane);
    }
  }

  /** The same of everybody who can be told now: the clock is believed again, and what waits was due by another one. */
  wakeAll(): void {
    for (const { of } of this.#lanes.values()) this.#keep(this.wake(of));
  }

  /** How many are being told now. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Tells nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const key of this.#lanes.keys()) this.#closeLane(key);
    await Promise.race([Promise.all(this.#work), sleep(stopMaxMs, undefined, { ref: false })]);
  }

  #keep(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  #closeLane(key: string): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    lane.isOpen = false;
    clearTimeout(lane.timer);
    this.#lanes.delete(key);
    const { account } = lane.of;
    const others = this.#lanesOf(account);
    others.delete(lane);
    if (others.size === 0) this.#ofAccounts.delete(account);
  }

  #lanesOf(account: number): Set<Lane> {
    return this.#ofAccounts.get(account) ?? new Set();
  }

  /** There may be something that the lane has not read. */
  #look(lane: Lane): void {
    lane.mayHaveMore = true;
    this.#pump(lane);
  }

  /** Tells as many as there is room for, and reads more when those that were read are gone. */
  #pump(lane: Lane): void {
    if (!lane.isOpen) return;
    while (this.#roomOf(lane) > 0) {
      const notice = lane.ahead.shift();
      if (!notice) break;
      if (!this.#underWay.has(notice.id)) this.#start(lane, notice);
    }
    // Twice what it tells at once, and more of it before those are gone, so that a fast one never waits for a read.
    const wanted = Math.min(aheadMax, 2 * Math.max(this.#roomOf(lane), lane.told.size));
    if (lane.ahead.length < wanted / 2 && lane.mayHaveMore && !lane.isReading) this.#keep(this.#read(lane, wanted));
  }

  #roomOf(lane: Lane): number {
    return Math.min(lane.outlet.room(), underWayMax - lane.told.size);
  }

  async #read(lane: Lane, wanted: number): Promise<void> {
    const { reader, clock, log } = this.#needs;
    lane.isReading = true;
    lane.mayHaveMore = false;
    lane.isStale = false;
    lane.ended = new Set();
    const known = new Set(lane.told);
    for (const { id } of lane.ahead) known.add(id);
    const isBound = this.#lanes.has(keyOf({ kind: 'sessions', account: lane.of.account }));
    const due = await reader.ask('dueNotices', {
      lane: lane.of,
      isBound,
      at: clock.now(),
      known,
      limit: known.size + wanted,
    });
    lane.isReading = false;
    if (!lane.isOpen) return;
    if (!due.ok) {
      log.warn({ lane: keyOf(lane.of), code: due.error.code }, 'notices cannot be read now');
      this.#lookAt(lane, clock.now() + storeRetryMs);
      return;
    }
    if (lane.isStale) {
      this.#look(lane);
      return;
    }
    const { notices, isFull, nextDue } = due.value;
    // What was read may be older than what was written since.
    for (const notice of notices) {
      if (!this.#underWay.has(notice.id) && !lane.ended.has(notice.id)) lane.ahead.push(notice);
    }
    if (isFull) lane.mayHaveMore = true;
    else if (nextDue !== null) this.#lookAt(lane, nextDue);
    this.#pump(lane);
  }

  #lookAt(lane: Lane, at: Instant): void {
    clearTimeout(lane.timer);
    lane.looksAt = at;
    const wait = Math.min(timerMax, Math.max(1, at - this.#needs.clock.now()));
    lane.timer = setTimeout(() => {
      lane.looksAt = Number.POSITIVE_INFINITY;
      this.#look(lane);
    }, wait);
    lane.timer.unref();
  }

  #start(lane: Lane, notice: Notice): void {
    lane.told.add(notice.id);
    const ended = this.#tell(lane, notice).finally(() => {
      lane.told.delete(notice.id);
      this.#underWay.delete(notice.id);
      for (const each of this.#lanesOf(notice.account)) if (each.isReading) each.ended.add(notice.id);
      this.#pump(lane);
    });
    this.#underWay.add(notice.id);
    this.#keep(ended);
  }

  async #tell(lane: Lane, notice: Notice): Promise<void> {
    const outcome = await lane.outlet.tell(notice);
    if (outcome.kind === 'untried') {
      // Nothing is written down, and it is due as it was: whoever is open then gets it.
      this.#lookNoLaterThan(notice.account, this.#needs.clock.now() + untriedMs);
      return;
    }
    const tried = this.#triedOf(lane, notice, outcome);
    // Told and not written down, it would be told again: it stays under way until the store takes it.
    for (;;) {
      const written = await this.#needs.journal.append<'notice-tried'>(tried);
      if (written.ok && written.value) this.#needs.stopped?.(written.value);
      if (written.ok || this.#isStopping) break;
      await sleep(storeRetryMs, undefined, { ref: false });
    }
    if (tried.due !== null) this.#lookNoLaterThan(notice.account, tried.due);
  }

  #triedOf(lane: Lane, notice: Notice, outcome: Tried): NoticeTried {
    const { of } = lane;
    // What the webhook was before it was changed says nothing of what it is now, which is tried soon.
    const isOld = of.kind === 'webhook' && !lane.isOpen && this.#lanes.has(keyOf(of));
    const at = this.#needs.clock.now();
    const { by, detail } = outcome;
    const told = { kind: 'notice-tried', at, notice: notice.id, by, detail } as const;
    const base = of.kind === 'webhook' ? { ...told, webhook: of.webhook } : told;
    if (outcome.kind === 'delivered') return { ...base, isDelivered: true, due: null };
    if (outcome.kind === 'never') return { ...base, isDelivered: false, due: null };
    const isHeld = this.#needs.isHeld?.() === true;
    const retryAt = noticeRetryAt({
      lane: of.kind,
      tries: isOld ? 1 : notice.tries + 1,
      triedFrom: notice.triedFrom,
      at,
      notBeforeMs: outcome.kind === 'later' && !isOld ? outcome.notBeforeMs : undefined,
      chance: this.#needs.chance(),
    });
    const due = retryAt ?? (isHeld ? at + heldMs : null);
    return { ...base, isDelivered: false, due, ...(isHeld && { isHeld }), isGone: outcome.kind === 'gone' && !isOld };
  }

  /** It may be another lane of the account that gets it then: sessions come and go. */
  #lookNoLaterThan(account: number, due: Instant): void {
    for (const lane of this.#lanesOf(account)) if (due < lane.looksAt) this.#lookAt(lane, due);
  }
}

type Tried = Exclude<TryOutcome, { kind: 'untried' }>;

/** One outlet's place in the notifier. */
class Lane {
  readonly of: NoticeLane;
  readonly outlet: Outlet;
  /** Read, and next to be told. */
  ahead: Notice[] = [];
  /** What is under way, by its ids. */
  readonly told = new Set<number>();
  isOpen = true;
  isReading = false;
  mayHaveMore = true;
  /** What is being read may be for another lane now. */
  isStale = false;
  /** Those that ended since the read that is under way began: it may still show them. */
  ended = new Set<number>();
  timer: NodeJS.Timeout | undefined;
  looksAt: Instant = Number.POSITIVE_INFINITY;

  constructor(of: NoticeLane, outlet: Outlet) {
    this.of = of;
    this.outlet = outlet;
  }

  /** Leaves what was read to whoever reads it next. */
  forget(): void {
    this.ahead = [];
    this.mayHaveMore = true;
    this.isStale = true;
  }
}

function keyOf(lane: NoticeLane): string {
  return lane.kind === 'webhook' ? `webhook ${lane.webhook}` : `sessions ${lane.account}`;
}
