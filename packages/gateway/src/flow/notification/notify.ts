/* Each destination has a worker that reads due notifications, tries to deliver them, and records each try. */

import { notificationRetryAt } from '../../core/notification/retry.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { DestinationKey, NotificationNews } from '../../state/tables/notification.ts';
import type { StoppedWebhook } from '../../state/decide/notification/tried.ts';
import type { Tools } from '../ports.ts';
import { keyOfDestination, Worker, type Destination } from './worker.ts';

/** While the clock is not trusted, no notification is given up. A notification is then tried again after this time. */
const heldMs = hourMs;

/** How many notifications a worker reads ahead, at most. */
const aheadMax = 256;

/**
 * While this many notifications wait in memory, the workers leave new ones in the store, and read them later. So the
 * notifications of a second at full load need no reads.
 */
const waitingMax = 4_000;

/** How many notifications of one worker may be in delivery or being recorded, even if the destination accepts more. */
const underWayMax = 1_000;

const storeRetryMs = secondMs;

/** When a worker looks again, after a read that may have missed the next due time because of a new notification. */
const newMs = secondMs;

/** The pause after an untried notification: a destination that closes all the time must not cause a busy loop. */
const untriedMs = 100;

/** How many seconds pass between two looks of a worker without a hint, while other nodes live. */
const looksApart = 5;

const wakeBatchMax = 1_000;

/** How long a stop waits for deliveries. Without an answer, the next start delivers the notification again. */
const stopMaxMs = 20 * secondMs;

/**
 * A notification is tried until acknowledged, at one destination at a time and always with the same id. After a crash
 * between a try and its record, it is delivered again (O2, D6). A slow destination does not delay others.
 */
export class Notifier {
  readonly #needs;
  readonly #workers = new Map<string, Worker>();
  readonly #ofAccounts = new Map<number, Set<Worker>>();
  /** Notifications in delivery: sessions and webhook of an account must never get the same one at once. */
  readonly #underWay = new Set<number>();
  /** All deliveries, reads and wakes under way. A stop waits for them. */
  readonly #work = new Set<Promise<void>>();
  #isStopping = false;
  #turn = 0;
  /** Set while another node may deliver instead of this one (P7). */
  #uncertain: Promise<void> | undefined;

  constructor(
    needs: Pick<Tools, 'log' | 'clock' | 'random' | 'journal' | 'reader'> & {
      /** True while the clock is not trusted: no notification is given up then. */
      readonly isHeld?: () => boolean;
      readonly traces?: Pick<Traces, 'notification'> | undefined;
      readonly nodes: Pick<Nodes, 'hint' | 'onHint' | 'isElsewhere' | 'watchElsewhere' | 'whenCertain'>;
      /** Called when a failed try has disabled a webhook. */
      readonly stopped?: (webhook: StoppedWebhook) => void;
    },
  ) {
    this.#needs = needs;
    needs.nodes.onHint('news', (accounts) => this.#lookBecauseOf(accounts));
    needs.nodes.watchElsewhere(() => this.#ofAccounts.keys());
  }

  /** Replaces the present worker with the same key. */
  open(of: DestinationKey, destination: Destination): void {
    if (this.#isStopping) return;
    this.#closeWorker(keyOfDestination(of));
    const worker = new Worker(of, destination);
    const others = this.#workersOf(of.account);
    this.#workers.set(keyOfDestination(of), worker);
    this.#ofAccounts.set(of.account, new Set([...others, worker]));
    if (of.kind === 'sessions') {
      // Sessions now get notifications before the webhook, also those that the webhook's worker has read ahead.
      for (const other of others) other.forget();
      // Failed notifications wait for their next try. The new session can get them at once.
      this.#keep(this.wake(of));
    }
    this.#pump(worker);
  }

  /** Resolves when the deliveries under way have ended. Other notifications stay in the store. */
  async close(of: DestinationKey): Promise<void> {
    const worker = this.#workers.get(keyOfDestination(of));
    this.#closeWorker(keyOfDestination(of));
    for (const other of this.#workersOf(of.account)) this.#look(other);
    if (worker) await Promise.all(worker.deliveries);
  }

  /** Call this when the destination accepts notifications again. */
  hasRoom(of: DestinationKey): void {
    const worker = this.#workers.get(keyOfDestination(of));
    if (worker) this.#pump(worker);
  }

  /** Call this when new notifications wait in the store. */
  hasNews(news: readonly NotificationNews[]): void {
    this.#needs.nodes.hint(
      'news',
      news.map(({ account }) => account),
    );
    let room = waitingMax;
    for (const { waiting } of this.#workers.values()) room -= waiting;
    for (const each of news) {
      const worker = this.#workerOf(each);
      if (!worker) continue;
      const { made = [], account, bySession } = each;
      // Sessions at another node come before the webhook.
      const isForOthers = bySession && worker.of.kind === 'webhook' && this.#needs.nodes.isElsewhere(account);
      if (made.length > room || isForOthers || !worker.takes(made)) worker.mayHaveMore = true;
      else room -= made.length;
      this.#pump(worker);
    }
  }

  #workerOf({ account, isCallback, bySession, webhook }: NotificationNews): Worker | undefined {
    const kind = isCallback ? 'callback' : 'sessions';
    const sessions = isCallback || bySession ? this.#workers.get(keyOfDestination({ kind, account })) : undefined;
    return (
      sessions ??
      (webhook === null ? undefined : this.#workers.get(keyOfDestination({ kind: 'webhook', account, webhook })))
    );
  }

  /** Call this when the operator corrected a fault or a session was bound. */
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
      const worker = this.#workers.get(keyOfDestination(of));
      if (worker) this.#look(worker);
    }
  }

  /** Call this when the clock is trusted again, because due times may be wrong. */
  wakeAll(): void {
    for (const { of } of this.#workers.values()) this.#keep(this.wake(of));
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Starts no more deliveries, and waits for deliveries under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const key of this.#workers.keys()) this.#closeWorker(key);
    await Promise.race([Promise.all(this.#work), sleep(this.#needs.clock, stopMaxMs)]);
  }

  /** Another node has stored notifications. A hint may be lost, so the workers also look in turn without a hint. */
  #lookBecauseOf(accounts: ReadonlySet<number> | undefined): void {
    const workers = [...this.#workers.values()];
    this.#turn += 1;
    const isAsked = ({ of: { account } }: Worker, at: number) =>
      accounts ? accounts.has(account) : at % looksApart === this.#turn % looksApart;
    for (const worker of workers.filter(isAsked)) this.#look(worker);
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

  #look(worker: Worker): void {
    worker.mayHaveMore = true;
    this.#pump(worker);
  }

  /** Delivers as many notifications as the destination has room for, and reads more when few are left. */
  #pump(worker: Worker): void {
    if (!worker.isOpen || this.#isUncertain()) return;
    while (this.#roomOf(worker) > 0) {
      const notification = worker.ahead.shift();
      if (!notification) break;
      if (!this.#underWay.has(notification.id)) this.#start(worker, notification);
    }
    // Reads twice as many as it delivers at once, so that a fast worker never waits for a read.
    const wanted = Math.min(aheadMax, 2 * Math.max(this.#roomOf(worker), worker.underWay.size));
    if (worker.ahead.length < wanted / 2 && worker.mayHaveMore && !worker.isReading)
      this.#keep(this.#read(worker, wanted));
  }

  /** Whether this node must not deliver now. All workers go on when it may. */
  #isUncertain(): boolean {
    this.#uncertain ??= this.#needs.nodes.whenCertain()?.then(() => {
      this.#uncertain = undefined;
      for (const worker of this.#workers.values()) this.#pump(worker);
    });
    return this.#uncertain !== undefined;
  }

  #roomOf(worker: Worker): number {
    return Math.min(worker.destination.room(), underWayMax - worker.underWay.size);
  }

  async #read(worker: Worker, wanted: number): Promise<void> {
    const { reader, clock, log } = this.#needs;
    worker.beginRead();
    const known = new Set(worker.underWay);
    for (const { id } of worker.ahead) known.add(id);
    const { account } = worker.of;
    const isBound =
      this.#workers.has(keyOfDestination({ kind: 'sessions', account })) || this.#needs.nodes.isElsewhere(account);
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
      log.warn({ destination: keyOfDestination(worker.of), code: due.error.code }, 'notifications cannot be read now');
      this.#lookAt(worker, clock.now() + storeRetryMs);
      return;
    }
    if (worker.isStale) {
      this.#look(worker);
      return;
    }
    const { notifications, isFull, nextDue } = due.value;
    // Deliveries may have ended while the read was under way; their notifications are skipped.
    for (const notification of notifications) {
      if (!this.#underWay.has(notification.id) && !worker.ended.has(notification.id)) worker.ahead.push(notification);
    }
    if (isFull) worker.mayHaveMore = true;
    else {
      const took = worker.takeArrived();
      // A new notification seems to become due if it came during the read. Others wait for their next try.
      const isNew = took && nextDue !== null && nextDue <= clock.now();
      if (nextDue !== null) this.#lookAt(worker, isNew ? clock.now() + newMs : nextDue);
    }
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
    worker.deliveries.add(ended);
    void ended.finally(() => worker.deliveries.delete(ended));
    this.#keep(ended);
  }

  #tried({ destination }: Worker, notification: Notification): Promise<TryOutcome> {
    const { traces } = this.#needs;
    if (!traces) return destination.deliver(notification);
    const message = notification.kind === 'receipt' ? notification.msgId : undefined;
    return traces.notification(message, () => destination.deliver(notification));
  }

  async #deliver(worker: Worker, notification: Notification): Promise<void> {
    const outcome = await this.#tried(worker, notification);
    if (outcome.kind === 'untried') {
      // An untried notification keeps its due time, and no try is recorded. Another open destination delivers it.
      this.#lookNoLaterThan(notification.account, this.#needs.clock.now() + untriedMs);
      return;
    }
    const tried = this.#triedOf(worker, notification, outcome);
    // A delivered notification without a record would be delivered again. So it stays in delivery until the store
    // accepts the record.
    for (;;) {
      const written = await this.#needs.journal.append<'notification-tried'>(tried);
      if (written.ok && written.value) this.#needs.stopped?.(written.value);
      if (written.ok || this.#isStopping) break;
      await sleep(this.#needs.clock, storeRetryMs);
    }
    if (tried.due !== null) this.#lookNoLaterThan(notification.account, tried.due);
  }

  #triedOf(worker: Worker, notification: Notification, outcome: Tried): CommandOf<'notification-tried'> {
    const { of } = worker;
    // If the destination's settings changed during the try, a failure does not count: the new settings are tried soon.
    const isOld = of.kind !== 'sessions' && !worker.isOpen && this.#workers.has(keyOfDestination(of));
    const at = this.#needs.clock.now();
    const { by, detail } = outcome;
    const tried = { kind: 'notification-tried', at, notification: notification.id, by, detail } as const;
    const base =
      of.kind === 'webhook' ? { ...tried, webhook: of.webhook } : { ...tried, isCallback: of.kind === 'callback' };
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

  /** Makes all workers of the account look again by this time, because another destination may be open then. */
  #lookNoLaterThan(account: number, due: Instant): void {
    for (const worker of this.#workersOf(account)) if (due < worker.looksAt) this.#lookAt(worker, due);
  }
}

type Tried = Exclude<TryOutcome, { kind: 'untried' }>;
