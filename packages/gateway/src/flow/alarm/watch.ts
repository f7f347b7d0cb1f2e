/*
 * Looks at the figures every few seconds, off the path of messages, and opens and closes alarms. One node does it for the
 * whole store.
 */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { alarmKindNames } from '@morsel/api/admin/alarm/kinds.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { dayMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { AlarmFigures, AlarmName, CarrierFigures, Finding, LedgerVerdict } from '../../core/alarm/figures.ts';
import { findingsOf, receiversOf, holdMsOf, isOpening, isSameAlarm } from '../../core/alarm/findings.ts';
import { usualQuietMs, usualSilentMs } from '../../core/nodes/members.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { Loop } from '../../runtime/loop.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { Tools } from '../ports.ts';
import type { Readiness } from '../readiness.ts';
import type { LinkStatus } from '../routing/carrier-link.ts';

/** How often the watch reads the figures. This takes a few milliseconds of a reading thread. */
const everyMs = 5 * secondMs;
/** If the watch could not read the figures for this long, the store was away, or the machine stood still. */
const breakMs = minuteMs;
const usualGoneMs = minuteMs;
/** The most webhooks whose figures are read, the newest first. */
const webhooksMax = 1_000;
const mebibyte = 2 ** 20;
const percent = 100;

export function startWatching(watch: AlarmWatch, tools: Pick<Tools, 'clock' | 'log'>): Loop {
  return new Loop({ ...tools, name: 'watch for alarms', everyMs, turn: () => watch.look() });
}

const noSums = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

type State = ViewAnswer<'alarmState'>;

export class AlarmWatch {
  readonly #needs;
  /** Since when each finding lasts, and since when the reason of each alarm is gone, on the monotonic clock. */
  #since = new Map<string, number>();
  #gone = new Map<number, number>();
  /** When the gateway began to work without a break, and when the watch last read the figures in that time. */
  #works: { readonly since: Instant; readonly lookedMs: number } | undefined;

  constructor(
    needs: Pick<Tools, 'log' | 'clock' | 'journal' | 'reader' | 'prices'> & {
      readonly dataDir: string;
      /** Free space of the disk with `dataDir`, in octets; undefined if it is unknown. */
      readonly freeSpace: (folder: string) => Promise<number | undefined>;
      /** Time of the machine's clock. */
      readonly wall: () => Instant;
      readonly readiness: Pick<Readiness, 'troubles'>;
      readonly nodes: Pick<Nodes, 'name' | 'list'>;
      readonly snapshot: () => Snapshot;
      readonly links: () => ReadonlyMap<number, readonly LinkStatus[]>;
      readonly ledger: () => LedgerVerdict | undefined;
      readonly certificates: readonly string[];
      readonly writeCounts: () => Promise<void>;
      readonly turned: () => void;
      /** How long its reason must be gone before an alarm closes (default: a minute): a reason may come and go. */
      readonly goneMs?: number | undefined;
    },
  ) {
    this.#needs = needs;
  }

  get isLooking(): boolean {
    return this.#works !== undefined && this.#needs.clock.monotonicMs() - this.#works.lookedMs < breakMs;
  }

  async look(): Promise<void> {
    const { prices, clock, journal, turned, writeCounts } = this.#needs;
    await writeCounts();
    const now = clock.now();
    const asked = await prices.ask('alarmState', now);
    if (!asked.ok) return;
    const state = asked.value;
    const figures = await this.#figures(state);
    if (!figures) return;
    const found = alarmKindNames.flatMap((kind) => findingsOf(kind, figures, settingOf(state, kind)));
    const known = [...found, ...state.open];
    const opens = this.#lasting(found, state).filter(
      (each) => isOpening(each, known) && !state.open.some((alarm) => isSameAlarm(alarm, each)),
    );
    const over = this.#over(found, figures, state);
    // A receiver is notified of an open alarm if the receiver is new, or its quiet time is over.
    const later = state.open.flatMap((alarm) =>
      over.includes(alarm)
        ? []
        : receiversOf(alarm, state, now)
            .filter((name) => !state.notified.some((each) => each.alarm === alarm.id && each.receiver === name))
            .map((receiver) => ({ alarm: alarm.id, receiver })),
    );
    if (opens.length + over.length + later.length === 0) return;
    const closes = over.map(({ id }) => id);
    const opened = opens.map(({ because: _because, ...each }) => ({
      ...each,
      receivers: receiversOf(each, state, now),
    }));
    const done = await journal.append<'turn-alarms'>({ kind: 'turn-alarms', at: now, opens: opened, later, closes });
    if (!done.ok) return;
    this.#log(opens, over);
    turned();
  }

  #lasting(found: readonly Finding[], state: State): readonly Finding[] {
    const now = this.#needs.clock.monotonicMs();
    const known = this.#since;
    this.#since = new Map(found.map((each) => [keyOf(each), known.get(keyOf(each)) ?? now]));
    return found.filter(
      (each) => now - (this.#since.get(keyOf(each)) ?? now) >= holdMsOf(each.kind, settingOf(state, each.kind)),
    );
  }

  #over(found: readonly Finding[], { ledger }: AlarmFigures, { open }: State): State['open'] {
    const { clock, goneMs = usualGoneMs } = this.#needs;
    const now = clock.monotonicMs();
    const known = this.#gone;
    const right = open.filter(
      (alarm) => !(alarm.kind === 'ledger-wrong' && !ledger) && !found.some((each) => isSameAlarm(alarm, each)),
    );
    this.#gone = new Map(right.map(({ id }) => [id, known.get(id) ?? now]));
    return right.filter(({ id }) => now - (this.#gone.get(id) ?? now) >= goneMs);
  }

  #log(opened: readonly Finding[], closed: State['open']): void {
    const { log } = this.#needs;
    for (const { kind, subject, evidence, help } of opened)
      log.warn({ alarm: kind, subject, help }, `an alarm has opened: ${evidence}`);
    for (const { kind, subject } of closed) log.info({ alarm: kind, subject }, 'an alarm has closed');
  }

  async #figures(state: State): Promise<AlarmFigures | undefined> {
    const { clock, prices, readiness, nodes, dataDir, freeSpace, certificates } = this.#needs;
    const { carriers, routes, webhooks } = this.#needs.snapshot();
    const ids = [...carriers.keys()];
    const ofWebhooks = [...webhooks.keys()].toSorted((one, other) => other - one).slice(0, webhooksMax);
    const read = await prices.ask('figures', { carriers: ids, webhooks: ofWebhooks, sessions: [], callbacks: [] });
    if (!read.ok) return undefined;
    const free = await freeSpace(dataDir);
    const names = (its: readonly { readonly carrier: number }[]) =>
      its.flatMap(({ carrier }) => carriers.get(carrier)?.name ?? []);
    return {
      ...state,
      now: clock.now(),
      worksSince: this.#worksSince(),
      node: nodes.name ?? 'gateway',
      dataDir,
      carriers: this.#carriers(read.value, state),
      routes: [...routes.values()]
        .filter(({ isRemoved }) => !isRemoved)
        .map(({ prefix, carriers: its }) => ({ prefix, carriers: names(its) })),
      webhooks: read.value.webhooks.map((each) => ({ ...each, host: hostOf(webhooks.get(each.id)?.url ?? '') })),
      certificates: certificates.flatMap(expiryOf),
      freeMiB: free && free / mebibyte,
      clock: readiness.troubles.find(({ kind }) => kind === 'clock-ahead' || kind === 'clock-behind')?.detail,
      clockStepMs: this.#needs.wall() - clock.now(),
      nodeClocks: nodes
        .list()
        .filter(({ isStopped, agoMs }) => !isStopped && agoMs < usualSilentMs)
        .map(({ name, clockOffMs }) => ({ node: name, offMs: clockOffMs })),
      failing: state.receivers.flatMap(({ receiver: name, failingSince: since, outcome }) =>
        since === null ? [] : [{ name, since, outcome: outcome ?? '' }],
      ),
      lostNodes: nodes
        .list()
        .filter(isLost)
        .map(({ name }) => name),
      ledger: this.#needs.ledger(),
    };
  }

  /** A break is over at the first look without a trouble. */
  #worksSince(): Instant {
    const { clock, readiness } = this.#needs;
    const lookedMs = clock.monotonicMs();
    const isBreak =
      this.#works === undefined || lookedMs - this.#works.lookedMs > breakMs || readiness.troubles.length > 0;
    const since = isBreak || !this.#works ? clock.now() : this.#works.since;
    this.#works = { since, lookedMs };
    return since;
  }

  #carriers({ carriers: waiting }: ViewAnswer<'figures'>, { sums, shown }: State): CarrierFigures[] {
    const { snapshot, links } = this.#needs;
    const statuses = links();
    return [...snapshot().carriers.values()].map(({ id, name, status, idRule, settings }) => {
      const figure = waiting.find((each) => each.id === id);
      return {
        name,
        isActive: status === 'active',
        links: (statuses.get(id) ?? []).map(({ link, state, throttledShare, lastError }) => ({
          link,
          lastError,
          isBound: state === 'bound' || state === 'throttled',
          throttledPercent: throttledShare * percent,
        })),
        waiting: figure?.waiting ?? 0,
        oldest: figure?.oldest ?? null,
        unmatched: figure?.unmatched ?? 0,
        unread: kindOf(settings).textReceipts(settings) === 'on' ? 0 : (shown.get(id)?.unread ?? 0),
        shownRule: proposedOf(idRule, shown.get(id)?.rule ?? null),
        ...(sums.get(id) ?? { recent: noSums, week: noSums }),
      };
    });
  }
}

/** An alarm proposes a rule only to an operator who has set another one: the gateway itself replaces `auto`. */
function proposedOf(idRule: string, shown: string | null): string | null {
  return idRule === 'auto' || idRule === shown ? null : shown;
}

/** Whether others have taken over the node's work, or soon will. After a day, the node does not count as lost. */
function isLost({ isStopped, hasLease, agoMs }: ReturnType<Nodes['list']>[number]): boolean {
  return !isStopped && agoMs > (hasLease ? usualSilentMs : usualQuietMs) && agoMs < dayMs;
}

/** When the certificate in a file expires. Empty if the file cannot be read, which the listener reports. */
function expiryOf(file: string): AlarmFigures['certificates'] {
  try {
    const { validTo } = new X509Certificate(readFileSync(file));
    return [{ file, expiresAt: Date.parse(validTo) }];
  } catch {
    return [];
  }
}

function settingOf({ settings }: State, kind: Finding['kind']): State['settings'][number] | undefined {
  return settings.find((each) => each.kind === kind);
}

function keyOf({ kind, subject }: AlarmName): string {
  return `${kind} ${subject}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
