/* What each bulk operation does with one row. */

import type { Bulk } from '@morsel/api/admin/resource.ts';
import type { OperationName, OperationNamed } from '@morsel/api/admin/resources.ts';
import type { Rows } from '../../rows/rows.ts';
import type { JobStep, RowDone } from '../decision.ts';
import { cancelRow } from '../message/cancel.ts';
import { settleRow } from '../message/settle-doubt.ts';
import { rerouteRow } from '../routing/reroute.ts';

export type BulkName = {
  [N in OperationName]: OperationNamed<N> extends { readonly bulk: Bulk } ? N : never;
}[OperationName];

type OutcomeOf<N extends BulkName> = OperationNamed<N>['bulk']['outcomes'][number];

/** Decides one row, which may have changed since it was read. The job does not count a row without an outcome. */
export const rowDecisions = {
  'message.cancelMany': cancelRow,
  'message.rerouteMany': rerouteRow,
  'message.settleMany': settleRow,
} satisfies {
  readonly [N in BulkName]: (rows: Rows, row: never, step: JobStep<never>) => RowDone<OutcomeOf<N>> | undefined;
};

/** A row of a bulk operation, as it is read for its decision. */
export type BulkRow<N extends BulkName> = Parameters<(typeof rowDecisions)[N]>[1];
