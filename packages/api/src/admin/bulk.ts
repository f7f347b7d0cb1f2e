import { optional, orNone } from '../fields/compose.ts';
import type { FieldTable, Given } from '../fields/field.ts';
import { count, flag, rowId } from '../fields/fields.ts';
import { counted } from '../fields/shown.ts';
import { post, type Bulk, type Operation } from './resource.ts';

/*
 * Bulk operations change all rows that match a filter. The gateway does this in a job (`running/job.ts`), which goes on
 * after the request, and after a restart. A request needs a reason, and makes one entry in the audit log.
 */

const answer = {
  rows: count({ summary: 'rows that match the filter now' }),
  job: orNone(rowId({ summary: 'id of the job that changes these rows; null without such rows, or with `dryRun`' })),
};

export const dryRun = {
  dryRun: optional(
    flag({ label: 'Only preview', summary: 'only count the rows and change nothing, even with --yes' }),
    false,
  ),
};

type Declared<I extends FieldTable> = Parameters<typeof post<I, typeof answer>>[1];

/** Declares an operation that changes many rows. Its input is the filter, and what becomes of the rows. */
export function bulk<I extends FieldTable, const O extends string>(
  path: string,
  {
    bulk: about,
    input,
    ...declared
  }: Omit<Declared<I & typeof dryRun>, 'answer' | 'input'> & {
    readonly input: I;
    readonly bulk: Omit<Bulk<O>, 'asks'> & { asks(rows: string, given: Given<I>): string };
  },
): Operation<I & typeof dryRun, typeof answer, false> & { readonly bulk: Bulk<O> } {
  const operation = post<I & typeof dryRun, typeof answer>(path, {
    // Rows that the first job changed do not match the filter again.
    repeat: 'same',
    ...declared,
    input: { ...input, ...dryRun },
    answer,
  });
  return {
    ...operation,
    reason: 'must',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a command has read the input
    bulk: { ...about, asks: (rows, given) => about.asks(rows, given as Given<I>) },
  };
}

/** The number of rows that an operation has found, such as `3 parts`. */
export function countedRows({ row }: Bulk, rows: number | string): string {
  return counted(rows, row);
}
