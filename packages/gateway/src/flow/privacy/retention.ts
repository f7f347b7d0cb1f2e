import { dayMs, hourMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { instantOf, toMessageId } from '../../core/base/message-id.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { RetentionView } from '../../store/views/privacy/retention.ts';
import type { Tools } from '../ports.ts';

/*
 * Removes old texts, numbers and records all day, oldest first, so that no client meets a nightly job. PostgreSQL drops
 * whole tables of records.
 */

interface RetentionNeeds extends Pick<Tools, 'log' | 'clock' | 'random' | 'reader'> {
  readonly journal: Pick<Journal, 'append' | 'statistics'>;
  /** Nothing is removed while the clock is not trusted. */
  readonly isHeld: () => boolean;
  readonly dropOld: DropOld | undefined;
}

/**
 * Drops tables whose records are all too old. Returns for which number of days, and the first message id that the next
 * table to be dropped has. Undefined if there are no accounts.
 */
export type DropOld = (now: Instant) => Promise<{ readonly days: number; readonly from: number } | undefined>;

const everyMs = 10 * minuteMs;
const heldMs = minuteMs;

/** Messages that one command looks at. Such a command takes about two milliseconds, and clients' commits wait for it. */
const batchMax = 50;

/**
 * After each batch, the removal pauses for a multiple of the duration of the batch. So only one send in 200 may meet a
 * batch, and the 99th percentile of sends does not show it. This is enough for two or three million messages a day. The
 * further the removal is behind, the more time it takes.
 */
const paces = [
  { behindMs: 2 * dayMs, restShare: 9, restMinMs: 20 },
  { behindMs: 1.5 * dayMs, restShare: 49, restMinMs: 100 },
  { behindMs: -Infinity, restShare: 199, restMinMs: 100 },
] as const;
const restMaxMs = 4 * secondMs;

/** Waiting commands beyond which the removal lets clients go first. */
const busyCommands = 200;

const leftEveryMs = hourMs;
const keyOctets = 32;

export function startRetaining(needs: RetentionNeeds): AsyncDisposable {
  const removal = new Removal(needs);
  return new Loop({ ...needs, name: 'remove old data', everyMs, turn: () => removal.turn(), isEager: true });
}

interface Done {
  readonly removed: number;
  readonly isMore: boolean;
  readonly through: number;
}

class Removal {
  readonly #needs: RetentionNeeds;
  #due: RetentionView[] = [];
  #leftAt: number | undefined;
  /** Whether old tables were dropped since the last look, and what the next table to be dropped has. */
  #dropped: { readonly next: Awaited<ReturnType<DropOld>> } | undefined;

  constructor(needs: RetentionNeeds) {
    this.#needs = needs;
  }

  /** Returns when the next batch may follow. */
  async turn(): Promise<number> {
    const { clock, isHeld, journal } = this.#needs;
    if (isHeld()) return heldMs;
    if (journal.statistics.waiting > busyCommands) return restMaxMs;
    const beganMs = clock.monotonicMs();
    if (this.#due.length === 0) await this.#look();
    const [next] = this.#due;
    if (next === undefined) return everyMs;
    const { removed, isMore, through } = await this.#remove(next);
    if (!isMore) this.#due.shift();
    // Rows that become due meanwhile are removed at the next time, with more of them in each batch.
    if (this.#due.length === 0) return everyMs;
    // A batch that removed nothing kept no client waiting, so no pause follows.
    if (removed === 0) return 1;
    const behindMs = next.dueUntil - instantOf(toMessageId(through));
    const pace = paces.find((each) => behindMs > each.behindMs) ?? paces[2];
    return Math.min(restMaxMs, Math.max(pace.restMinMs, (clock.monotonicMs() - beganMs) * pace.restShare));
  }

  async #look(): Promise<void> {
    const { reader, clock } = this.#needs;
    const at = clock.now();
    const read = await reader.ask('retention', at);
    if (!read.ok) return;
    this.#dropped = undefined;
    this.#due = read.value.filter(({ isDue }) => isDue);
    const isTime = this.#leftAt === undefined || at - this.#leftAt >= leftEveryMs || at < this.#leftAt;
    if (!isTime) return;
    this.#leftAt = at;
    await this.#needs.journal.append<'retain-rest'>({ kind: 'retain-rest', at, max: batchMax });
    for (const { what, leftBehind } of read.value) if (leftBehind > 0) await this.#removeLeft(what);
  }

  async #remove({ what, days, before: due }: RetentionView): Promise<Done> {
    const { journal, clock, random } = this.#needs;
    const before = what === 'records' ? Math.min(due, await this.#dropFrom(days)) : due;
    const newKey = random.bytes(keyOctets);
    const given = { kind: 'retain', at: clock.now(), what, days, before, max: batchMax, newKey } as const;
    const done = await journal.append<'retain'>(given);
    return done.ok ? done.value : { removed: 0, isMore: false, through: before };
  }

  /** The first id of the accounts with these days whose records are not removed one by one. Drops what is due before. */
  async #dropFrom(days: number): Promise<number> {
    const { dropOld, clock } = this.#needs;
    if (!dropOld) return Infinity;
    // Numbers are removed before records, so the tables have none any more.
    const { next } = (this.#dropped ??= { next: await dropOld(clock.now()) });
    return next?.days === days ? next.from : Infinity;
  }

  async #removeLeft(what: RetentionView['what']): Promise<void> {
    const { journal, clock, random } = this.#needs;
    for (let after = 0; ;) {
      const given = { what, after, max: batchMax, newKey: random.bytes(keyOctets) };
      const done = await journal.append<'retain-left'>({ kind: 'retain-left', at: clock.now(), ...given });
      if (!done.ok || !done.value.isMore) return;
      after = done.value.last;
    }
  }
}
