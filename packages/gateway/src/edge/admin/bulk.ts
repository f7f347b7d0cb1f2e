/* Handles bulk operations: counts their rows, and starts a job for them. */

import type { AnswerOf, Bulk, InputOf } from '@morsel/api/admin/resource.ts';
import { resources, type OperationNamed } from '@morsel/api/admin/resources.ts';
import { countedRows } from '@morsel/api/admin/bulk.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { conflict } from '../../state/decide/decided.ts';
import type { BulkName } from '../../state/decide/job/bulk.ts';
import type { BulkFilter } from '../../store/views/running/jobs.ts';
import { givenText } from './access/audit.ts';
import { decideOperation } from './direct.ts';
import type { OperatorNeeds } from './operator-needs.ts';

/** The most rows that one query reads. This takes some 20 ms of a reading thread. */
const countedMax = 2_000;
/** The most rows of a job. Counting them takes some seconds. */
const rowsMax = 500_000;

type Input<N extends BulkName> = InputOf<OperationNamed<N>>;
type Started = AnswerOf<OperationNamed<BulkName>>;

/** `read` brings the filter into the stored form, or refuses it. */
export function bulk<N extends BulkName>(
  operation: N,
  read: (needs: OperatorNeeds, input: Input<N>) => Result<BulkFilter<N>, Rejection>,
) {
  return async (needs: OperatorNeeds, input: Input<N>): Promise<Result<Started, Rejection>> => {
    const filter = read(needs, input);
    if (!filter.ok) return filter;
    const counted = await countRows(needs, operation, filter.value);
    if (!counted.ok) return counted;
    const rows = counted.value;
    const { reason } = needs.caller;
    if (input.dryRun || rows === 0) return ok({ rows, job: null });
    if (reason === null) return refused({ code: 'missing_parameter', field: 'reason' });
    const { input: fields } = declarationOf(operation);
    const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : name));
    const given = givenText(fields, { ...input }, names);
    const made = { reason, filter: filter.value, given, rows };
    const started = await decideOperation<BulkName>(needs, operation, { input, made });
    if (started.ok) needs.jobs.wake();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the decision always has an answer
    return started as Result<Started, Rejection>;
  };
}

async function countRows(
  { reader }: OperatorNeeds,
  operation: BulkName,
  filter: object,
): Promise<Result<number, Rejection>> {
  let rows = 0;
  for (let after: string | null = ''; after !== null;) {
    const page: Awaited<ReturnType<typeof reader.ask<'bulkRows'>>> = await reader.ask('bulkRows', {
      operation,
      filter,
      after,
      limit: countedMax,
    });
    if (!page.ok) return page;
    rows += page.value.rows.length;
    after = page.value.next;
    const most = countedRows(declarationOf(operation).bulk, rowsMax);
    if (rows > rowsMax) return conflict(`more than ${most} match: choose fewer, such as those of one account`);
  }
  return ok(rows);
}

function declarationOf(name: BulkName): OperationNamed<BulkName> & { readonly bulk: Bulk } {
  const [resource = '', operation = ''] = name.split('.');
  const all: { readonly [resource: string]: { readonly operations: object } } = resources;
  return Reflect.get(all[resource]?.operations ?? {}, operation);
}
