/* Commands of bulk operations: they count the rows, ask, start a job, and show its progress until it ends. */

import { setTimeout as sleep } from 'node:timers/promises';
import { countedRows } from '@morsel/api/admin/bulk.ts';
import type { Bulk, Operation } from '@morsel/api/admin/resource.ts';
import { job, jobText, type Job } from '@morsel/api/admin/running/job.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGateway, gatewayCalls } from './admin-client.ts';
import { usage, type Failure, type Input, type Report, type Shell } from './command.ts';
import { confirmed, dryRunText } from './confirm.ts';

/** How often the command asks for the progress. */
const lookEveryMs = 250;

interface Typed {
  readonly given: { readonly [field: string]: string };
  readonly input: Input;
  readonly shell: Shell;
}

export async function runBulk(operation: Operation, bulk: Bulk, typed: Typed): Promise<Result<Report, Failure>> {
  const { given, input, shell } = typed;
  const counting = await ask(operation, typed, { dryRun: 'true' });
  if (!counting.ok) return counting;
  const { rows } = counting.value;
  const json = (more: object) => writeJson({ rows, ...more });
  if (rows === 0) return ok({ text: `no ${bulk.row} matches: nothing is changed`, json: json({ applied: false }) });
  const found = countedRows(bulk, rows);
  if (input.flags.has('dryRun')) return ok({ text: `${found}: ${dryRunText}`, json: json({ applied: false }) });
  if (shell.said?.reason === undefined) return refused(usage('give --reason, which the job and the audit log keep'));
  const meant = await confirmed(input, shell, { sentence: found, question: bulk.asks(found, given) });
  if (!meant.ok) return meant;
  const started = await ask(operation, typed, {});
  if (!started.ok) return started;
  const { job: id } = started.value;
  if (id === null) return ok({ text: `no ${bulk.row} matches any more`, json: json({ applied: false }) });
  const ended = await endOf(id, shell);
  return ended.ok
    ? ok({ text: jobText(ended.value), json: writeJson(jsonOf(job.operations.show.answer, ended.value)) })
    : ended;
}

async function ask(operation: Operation, { given, shell }: Typed, more: object) {
  const answer = await askGateway(shell, operation, { ...given, ...more });
  if (!answer.ok) return answer;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all bulk operations have this answer
  return ok(answer.value.value as { readonly rows: number; readonly job: number | null });
}

/** Waits until the job has ended. It goes on if the command ends earlier. */
async function endOf(id: number, shell: Shell): Promise<Result<Job, Failure>> {
  for (;;) {
    const found = await gatewayCalls(shell).job.show({ job: id });
    if (!found.ok)
      return refused({ ...found.error, detail: `${found.error.detail} (job ${id} goes on: job show ${id})` });
    const { state, decided, rows } = found.value;
    shell.progress?.(state === 'running' ? `job ${id}: ${decided} of ${rows}` : '');
    if (state !== 'running') return found;
    await sleep(lookEveryMs);
  }
}
