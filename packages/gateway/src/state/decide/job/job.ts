/*
 * Jobs do the work of bulk operations. A job starts in the commit of its audit entry. Each later commit changes a few
 * rows, and remembers the place of the last of them. So a job goes on after a crash, and changes each row once.
 */

import { toMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { dayMs, type Instant } from '@morsel/api/values/time.ts';
import { accountById } from '../../tables/account.ts';
import { jobById, jobsInState, jobTable, type JobRow } from '../../tables/access.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { conflict, missing } from '../decided.ts';
import type { Decision, JobStep, RowDone, Unsettled } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';
import { rowDecisions, type BulkName } from './bulk.ts';

/** The most jobs that run at the same time. Each takes its turn, so more jobs would only make all of them slower. */
const runningMax = 20;
/** How long ended jobs are kept. */
const keptMs = 90 * dayMs;

/** What the caller finds out for a job. */
export interface JobToStart extends Pick<JobRow, 'given' | 'rows'> {
  readonly reason: string;
  readonly filter: object;
}

const deleteOld = effect<[before: Instant]>()('job.delete-old');

function starts(operation: BulkName): Unsettled<BulkName, JobToStart> {
  return {
    isSetting: false,
    subject: () => 'jobs',
    decide(rows, _input, { at, by: operator, made }) {
      if (rows.all(jobsInState, 'running').length >= runningMax)
        return conflict(`${runningMax} jobs run already: wait until one is done, or stop one`);
      rows.run(deleteOld, at - keptMs);
      const id = rows.nextId(jobTable);
      const begun = { place: '', state: 'running', outcomes: {}, refunds: {}, endedAt: null } as const;
      rows.add(jobTable, { id, startedAt: at, operation, operator, ...made, ...begun });
      return ok({ rows: made.rows, job: id });
    },
  };
}

const stop: Decision<'job.stop'> = (rows, { job: id }, { at }) => {
  const job = rows.one(jobById, id);
  if (!job) return missing(`there is no job ${id}`);
  if (job.state !== 'running') return conflict(`job ${id} has ended already`);
  end(job, 'stopped', at);
  return ok(null);
};

export const jobDecisions = {
  'job.stop': { decide: stop, isSetting: false },
  'message.cancelMany': starts('message.cancelMany'),
  'message.rerouteMany': starts('message.rerouteMany'),
  'message.settleMany': starts('message.settleMany'),
} as const;

/** One step of a job: the next rows that match its filter. */
interface WorkJob {
  readonly at: Instant;
  readonly id: number;
  readonly operation: BulkName;
  /** The place of the job when the rows were read. */
  readonly after: string;
  readonly found: readonly object[];
  /** The place of the last of these rows; null if no row follows. */
  readonly next: string | null;
}

/** Does nothing if the job was stopped, or another step has come between: the rows were read in vain. */
export const workJobCommand = rehearsed((rows: Rows, { at, id, operation, after, found, next }: WorkJob) => {
  const job = rows.one(jobById, id);
  if (job?.state !== 'running' || job.place !== after) return ok(null);
  const decide: (of: Rows, row: never, step: JobStep<never>) => RowDone | undefined = rowDecisions[operation];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation made the filter and the rows
  const done = found.map((row) => decide(rows, row as never, { at, job: id, filter: job.filter as never }));
  for (const each of done) if (each) add(rows, job, each);
  job.place = next ?? after;
  if (next === null) end(job, 'done', at);
  touch(job);
  return ok(null);
});

function add(rows: Rows, job: JobRow, { outcome, refund }: RowDone): void {
  job.outcomes = { ...job.outcomes, [outcome]: (job.outcomes[outcome] ?? 0) + 1 };
  const { currency } = (refund && rows.one(accountById, refund.account)) ?? {};
  if (!refund || refund.amount === 0n || currency === undefined) return;
  const sum = toMicros(BigInt(job.refunds[currency] ?? 0) + refund.amount);
  job.refunds = { ...job.refunds, [currency]: String(sum) };
}

function end(job: JobRow, state: 'done' | 'stopped', at: Instant): void {
  job.state = state;
  job.endedAt = at;
  job.filter = null;
  touch(job);
}
