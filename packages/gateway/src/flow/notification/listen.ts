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
  /** The number of the event: one more than the number of the account's event before. */
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
/** Accounts that this node watches for listeners at other nodes, and events that may wait for them here. */
const elsewhereMax = 200;
const tellingMax = 1_000;
/** How long other nodes watch for a listener here, and how often they are asked again. */
const heardForMs = minuteMs;
const askEveryMs = 20 * secondMs;
const askMaxMs = secondMs;
const tellMaxMs = 5 * secondMs;

/** How long a request waits for the next event. */
const waitMs = 20 * secondMs;

interface Ear {
  readonly events: { readonly number: number; readonly event: ListenEvent }[];
  /** The number of the newest event. */
  last: number;
  askedAt: number;
  /** When the other nodes were asked to send this account's events. */
  toldAt: number;
  readonly waiting: Set<() => void>;
}

/** Events for listeners at other nodes. If there are too many, only their number is sent. */
interface Told {
  readonly events: readonly ReturnType<typeof toldOf>[];
  readonly missed: readonly (readonly [account: number, events: number])[];
}

/**
 * Shows events as they happen, also without a webhook or sessions. The node with the listener gets the events of all
 * nodes. Events are not stored, so a listener may miss some.
 */
export class Listening {
  readonly #needs;
  readonly #ears = new Map<number, Ear>();
  /** Accounts that listeners at other nodes watch, and until when this node sends their events. */
  readonly #elsewhere = new Map<number, number>();
  #telling: ListenEvent[] = [];
  #missed = new Map<number, number>();
  #isTelling = false;
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
    calls.onCall('listen', async (asked) => this.#hearFor(asked as { readonly account: number }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway sends
    calls.onCall('heard', async (told) => this.#heard(told as Told));
  }

  /** Events with numbers above `after`; waits up to 20 seconds for the next one. The first call has no number. */
  async listen(account: number, after: number | undefined): Promise<Result<Listened, Rejection>> {
    if (this.#isStopping) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    this.#forgetOld();
    const known = this.#ears.get(account);
    const ear = known ?? this.#begin(account);
    if (!ear)
      return refused({
        code: 'unavailable',
        detail: `listeners already watch ${accountsMax} accounts, which is the maximum: stop another "morsel listen" first`,
      });
    ear.askedAt = this.#needs.clock.monotonicMs();
    const asked = this.#askOthers(account, ear);
    if (!known) await asked;
    // The number may be too high: it may come from before a restart, or from before the listener was forgotten.
    const from = Math.min(after ?? ear.last, ear.last);
    if (after !== undefined && from === ear.last) await this.#something(ear);
    ear.askedAt = this.#needs.clock.monotonicMs();
    const { last } = ear;
    const events: ListenedEvent[] = [];
    for (const { number, event } of ear.events.filter((each) => each.number > from)) {
      const content = await this.#needs.content(event);
      if (content) events.push({ number, content });
    }
    return ok({ events, last, missed: last - from - events.length });
  }

  /** Adds the events of a commit. */
  take(all: readonly ListenEvent[]): void {
    if (all.length === 0) return;
    this.#forgetOld();
    this.#hear(all);
    this.#tell(all.filter(({ account }) => this.#elsewhere.has(account)));
  }

  #hear(all: readonly ListenEvent[]): void {
    for (const event of all) {
      const ear = this.#ears.get(event.account);
      if (!ear) continue;
      ear.last += 1;
      ear.events.push({ number: ear.last, event });
      if (ear.events.length > eventsMax) ear.events.shift();
      for (const wake of ear.waiting) wake();
    }
  }

  /** Resolves when the other nodes know that this node listens. */
  async #askOthers(account: number, ear: Ear): Promise<void> {
    if (ear.askedAt - ear.toldAt < askEveryMs) return;
    ear.toldAt = ear.askedAt;
    await this.#needs.nodes.calls.ask('listen', { account }, askMaxMs);
  }

  #hearFor({ account }: { readonly account: number }): object {
    this.#forgetOld();
    if (this.#elsewhere.has(account) || this.#elsewhere.size < elsewhereMax) {
      this.#elsewhere.set(account, this.#needs.clock.monotonicMs() + heardForMs);
      this.#answer();
    }
    return {};
  }

  /** One call at a time, with what has come meanwhile. */
  #tell(events: readonly ListenEvent[]): void {
    for (const event of events) {
      if (this.#telling.length < tellingMax) this.#telling.push(event);
      else this.#missed.set(event.account, (this.#missed.get(event.account) ?? 0) + 1);
    }
    if (this.#telling.length === 0 || this.#isTelling) return;
    this.#isTelling = true;
    const told: Told = { events: this.#telling.map(toldOf), missed: [...this.#missed] };
    this.#telling = [];
    this.#missed = new Map();
    void this.#needs.nodes.calls.ask('heard', told, tellMaxMs).then(() => {
      this.#isTelling = false;
      this.#tell([]);
    });
  }

  #heard({ events, missed }: Told): object {
    this.#hear(events.map(heardOf));
    for (const [account, count] of missed) {
      const ear = this.#ears.get(account);
      if (ear) ear.last += count;
    }
    return {};
  }

  /** Answers all waiting requests, and refuses new ones. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting } of this.#ears.values()) for (const wake of waiting) wake();
  }

  #begin(account: number): Ear | undefined {
    if (this.#ears.size >= accountsMax) return undefined;
    const ear: Ear = { events: [], last: 0, askedAt: 0, toldAt: Number.NEGATIVE_INFINITY, waiting: new Set() };
    this.#ears.set(account, ear);
    this.#answer();
    return ear;
  }

  #forgetOld(): void {
    const now = this.#needs.clock.monotonicMs();
    let isFewer = false;
    for (const [account, ear] of this.#ears) {
      if (ear.waiting.size > 0 || now - ear.askedAt < forgottenMs || ear.askedAt === 0) continue;
      isFewer = this.#ears.delete(account);
    }
    for (const [account, until] of this.#elsewhere) if (until < now) isFewer = this.#elsewhere.delete(account);
    if (isFewer) this.#answer();
  }

  #answer(): void {
    this.#needs.journal.listen([...new Set([...this.#ears.keys(), ...this.#elsewhere.keys()])]);
  }

  #something(ear: Ear): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        ear.waiting.delete(end);
        resolve();
      };
      const timer = this.#needs.clock.setTimer(end, waitMs);
      ear.waiting.add(end);
    });
  }
}

/** JSON has no amounts. */
function toldOf({ threshold, balance, ...event }: ListenEvent) {
  return { ...event, threshold: threshold?.toString() ?? null, balance: balance?.toString() ?? null };
}

function heardOf({ threshold, balance, ...event }: Told['events'][number]): ListenEvent {
  return { ...event, threshold: amountOf(threshold), balance: amountOf(balance) };
}

function amountOf(digits: string | null): Micros | null {
  return digits === null ? null : toMicros(BigInt(digits));
}
