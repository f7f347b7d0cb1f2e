/*
 * Delivers notifications: one worker for each destination reads those that are due, tries them, and records each try.
 */

import { notificationRetryAt } from '../../core/notification/retry.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Journal } from '../../store/journal.ts';
import type { DestinationKey, NotificationTried, StoppedWebhook } from '../../store/commands/notification.ts';
import type { NotificationNews } from '../../store/tables/notification.ts';
import type { Reader } from '../../store/reader.ts';

/** Notifications that would be given up under a trusted clock are tried again after this. */
const heldMs = hourMs;

/** Where notifications go: a webhook, or the bound sessions of an account. */
export interface Destination {
  /** How many notifications it accepts now, besides those under way. */
  room(): number;
  /** Delivers one, by a deadline of its own. Never rejects. */
  deliver(notification: Notification): Promise<TryOutcome>;
}

interface NotifyNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: Clock;
  /** Nothing is given up: the clock is not trusted. */
  readonly isHeld?: () => boolean;
  readonly random: Pick<Random, 'chance'>;
  readonly log: { warn(fields: object, message: string): void };
  /** Called when a try has disabled a webhook. */
  readonly stopped?: (webhook: StoppedWebhook) => void;
}

/** Notifications that a worker reads ahead: enough that reading is rare, and little to hold. */
const aheadMax = 256;

/**
 * Notifications of one worker that are being delivered or recorded. Beyond it nothing more is delivered, whatever room
 * there is.
 */
const underWayMax = 1_000;

/** After a failure of the store. */
const storeRetryMs = secondMs;

/**
 * A notification whose destination closed before the try is due at once. This pause prevents a busy loop with a
 * destination that keeps closing.
 */
const untriedMs = 100;

const wakeBatchMax = 1_000;

/** How long a stop waits for answers. A notification without an answer is delivered again after the next start. */
const stopMaxMs = 20 * secondMs;

/**
 * Delivers notifications. They wait in the store; each worker reads those that are due as its destination has room, and
 * records each try. A notification is tried until it is acknowledged, by one destination at a time and always under its
 * own id. So a crash between a try and its record only delivers it again (O2, D6). A slow worker delays no other.
 */
export class Notifier {
  readonly #needs: NotifyNeeds;
  readonly #workers = new Map<string, Worker>();
  readonly #ofAccounts = new Map<number, Set<Worker>>();
  /** By their ids: an account's sessions and its webhook may be open for one notification. */
  readonly #underWay = new Set<number>();
  /** All work under way, for which a stop waits. */
  readonly #work = new Set<Promise<void>>();
  #isStopping = false;

  constructor(needs: NotifyNeeds) {
    this.#needs = needs;
  }

  /** From now on the notifications with this key go to the destination. Opening it anew replaces its destination. */
  open(of: DestinationKey, destination: Destination): void {
    if (this.#isStopping) return;
    this.#closeWorker(keyOf(of));
    const worker = new Worker(of, destination);
    const others = this.#workersOf(of.account);
    this.#workers.set(keyOf(of), worker);
    this.#ofAccounts.set(of.account, new Set([...others, worker]));
    if (of.kind === 'sessions') {
      // Sessions go before the webhook from now on, also for notifications that it has read ahead.
      for (const other of others) other.forget();
      // Failed notifications wait for their next try: a session that is bound now can try at once.
      this.#keep(this.wake(of));
    }
    this.#pump(worker);
  }

  /** What is under way ends by itself; the rest waits in the store, for a session or for the webhook. */
  close(of: DestinationKey): void {
    this.#closeWorker(keyOf(of));
    for (const other of this.#workersOf(of.account)) this.#look(other);
  }

  /** The destination has room again. */
  hasRoom(of: DestinationKey): void {
    const worker = this.#workers.get(keyOf(of));
    if (worker) this.#pump(worker);
  }

  /** Something new waits in the store. */
  hasNews(news: readonly NotificationNews[]): void {
    for (const { account, bySession, webhook } of news) {
      const sessions = bySession ? this.#workers.get(keyOf({ kind: 'sessions', account })) : undefined;
      const worker =
        sessions ?? (webhook === null ? undefined : this.#workers.get(keyOf({ kind: 'webhook', account, webhook })));
      if (worker) this.#look(worker);
    }
  }

  /** Makes waiting notifications due now: the operator corrected the fault, or a session was bound. */
  async wake(of: DestinationKey): Promise<void> {
    for (let isMore = true; isMore && !this.#isStopping;) {
      const at = this.#needs.clock.now();
      const woken = await this.#needs.journal.append<'wake-notifications'>({
        kind: 'wake-notifications',
        at,
        destination: of,
        max: wakeBatchMax,
      });
      isMore = woken.ok && woken.value.isMore;
      const worker = this.#workers.get(keyOf(of));
      if (worker) this.#look(worker);
    }
  }

  /** Wakes every open destination: the clock is trusted again, and waiting notifications were due by the wrong one. */
  wakeAll(): void {
    for (const { of } of this.#workers.values()) this.#keep(this.wake(of));
  }

  /** Notifications in delivery. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Delivers nothing more, and waits for deliveries under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const key of this.#workers.keys()) this.#closeWorker(key);
    await Promise.race([Promise.all(this.#work), sleep(this.#needs.clock, stopMaxMs)]);
  }

  #keep(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  #closeWorker(key: string): void {
    const worker = this.#workers.get(key);
    if (!worker) return;
    worker.isOpen = false;
    worker.timer?.cancel();
    this.#workers.delete(key);
    const { account } = worker.of;
    const others = this.#workersOf(account);
    others.delete(worker);
    if (others.size === 0) this.#ofAccounts.delete(account);
  }

  #workersOf(account: number): Set<Worker> {
    return this.#ofAccounts.get(account) ?? new Set();
  }

  /** There may be something that the worker has not read. */
  #look(worker: Worker): void {
    worker.mayHaveMore = true;
    this.#pump(worker);
  }

  /** Delivers as many as there is room for, and reads more when those are gone. */
  #pump(worker: Worker): void {
    if (!worker.isOpen) return;
    while (this.#roomOf(worker) > 0) {
      const notification = worker.ahead.shift();
      if (!notification) break;
      if (!this.#underWay.has(notification.id)) this.#start(worker, notification);
    }
    // Twice what it delivers at once, so that a fast worker never waits for a read.
    const wanted = Math.min(aheadMax, 2 * Math.max(this.#roomOf(worker), worker.underWay.size));
    if (worker.ahead.length < wanted / 2 && worker.mayHaveMore && !worker.isReading)
      this.#keep(this.#read(worker, wanted));
  }

  #roomOf(worker: Worker): number {
    return Math.min(worker.destination.room(), underWayMax - worker.underWay.size);
  }

  async #read(worker: Worker, wanted: number): Promise<void> {
    const { reader, clock, log } = this.#needs;
    worker.isReading = true;
    worker.mayHaveMore = false;
    worker.isStale = false;
    worker.ended = new Set();
    const known = new Set(worker.underWay);
    for (const { id } of worker.ahead) known.add(id);
    const isBound = this.#workers.has(keyOf({ kind: 'sessions', account: worker.of.account }));
    const due = await reader.ask('dueNotifications', {
      destination: worker.of,
      isBound,
      at: clock.now(),
      known,
      limit: known.size + wanted,
    });
    worker.isReading = false;
    if (!worker.isOpen) return;
    if (!due.ok) {
      log.warn({ destination: keyOf(worker.of), code: due.error.code }, 'notifications cannot be read now');
      this.#lookAt(worker, clock.now() + storeRetryMs);
      return;
    }
    if (worker.isStale) {
      this.#look(worker);
      return;
    }
    const { notifications, isFull, nextDue } = due.value;
    // A read may be older than later writes.
    for (const notification of notifications) {
      if (!this.#underWay.has(notification.id) && !worker.ended.has(notification.id)) worker.ahead.push(notification);
    }
    if (isFull) worker.mayHaveMore = true;
    else if (nextDue !== null) this.#lookAt(worker, nextDue);
    this.#pump(worker);
  }

  #lookAt(worker: Worker, at: Instant): void {
    const { clock } = this.#needs;
    worker.timer?.cancel();
    worker.looksAt = at;
    const look = () => {
      worker.looksAt = Number.POSITIVE_INFINITY;
      this.#look(worker);
    };
    worker.timer = clock.setTimer(look, Math.max(1, at - clock.now()));
  }

  #start(worker: Worker, notification: Notification): void {
    worker.underWay.add(notification.id);
    const ended = this.#deliver(worker, notification).finally(() => {
      worker.underWay.delete(notification.id);
      this.#underWay.delete(notification.id);
      for (const each of this.#workersOf(notification.account)) if (each.isReading) each.ended.add(notification.id);
      this.#pump(worker);
    });
    this.#underWay.add(notification.id);
    this.#keep(ended);
  }

  async #deliver(worker: Worker, notification: Notification): Promise<void> {
    const outcome = await worker.destination.deliver(notification);
    if (outcome.kind === 'untried') {
      // Nothing is recorded and its due time stays: an open destination gets it.
      this.#lookNoLaterThan(notification.account, this.#needs.clock.now() + untriedMs);
      return;
    }
    const tried = this.#triedOf(worker, notification, outcome);
    // Delivered but not recorded, it would be delivered again: it stays under way until the store takes the record.
    for (;;) {
      const written = await this.#needs.journal.append<'notification-tried'>(tried);
      if (written.ok && written.value) this.#needs.stopped?.(written.value);
      if (written.ok || this.#isStopping) break;
      await sleep(this.#needs.clock, storeRetryMs);
    }
    if (tried.due !== null) this.#lookNoLaterThan(notification.account, tried.due);
  }

  #triedOf(worker: Worker, notification: Notification, outcome: Tried): NotificationTried {
    const { of } = worker;
    // A result of the former settings says nothing about the new ones, which are tried soon.
    const isOld = of.kind === 'webhook' && !worker.isOpen && this.#workers.has(keyOf(of));
    const at = this.#needs.clock.now();
    const { by, detail } = outcome;
    const tried = { kind: 'notification-tried', at, notification: notification.id, by, detail } as const;
    const base = of.kind === 'webhook' ? { ...tried, webhook: of.webhook } : tried;
    if (outcome.kind === 'delivered') return { ...base, isDelivered: true, due: null };
    if (outcome.kind === 'never') return { ...base, isDelivered: false, due: null };
    const isHeld = this.#needs.isHeld?.() === true;
    const retryAt = notificationRetryAt({
      destination: of.kind,
      tries: isOld ? 1 : notification.tries + 1,
      triedFrom: notification.triedFrom,
      at,
      notBeforeMs: outcome.kind === 'later' && !isOld ? outcome.notBeforeMs : undefined,
      chance: this.#needs.random.chance(),
    });
    const due = retryAt ?? (isHeld ? at + heldMs : null);
    return { ...base, isDelivered: false, due, ...(isHeld && { isHeld }), isGone: outcome.kind === 'gone' && !isOld };
  }

  /** Another worker of the account may get it then: sessions come and go. */
  #lookNoLaterThan(account: number, due: Instant): void {
    for (const worker of this.#workersOf(account)) if (due < worker.looksAt) this.#lookAt(worker, due);
  }
}

type Tried = Exclude<TryOutcome, { kind: 'untried' }>;

/** One destination's place in the notifier. */
class Worker {
  readonly of: DestinationKey;
  readonly destination: Destination;
  /** Read, and delivered next. */
  ahead: Notification[] = [];
  /** Notifications under way, by their ids. */
  readonly underWay = new Set<number>();
  isOpen = true;
  isReading = false;
  mayHaveMore = true;
  /** The read under way may be for another worker now. */
  isStale = false;
  /** Those that ended since the read under way began: it may still contain them. */
  ended = new Set<number>();
  timer: Timer | undefined;
  looksAt: Instant = Number.POSITIVE_INFINITY;

  constructor(of: DestinationKey, destination: Destination) {
    this.of = of;
    this.destination = destination;
  }

  /** Drops what was read ahead, so that another worker reads it. */
  forget(): void {
    this.ahead = [];
    this.mayHaveMore = true;
    this.isStale = true;
  }
}

function keyOf(destination: DestinationKey): string {
  return destination.kind === 'webhook' ? `webhook ${destination.webhook}` : `sessions ${destination.account}`;
}
