/*
 * Works through the rows of jobs, a few rows in each commit, on one node of the store. Each running job takes a step in turn.
 */

import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { Loop } from '../runtime/loop.ts';
import type { BulkName, BulkRow } from '../state/decide/job/bulk.ts';
import type { JobRow } from '../state/tables/access.ts';
import type { Journal } from '../store/journal.ts';
import type { WaitingMessage } from '../store/views/message/waiting.ts';
import { wayWhenDue } from './message/due.ts';
import type { Tools } from './ports.ts';

interface JobsNeeds extends Pick<Tools, 'log' | 'clock' | 'reader'> {
  readonly journal: Pick<Journal, 'append' | 'statistics'>;
  readonly snapshot: () => Snapshot;
  /** Says that parts may wait for any carrier, so that every link looks for parts to send. */
  readonly lookForWaiting: () => void;
}

/** How often the gateway looks for jobs that another node has started. */
const everyMs = 5 * secondMs;
/** The most rows of one commit. Other commits wait some 10 ms for such a commit. */
const stepMax = 100;
/** The pause after a turn, as a multiple of its duration, so that jobs leave time to the path of messages. */
const restShare = 1;
const restMaxMs = secondMs;
/** Waiting commands beyond which jobs let clients go first. */
const busyCommands = 200;

/** Carries out jobs from `start` on, which only one node of the store calls. */
export class Jobs {
  readonly #needs: JobsNeeds;
  #loop: Loop | undefined;

  constructor(needs: JobsNeeds) {
    this.#needs = needs;
  }

  start(): Loop {
    const turn = (signal: AbortSignal) => takeTurn(this.#needs, signal);
    this.#loop = new Loop({ ...this.#needs, name: 'work on jobs', everyMs, turn, isEager: true });
    return this.#loop;
  }

  wake(): void {
    this.#loop?.wake();
  }
}

/** Makes one step of each running job. Returns when the next turn may follow. */
async function takeTurn(needs: JobsNeeds, signal: AbortSignal): Promise<number> {
  const { reader, clock, journal } = needs;
  if (journal.statistics.waiting > busyCommands) return restMaxMs;
  const beganMs = clock.monotonicMs();
  const running = await reader.ask('runningJobs', undefined);
  if (!running.ok || running.value.length === 0) return everyMs;
  for (const job of running.value) {
    if (signal.aborted) return everyMs;
    // The store takes or answers nothing now.
    if (!(await step(needs, job))) return everyMs;
  }
  return Math.min(restMaxMs, Math.max(1, (clock.monotonicMs() - beganMs) * restShare));
}

async function step(needs: JobsNeeds, { id, operation: name, filter, place: after }: JobRow): Promise<boolean> {
  if (filter === null) return true;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only bulk operations start jobs
  const operation = name as BulkName;
  const at = needs.clock.now();
  const page = await needs.reader.ask('bulkRows', { operation, filter, after, limit: stepMax });
  if (!page.ok) return false;
  const { rows, next } = page.value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation made its rows
  const found = prepare[operation]?.(needs.snapshot(), rows as never, at) ?? rows;
  const done = await needs.journal.append<'work-job'>({ kind: 'work-job', at, id, operation, after, found, next });
  if (done.ok && found.length > 0) needs.lookForWaiting();
  return done.ok;
}

/** Adds to rows what the store's threads do not know, because only the flow has the snapshot. */
const prepare: {
  readonly [N in BulkName]?: (snapshot: Snapshot, rows: never, at: Instant) => readonly BulkRow<N>[];
} = { 'message.rerouteMany': withRoutes };

/** Adds the routes that messages would take now. */
function withRoutes(
  snapshot: Snapshot,
  rows: readonly WaitingMessage[],
  at: Instant,
): readonly BulkRow<'message.rerouteMany'>[] {
  return rows.map((row) => ({ message: row.id, to: wayWhenDue(snapshot, row, at) ?? null }));
}
