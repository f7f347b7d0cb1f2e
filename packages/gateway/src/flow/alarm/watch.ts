/*
 * Looks at the figures every few seconds, off the path of messages, and opens and closes alarms. One node does it for the
 * whole store.
 */

import { statfs } from 'node:fs/promises';
import { alarmKindNames } from '@morsel/api/admin/alarm/kinds.ts';
import { dayMs, secondMs } from '@morsel/api/values/time.ts';
import { findingsOf, helpFor, holdMsOf } from '../../core/alarm/findings.ts';
import type { AlarmFigures, CarrierFigures, Finding } from '../../core/alarm/findings.ts';
import { usualSilentMs } from '../../core/nodes/members.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { EventLog } from '../ports.ts';
import type { Readiness } from '../readiness.ts';
import type { LinkStatus } from '../routing/carrier-link.ts';

export interface WatchNeeds {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  /** A reader with its own thread, so that no client waits for the figures. */
  readonly prices: Pick<Reader, 'ask'>;
  readonly readiness: Pick<Readiness, 'troubles'>;
  readonly nodes: Pick<Nodes, 'name' | 'list'>;
  readonly snapshot: () => Snapshot;
  readonly links: () => ReadonlyMap<number, readonly LinkStatus[]>;
  readonly log: Pick<EventLog, 'info' | 'warn' | 'error'>;
}

/** How often the figures are looked at. A look takes a few milliseconds of a reading thread. */
const everyMs = 5 * secondMs;
/** The most webhooks that are looked at: the newest ones. */
const webhooksMax = 1_000;
const mebibyte = 2 ** 20;
const percent = 100;

export function startWatching(needs: WatchNeeds): Loop {
  const { clock, log } = needs;
  const watch = new AlarmWatch(needs);
  return new Loop({ clock, log, name: 'watch for alarms', everyMs, turn: () => watch.look() });
}

type State = ViewAnswer<'alarmState'>;

export class AlarmWatch {
  readonly #needs: WatchNeeds;
  /** Since when each finding lasts, on the monotonic clock. */
  #since = new Map<string, number>();

  constructor(needs: WatchNeeds) {
    this.#needs = needs;
  }

  async look(): Promise<void> {
    const { prices, clock, journal } = this.#needs;
    const asked = await prices.ask('alarmState', undefined);
    if (!asked.ok) return;
    const state = asked.value;
    const figures = await this.#figures(state);
    if (!figures) return;
    const found = alarmKindNames.flatMap((kind) => findingsOf(kind, figures, settingOf(state, kind)));
    const opens = this.#lasting(found, state).filter((each) => !state.open.some((alarm) => isSame(alarm, each)));
    const over = state.open.filter((alarm) => !found.some((each) => isSame(alarm, each)));
    if (opens.length + over.length === 0) return;
    const closes = over.map(({ id }) => id);
    const done = await journal.append<'turn-alarms'>({ kind: 'turn-alarms', at: clock.now(), opens, closes });
    if (done.ok) this.#tell(opens, over);
  }

  /** The findings that have lasted long enough. */
  #lasting(found: readonly Finding[], state: State): readonly Finding[] {
    const now = this.#needs.clock.monotonicMs();
    const known = this.#since;
    this.#since = new Map(found.map((each) => [keyOf(each), known.get(keyOf(each)) ?? now]));
    return found.filter(
      (each) => now - (this.#since.get(keyOf(each)) ?? now) >= holdMsOf(each.kind, settingOf(state, each.kind)),
    );
  }

  #tell(opened: readonly Finding[], closed: State['open']): void {
    const { log } = this.#needs;
    for (const { kind, subject, evidence } of opened)
      log.warn({ alarm: kind, subject, help: helpFor(kind, subject) }, `an alarm has opened: ${evidence}`);
    for (const { kind, subject } of closed) log.info({ alarm: kind, subject }, 'an alarm has closed');
  }

  async #figures({ low }: State): Promise<AlarmFigures | undefined> {
    const { clock, prices, readiness, nodes, dataDir } = this.#needs;
    const { carriers, routes, webhooks } = this.#needs.snapshot();
    const ids = [...carriers.keys()];
    const ofWebhooks = [...webhooks.keys()].toSorted((one, other) => other - one).slice(0, webhooksMax);
    const read = await prices.ask('figures', { carriers: ids, webhooks: ofWebhooks, sessions: [] });
    if (!read.ok) return undefined;
    const space = await statfs(dataDir).catch(() => undefined);
    const names = (its: readonly { readonly carrier: number }[]) =>
      its.flatMap(({ carrier }) => carriers.get(carrier)?.name ?? []);
    return {
      now: clock.now(),
      node: nodes.name ?? 'gateway',
      carriers: this.#carriers(read.value),
      routes: [...routes.values()]
        .filter(({ isRemoved }) => !isRemoved)
        .map(({ prefix, carriers: its }) => ({ prefix, carriers: names(its) })),
      webhooks: read.value.webhooks,
      low,
      freeMiB: space && (space.bavail * space.bsize) / mebibyte,
      clock: readiness.troubles.find(({ kind }) => kind === 'clock-ahead' || kind === 'clock-behind')?.detail,
      lostNodes: nodes
        .list()
        .filter(isLost)
        .map(({ name }) => name),
    };
  }

  #carriers({ carriers: waiting }: ViewAnswer<'figures'>): CarrierFigures[] {
    const { snapshot, links } = this.#needs;
    const statuses = links();
    return [...snapshot().carriers.values()].map(({ id, name, status }) => {
      const figure = waiting.find((each) => each.id === id);
      return {
        name,
        isActive: status === 'active',
        links: (statuses.get(id) ?? []).map(({ link, state, throttledShare }) => ({
          link,
          isBound: state === 'bound' || state === 'throttled',
          throttledPercent: throttledShare * percent,
        })),
        waiting: figure?.waiting ?? 0,
        oldest: figure?.oldest ?? null,
        unmatched: figure?.unmatched ?? 0,
      };
    });
  }
}

/** Its work was taken over, or soon will be. A day later nobody waits for it any more. */
function isLost({ isStopped, agoMs }: ReturnType<Nodes['list']>[number]): boolean {
  return !isStopped && agoMs > usualSilentMs && agoMs < dayMs;
}

function settingOf({ settings }: State, kind: Finding['kind']): State['settings'][number] | undefined {
  return settings.find((each) => each.kind === kind);
}

type Named = Pick<Finding, 'kind' | 'subject'>;

function keyOf({ kind, subject }: Named): string {
  return `${kind} ${subject}`;
}

function isSame(one: Named, other: Named): boolean {
  return one.kind === other.kind && one.subject === other.subject;
}
