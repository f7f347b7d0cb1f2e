/* Views of jobs: their progress, and the next rows of a job. */

import { toMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { firstPlace, parsePlace, placeText } from '../../../core/message/waiting-place.ts';
import type { BulkName } from '../../../state/decide/job/bulk.ts';
import { missing } from '../../../state/decide/decided.ts';
import { jobTable, type JobRow } from '../../../state/tables/access.ts';
import { readInDoubt } from '../message/in-doubt.ts';
import { readWaiting, type WaitingFilter } from '../message/waiting.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

const list: View<'job.list'> = async (queries, { after, limit }) => {
  const before = after === undefined ? beforeNewest : Number(after);
  const rows = await queries.find(jobTable, 'where id < ? order by id desc limit ?', before, limit + 1);
  return ok(pageOf(rows.map(shown), limit, ({ id }) => String(id)));
};

const show: View<'job.show'> = async (queries, { job }) => {
  const row = await queries.first(jobTable, 'where id = ?', job);
  return row ? ok(shown(row)) : missing(`there is no job ${job}`);
};

export const jobViews = { 'job.list': list, 'job.show': show };

function shown({ outcomes, refunds, ...row }: JobRow) {
  const all = Object.entries(outcomes).map(([outcome, rows]) => ({ outcome, rows }));
  return {
    ...row,
    decided: all.reduce((sum, { rows }) => sum + rows, 0),
    outcomes: all,
    refunds: Object.entries(refunds).map(([currency, amount]) => ({ currency, amount: toMicros(BigInt(amount)) })),
  };
}

/** The jobs that are not done, the oldest first. */
export async function readRunningJobs(queries: Queries): Promise<readonly JobRow[]> {
  return queries.find(jobTable, "where state = 'running' order by id");
}

/** Rows of a bulk operation behind a place. `next` is the place of the last one; null if no row follows. */
interface BulkPage<Row = object> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** How the rows of each bulk operation are read, and by which filter. The first place is empty. */
const readRows = {
  'message.cancelMany': readWaitingRows,
  'message.rerouteMany': readWaitingRows,
  'message.settleMany': readInDoubt,
} satisfies { readonly [N in BulkName]: (queries: Queries, asked: AskedRows<never>) => Promise<BulkPage> };

interface AskedRows<Filter> {
  readonly filter: Filter;
  readonly after: string;
  readonly limit: number;
}

/** The filter of a bulk operation, in stored form. */
export type BulkFilter<N extends BulkName> = Parameters<(typeof readRows)[N]>[1]['filter'];

export async function readBulkRows(
  queries: Queries,
  { operation, ...asked }: AskedRows<object> & { readonly operation: BulkName },
): Promise<BulkPage> {
  const read: (of: Queries, wanted: AskedRows<never>) => Promise<BulkPage> = readRows[operation];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation made its filter
  return read(queries, asked as AskedRows<never>);
}

async function readWaitingRows(queries: Queries, { filter, after, limit }: AskedRows<WaitingFilter>) {
  const place = after === '' ? firstPlace : parsePlace(after);
  if (!place) throw new Error('a job has a place that is not one of waiting messages');
  const { messages, next } = await readWaiting(queries, { filter, after: place, limit });
  return { rows: messages.map((each) => ({ ...each, message: each.id })), next: next && placeText(next) };
}
