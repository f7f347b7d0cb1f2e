/* Shows an account's notifications live to `morsel listen`, without acknowledging them. */

import type { NotificationContent } from '../../core/notification/notification.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { ListenEvent } from '../../state/tables/notification.ts';
import type { Tools } from '../ports.ts';

interface ListenedEvent {
  /** The number of the event: one more than that of the account's event before. */
  readonly number: number;
  readonly content: NotificationContent;
}

export interface Listened {
  readonly events: readonly ListenedEvent[];
  /** The number of the newest event, to send with the next request. */
  readonly last: number;
  /** How many earlier events were dropped, because there were too many. */
  readonly missed: number;
}

/** How many events of one account are kept in memory for its listener. Their content is read when the listener asks. */
const eventsMax = 1_000;
const accountsMax = 50;
/** After this time without a request, a listener is forgotten. */
const forgottenMs = minuteMs;
/** The most accounts that are watched for listeners at other nodes, and the most events that wait for them. */
const remoteMax = 200;
const sendingMax = 1_000;
/** How long other nodes watch for a listener here, and how often they are asked again. */
const watchedForMs = minuteMs;
const askEveryMs = 20 * secondMs;
const askMaxMs = secondMs;
const sendMaxMs = 5 * secondMs;

/** How long a request waits for the next event. */
const waitMs = 20 * secondMs;

interface Listener {
  readonly events: { readonly number: number; readonly event: ListenEvent }[];
  /** The number of the newest event. */
  last: number;
  askedAt: number;
  /** When the other nodes were asked to send this account's events. */
  calledAt: number;
  readonly waiting: Set<() => void>;
}

/** Events for listeners at other nodes. If there are too many, only their number is sent. */
interface Batch {
  readonly events: readonly ReturnType<typeof sentOf>[];
  readonly missed: readonly (readonly [account: number, events: number])[];
}

/**
 * Shows events as they happen, also without a webhook or sessions. The node with the listener gets the events of all
 * nodes. Events are not stored, so a listener may miss some.
 */
export class Listening {
  readonly #needs;
  readonly #listeners = new Map<number, Listener>();
  /** Accounts that listeners at other nodes watch, and until when this node sends their events. */
  readonly #remote = new Map<number, number>();
  #unsent: ListenEvent[] = [];
  #missed = new Map<number, number>();
  #isSending = false;
  #isStopping = false;

  constructor(
    needs: Pick<Tools, 'clock'> & {
      readonly nodes: Pick<Nodes, 'calls'>;
      readonly journal: Pick<Journal, 'listen'>;
      readonly content: (event: ListenEvent) => Promise<NotificationContent | undefined>;
    },
  ) {
    this.#needs = needs;
    const { calls } = needs.nodes;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway asks
    calls.onCall('listen', async (asked) => this.#watchFor(asked as { readonly account: number }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway sends
    calls.onCall('heard', async (batch) => this.#receive(batch as Batch));
  }

  /** Events with numbers above `after`; waits up to 20 seconds for the next one. The first call has no number. */
  async listen(account: number, after: number | undefined): Promise<Result<Listened, Rejection>> {
    if (this.#isStopping) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    this.#forgetOld();
    const known = this.#listeners.get(account);
    const listener = known ?? this.#begin(account);
    if (!listener)
      return refused({
        code: 'unavailable',
        detail: `listeners already watch ${accountsMax} accounts, which is the maximum: stop another "morsel listen" first`,
      });
    listener.askedAt = this.#needs.clock.monotonicMs();
    const asked = this.#askOthers(account, listener);
    if (!known) await asked;
    // The number may be too high: it may come from before a restart, or from before the listener was forgotten.
    const from = Math.min(after ?? listener.last, listener.last);
    if (after !== undefined && from === listener.last) await this.#something(listener);
    listener.askedAt = this.#needs.clock.monotonicMs();
    const { last } = listener;
    const events: ListenedEvent[] = [];
    for (const { number, event } of listener.events.filter((each) => each.number > from)) {
      const content = await this.#needs.content(event);
      if (content) events.push({ number, content });
    }
    return ok({ events, last, missed: last - from - events.length });
  }

  /** Adds the events of a commit. */
  take(all: readonly ListenEvent[]): void {
    if (all.length === 0) return;
    this.#forgetOld();
    this.#keep(all);
    this.#send(all.filter(({ account }) => this.#remote.has(account)));
  }

  #keep(all: readonly ListenEvent[]): void {
    for (const event of all) {
      const listener = this.#listeners.get(event.account);
      if (!listener) continue;
      listener.last += 1;
      listener.events.push({ number: listener.last, event });
      if (listener.events.length > eventsMax) listener.events.shift();
      for (const wake of listener.waiting) wake();
    }
  }

  /** Resolves when the other nodes know that this node listens. */
  async #askOthers(account: number, listener: Listener): Promise<void> {
    if (listener.askedAt - listener.calledAt < askEveryMs) return;
    listener.calledAt = listener.askedAt;
    await this.#needs.nodes.calls.ask('listen', { account }, askMaxMs);
  }

  #watchFor({ account }: { readonly account: number }): object {
    this.#forgetOld();
    if (this.#remote.has(account) || this.#remote.size < remoteMax) {
      this.#remote.set(account, this.#needs.clock.monotonicMs() + watchedForMs);
      this.#answer();
    }
    return {};
  }

  /** Sends events to the other nodes, one call at a time. The next call has the events that came meanwhile. */
  #send(events: readonly ListenEvent[]): void {
    for (const event of events) {
      if (this.#unsent.length < sendingMax) this.#unsent.push(event);
      else this.#missed.set(event.account, (this.#missed.get(event.account) ?? 0) + 1);
    }
    if (this.#unsent.length === 0 || this.#isSending) return;
    this.#isSending = true;
    const batch: Batch = { events: this.#unsent.map(sentOf), missed: [...this.#missed] };
    this.#unsent = [];
    this.#missed = new Map();
    void this.#needs.nodes.calls.ask('heard', batch, sendMaxMs).then(() => {
      this.#isSending = false;
      this.#send([]);
    });
  }

  #receive({ events, missed }: Batch): object {
    this.#keep(events.map(receivedOf));
    for (const [account, count] of missed) {
      const listener = this.#listeners.get(account);
      if (listener) listener.last += count;
    }
    return {};
  }

  /** Answers all waiting requests, and refuses new ones. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting } of this.#listeners.values()) for (const wake of waiting) wake();
  }

  #begin(account: number): Listener | undefined {
    if (this.#listeners.size >= accountsMax) return undefined;
    const listener: Listener = {
      events: [],
      last: 0,
      askedAt: 0,
      calledAt: Number.NEGATIVE_INFINITY,
      waiting: new Set(),
    };
    this.#listeners.set(account, listener);
    this.#answer();
    return listener;
  }

  #forgetOld(): void {
    const now = this.#needs.clock.monotonicMs();
    let isFewer = false;
    for (const [account, listener] of this.#listeners) {
      if (listener.waiting.size > 0 || now - listener.askedAt < forgottenMs || listener.askedAt === 0) continue;
      isFewer = this.#listeners.delete(account);
    }
    for (const [account, until] of this.#remote) if (until < now) isFewer = this.#remote.delete(account);
    if (isFewer) this.#answer();
  }

  #answer(): void {
    this.#needs.journal.listen([...new Set([...this.#listeners.keys(), ...this.#remote.keys()])]);
  }

  #something(listener: Listener): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        listener.waiting.delete(end);
        resolve();
      };
      const timer = this.#needs.clock.setTimer(end, waitMs);
      listener.waiting.add(end);
    });
  }
}

/** An event for JSON, which has no bigint: amounts become texts. */
function sentOf({ threshold, balance, ...event }: ListenEvent) {
  return { ...event, threshold: threshold?.toString() ?? null, balance: balance?.toString() ?? null };
}

function receivedOf({ threshold, balance, ...event }: Batch['events'][number]): ListenEvent {
  return { ...event, threshold: amountOf(threshold), balance: amountOf(balance) };
}

function amountOf(digits: string | null): Micros | null {
  return digits === null ? null : toMicros(BigInt(digits));
}
